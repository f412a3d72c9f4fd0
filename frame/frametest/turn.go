package frametest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/refresh"
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
	own     time.Duration // of the frame in progress, and what it waited meanwhile
	waited  time.Duration
	delay   time.Duration // of the thread, at the end of own or of a run
	frameNo uint64
	out     turn
	runs    []run
	records [2]record.Record
	from    reading // when the turn began to count
	begun   begun   // what the process had used up then
}

// A run is one run of a task, or a section in one frame.
type run struct {
	frame   int // its index in turn.Frames
	name    string
	cost    time.Duration
	section bool
}

// sectionPrefix is before the names of sections in turn.Kinds.
const sectionPrefix = "section "

// begun is what the process had used up at a time.
type begun struct {
	cpu     time.Duration
	mallocs uint64
}

// playFrames plays one turn in this process.
func playFrames(o Options, start func(*frame.Loop) func() error) (*turn, error) {
	runtime.LockOSThread() // the witness watches this thread
	defer runtime.UnlockOSThread()
	p := &player{warmUp: max(0, o.Loop.Recorder.WarmUp), length: o.Turn, out: turn{Kinds: map[string][]time.Duration{}}}
	l := o.Loop
	l.JumpAfter, l.Scheduler.Rethrow = -1, true
	tell := l.Scheduler.OnEvent
	l.Scheduler.OnEvent = func(e scheduler.Event) {
		if e.Ran > 0 {
			p.ran(e.Label, e.Ran)
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
	err := loop.Run(context.Background(), func() error { return p.frame(loop, f) })
	if err == nil && (p.end == 0 || p.last.at < p.end) {
		err = fmt.Errorf("the game ended after %d frames: it must continue until the gate ends it", p.frames)
	}
	if err != nil {
		return nil, err
	}
	p.witness.judge(p.out.Frames, p.from.at, p.out.Target)
	for _, r := range p.runs {
		if r.frame < len(p.out.Frames) && !p.out.Frames[r.frame].stood() {
			name := r.name
			if r.section {
				name = sectionPrefix + name
			}
			p.out.Kinds[name] = append(p.out.Kinds[name], r.cost)
		}
	}
	return &p.out, nil
}

// frame ends the sample of the frame before and plays a frame.
func (p *player) frame(loop *frame.Loop, f func() error) error {
	now := p.witness.read()
	switch {
	case p.frames == p.warmUp:
		p.begun = begunNow()
		p.runs = p.runs[:0]
		now = p.witness.read() // begunNow has taken time
		p.from, p.end = now, now.at.Add(p.length)
	case p.frames > p.warmUp:
		p.add(now, loop.Recorder())
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
	p.frameNo = loop.Frame()
	begun := deadline.Now()
	err := f()
	p.own = deadline.Now().Sub(begun)
	p.delay = p.witness.delay()
	p.waited = p.delay - now.delay
	if errors.Is(err, frame.ErrStop) {
		p.end = 0 // the game's own end is too early
	}
	return err
}

// add keeps the frame that lasted from the last reading until now.
func (p *player) add(now reading, rec *record.Recorder) {
	s := sample{Interval: now.at.Sub(p.last.at), Own: max(0, p.own-p.waited), CPU: now.cpu - p.last.cpu}
	s.note(p.last, now, p.out.Target, runtime.NumCPU())
	n := len(p.out.Frames)
	got := rec.Recent(p.records[:])
	if k := len(got) - 1; k >= 0 && got[k].Number == p.frameNo {
		if k > 0 && n > 0 && refresh.Missed(p.out.Frames[n-1].Interval, p.out.Target) > 0 {
			p.out.Frames[n-1].Why = string(got[0].AppendCause(nil, &got[k], p.out.Target))
		}
		// Where in its own work the thread has waited is unknown, so the sections count only without waits.
		if p.waited < p.out.Target/voidShare {
			for _, one := range got[k].Sections {
				p.runs = append(p.runs, run{n, one.Name, one.Own, true})
			}
		}
	}
	p.out.Frames = append(p.out.Frames, s)
}

// longRun is from where a task's run is worth a look at how long the thread has waited: a look takes a microsecond.
const longRun = 50 * time.Microsecond

// ran takes a run of a task, less the time that its thread waited for a processor.
func (p *player) ran(kind string, cost time.Duration) {
	if cost >= longRun {
		delay := p.witness.delay()
		cost, p.delay = max(0, cost-(delay-p.delay)), delay
	}
	p.runs = append(p.runs, run{len(p.out.Frames), kind, cost, false})
}

// begunNow stops the world: not within a frame that counts.
func begunNow() begun {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return begun{processCPU(), m.Mallocs}
}
