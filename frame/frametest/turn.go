package frametest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

// player records the frames of a turn, on the frame goroutine.
type player struct {
	warmUp int
	frames int // since the start
	end    deadline.Instant
	length time.Duration

	witness witness
	last    reading
	own     time.Duration
	out     turn
	runs    []run   // of frames that count
	from    reading // when the turn began to count
	begun   begun   // what the process had used up then
}

// A run is one run of a task, or a section.
type run struct {
	frame int // its index in turn.Frames
	kind  string
	cost  time.Duration
}

// begun is what the process had used up at a time.
type begun struct {
	cpu     time.Duration
	mallocs uint64
}

// playFrames plays one turn in this process.
func playFrames(o Options, start func(*frame.Loop) func() error) (*turn, error) {
	runtime.LockOSThread() // the witness watches this thread
	defer runtime.UnlockOSThread()
	p := &player{warmUp: o.WarmUp, length: o.Turn, out: turn{Kinds: map[string][]time.Duration{}}}
	l := o.Loop
	l.JumpAfter, l.Scheduler.Rethrow = -1, true
	tell := l.Scheduler.OnEvent
	l.Scheduler.OnEvent = func(e scheduler.Event) {
		if e.Ran > 0 {
			p.runs = append(p.runs, run{len(p.out.Frames), e.Label, e.Ran})
		}
		if tell != nil {
			tell(e)
		}
	}
	loop := frame.New(l)
	defer loop.Close()
	f := start(loop)
	if f == nil {
		return nil, errors.New("start has returned no function")
	}
	p.out.Target = l.Interval
	p.out.Frames = make([]sample, 0, 2*int(o.Turn/l.Interval)+100)
	p.runs = make([]run, 0, 10_000)
	p.witness.open()
	defer p.witness.close()
	err := loop.Run(context.Background(), func() error { return p.frame(f) })
	if err == nil && (p.end == 0 || p.last.at < p.end) {
		err = fmt.Errorf("the game ended after %d frames: it must go on until the gate ends it", p.frames)
	}
	if err != nil {
		return nil, err
	}
	p.witness.judge(p.out.Frames, p.from.at, p.out.Target)
	for _, r := range p.runs {
		if r.frame < len(p.out.Frames) && p.out.Frames[r.frame].Void == notVoid {
			p.out.Kinds[r.kind] = append(p.out.Kinds[r.kind], r.cost)
		}
	}
	return &p.out, nil
}

// frame ends the sample of the frame before and plays a frame.
func (p *player) frame(f func() error) error {
	now := p.witness.read()
	switch {
	case p.frames == p.warmUp:
		p.begun = begunNow()
		p.runs = p.runs[:0]
		now = p.witness.read() // begunNow has taken time
		p.from, p.end = now, now.at.Add(p.length)
	case p.frames > p.warmUp:
		p.add(now)
	}
	p.last = now
	if p.end != 0 && now.at >= p.end {
		b := begunNow()
		p.out.CPU, p.out.Mallocs = -1, b.mallocs-p.begun.mallocs
		if b.cpu >= 0 {
			p.out.CPU = b.cpu - p.begun.cpu
		}
		return frame.ErrStop
	}
	p.frames++
	begun := deadline.Now()
	err := f()
	p.own = deadline.Now().Sub(begun)
	if errors.Is(err, frame.ErrStop) {
		p.end = 0 // the game's own end is too early
	}
	return err
}

// add keeps the frame that lasted from the last reading until now.
func (p *player) add(now reading) {
	s := sample{Interval: now.at.Sub(p.last.at), Own: p.own, CPU: now.cpu - p.last.cpu}
	s.note(p.last, now, p.out.Target, runtime.NumCPU())
	p.out.Frames = append(p.out.Frames, s)
}

// begunNow stops the world: not within a frame that notVoid.
func begunNow() begun {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return begun{processCPU(), m.Mallocs}
}
