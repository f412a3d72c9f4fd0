package frame_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
)

// where says who acts.
type where struct {
	host  bool // the host's goroutine
	task  bool // a task or a callback
	job   bool
	depth int // of Nests
}

// deed notes a function that is to run.
func (s *stage) deed(what string) *deed {
	d := &deed{what: what}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, d)
	return d
}

// share lets others know of d, once it has been given away.
func (s *stage) share(r *rand.Rand, d *deed) { s.deeds[r.IntN(len(s.deeds))].Store(d) }

// begin is the beginning of a deed.
func (s *stage) begin(d *deed) {
	if d.canceled.Load() && d.what != "a coroutine" { // which may be canceled as it begins
		s.fail("%s runs after Cancel has returned true", d.what)
	}
	if d.begun.Add(1) > 1 {
		s.fail("%s runs twice", d.what)
	}
}

// run is what a function does that runs once.
func (s *stage) run(d *deed, at where) {
	s.begin(d)
	defer d.ended.Add(1)
	s.alone(d.what, func() { s.acts(s.rng(), at) })
}

// acts are those of a task.
func (s *stage) acts(r *rand.Rand, at where) {
	for range r.IntN(3) {
		s.act(r, at)
	}
	switch r.IntN(24) {
	case 0:
		panic(errOnPurpose)
	case 1:
		runtime.Goexit()
	case 2:
		if at.host && at.depth < 2 {
			s.nest(r, at.depth+1)
		}
	}
}

// onHost is where a task runs that is given to sched.
func (s *stage) onHost(sched *scheduler.Scheduler, at where) where {
	return where{task: true, host: sched == s.l.Host(), depth: at.depth}
}

// act does one thing at random.
func (s *stage) act(r *rand.Rand, at where) {
	if s.left.Add(-1) < 0 {
		return
	}
	if s.other != nil && r.IntN(6) == 0 {
		s.other.act(r, where{})
		return
	}
	sched := s.l.Scheduler()
	if r.IntN(3) == 0 {
		sched = s.l.Host()
	}
	prio := deadline.Priorities()[r.IntN(5)]
	switch r.IntN(14) {
	case 0, 1:
		d, in := s.deed("a function"), s.onHost(sched, at)
		d.cancel = sched.After(prio, time.Duration(r.IntN(3))*200*time.Microsecond, func() { s.run(d, in) }).Cancel
		s.share(r, d)
	case 2, 3:
		d, in := s.deed("a coroutine"), s.onHost(sched, at)
		d.cancel = sched.Go(prio, func(co *scheduler.Co) { s.coroutine(d, co, in) }).Cancel
		s.share(r, d)
	case 4:
		d := s.deed("a callback")
		in := where{task: true, host: true, depth: at.depth}
		d.cancel = s.l.Once(scheduler.Phase(r.IntN(3)), func() { s.run(d, in) }).Cancel
		s.share(r, d)
	case 5:
		s.each(r, at)
	case 6:
		if d := s.deeds[r.IntN(len(s.deeds))].Load(); d != nil && d.cancel() && d.request == nil {
			d.canceled.Store(true)
			if d.what != "a coroutine" && d.begun.Load() > 0 {
				s.fail("Cancel of %s returns true, which has run", d.what)
			}
		}
	case 7, 8:
		s.load(r, at)
	case 9:
		s.onRequest(r, s.deeds[r.IntN(len(s.deeds))].Load())
	case 10:
		s.look(r)
	case 11:
		s.l.Pool().Go(prio, func() { s.act(s.rng(), where{job: true}) })
	case 12:
		s.stop(r, at)
	case 13:
		if at.task && at.host {
			s.misuse(r)
		}
	}
}

// stop asks for the end of the loop, seldom.
func (s *stage) stop(r *rand.Rand, at where) {
	switch r.IntN(30) {
	case 0:
		s.closed.Store(true)
		s.l.Stop()
	case 1:
		if at.task || at.job {
			s.closed.Store(true)
			if err := s.l.Close(); err != nil {
				s.fail("Close within returns %v", err)
			}
		}
	default:
		s.l.Scheduler().RequestDraw()
	}
}

// look is for what asks and sets.
func (s *stage) look(r *rand.Rand) {
	switch r.IntN(6) {
	case 0:
		s.l.SetInterval(time.Duration(200+r.IntN(800)) * time.Microsecond)
	case 1:
		s.l.Recorder().Snapshot()
	case 2:
		s.l.Recorder().Reset()
	case 3:
		s.l.Recorder().Recent(make([]record.Record, 10))
	case 4:
		s.l.Pressure()
	case 5:
		if s.closed.Load() != s.l.Closing() && !s.closed.Load() {
			s.fail("Closing, and nobody has closed")
		}
	}
}

// each adds a callback that runs once in each frame until it is canceled.
func (s *stage) each(r *rand.Rand, at where) {
	phase, left := scheduler.Phase(r.IntN(3)), r.IntN(6)
	in, number := where{task: true, host: true, depth: at.depth}, uint64(0)
	ready := make(chan scheduler.Handle, 1)
	ready <- s.l.Each(phase, func() {
		n := s.l.Stats().Frames
		if n == number {
			s.fail("a callback of phase %v runs twice in frame %d", phase, n)
		}
		number = n
		s.alone("a callback", func() {
			if left--; left < 0 {
				h := <-ready
				h.Cancel()
				ready <- h
				return
			}
			s.acts(s.rng(), in)
		})
	})
}

// load asks for something.
func (s *stage) load(r *rand.Rand, at where) {
	i := r.IntN(2)
	d, in := s.deed("a request"), where{task: true, host: i == 1 || s.l.Host() == s.l.Scheduler(), depth: at.depth}
	key := r.IntN(5)
	commit := func(v int, err error) {
		d.committed.Add(1)
		s.alone("a commit", func() {
			if err == nil && v != 7*key {
				s.fail("%d is committed for key %d", v, key)
			}
			s.acts(s.rng(), in)
		})
	}
	ctx := bg
	if r.IntN(4) == 0 {
		c, cancel := context.WithTimeout(bg, time.Duration(r.IntN(500))*time.Microsecond)
		s.cleanUp(cancel)
		ctx = c
	}
	var q *load.Request
	if n := r.IntN(4); n < 2 {
		q = s.loader[i].LoadInto(ctx, &s.slots[n], key, commit)
	} else {
		q = s.loader[i].Load(ctx, key, commit)
	}
	s.mu.Lock()
	d.request = q
	s.mu.Unlock()
	d.cancel = q.Cancel
	s.share(r, d)
}

func (s *stage) onRequest(r *rand.Rand, d *deed) {
	if d == nil || d.request == nil {
		return
	}
	switch r.IntN(2) {
	case 0:
		d.request.SetPriority(deadline.Priorities()[r.IntN(5)])
	case 1:
		d.asks.Add(1)
		d.request.Notify(func() { d.told.Add(1) })
	}
}

// coroutine is what a coroutine does.
func (s *stage) coroutine(d *deed, co *scheduler.Co, at where) {
	s.begin(d)
	defer d.ended.Add(1)
	r := s.rng()
	for range r.IntN(4) {
		switch r.IntN(6) {
		case 0:
			co.Yield()
		case 1:
			co.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
		case 2:
			co.NextFrame()
		case 3:
			if e := s.deeds[r.IntN(len(s.deeds))].Load(); e != nil && e.request != nil {
				state, err := scheduler.AwaitTimeout(co, e.request, time.Duration(r.IntN(200))*time.Microsecond)
				if err == nil && state != load.Loaded {
					s.fail("Await returns %v, and no error", state)
				}
			}
		case 4:
			v, err := frame.Background(co, s.l.Pool(), func() (int, error) { return 3, nil })
			if err == nil && v != 3 {
				s.fail("Background returns %v", v)
			}
		case 5:
			s.alone("a coroutine", func() { s.acts(r, at) })
		}
	}
}

// misuse calls in a task what belongs to the host.
func (s *stage) misuse(r *rand.Rand) {
	calls := []func(){s.l.Begin, s.l.Slice, s.l.End, s.l.Rest, func() { s.l.RunPhase(scheduler.BeforeDraw) },
		func() { _ = s.l.Run(bg, func() error { return frame.ErrStop }) }, func() { s.l.Report("x") }}
	if text := panicOf(calls[r.IntN(len(calls))]); !strings.HasPrefix(text, "frame: ") {
		s.fail("misuse: %q", text)
	}
}
