package frame

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/timeline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// The parts of a Loop, each without a Loop.

func TestChoiceOnlyWrapShades(t *testing.T) {
	for _, wraps := range []bool{false, true} {
		shades := 0
		c := choice{shade: func() { shades++ }}
		c.decide(wraps) // not open: there is nothing to choose
		c.open.Store(true)
		for _, w := range []bool{wraps, true, false} {
			c.decide(w)
		}
		if want := map[bool]int{true: 1}[wraps]; shades != want || c.open.Load() {
			t.Errorf("wraps %v: shade was called %d times, want %d; open %v", wraps, shades, want, c.open.Load())
		}
	}
}

func TestEndingUnwindsOnceAndAllWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h home
		h.settle(false)
		var unwinds, over atomic.Int32
		e := newEnding(&h, func() {
			time.Sleep(time.Second)
			unwinds.Add(1)
		})
		for range 4 {
			go func() {
				if e.over() && unwinds.Load() == 1 {
					over.Add(1)
				}
			}()
		}
		synctest.Wait()
		if n := unwinds.Load(); n != 0 {
			t.Fatalf("unwound %d times before the closer has come so far", n)
		}
		e.hostOpen.Store(true)
		e.drained.Set()
		time.Sleep(time.Hour)
		synctest.Wait()
		if unwinds.Load() != 1 || over.Load() != 4 || e.isDone() {
			t.Errorf("unwound %d times, %d of 4 calls waited for it, done %v", unwinds.Load(), over.Load(), e.isDone())
		}
	})
}

func TestEndingOnTheWrongThreadLeavesTheHostOpen(t *testing.T) {
	needsThreads(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var h home
	h.settle(false)
	unwinds := 0
	e := newEnding(&h, func() { unwinds++ })
	e.hostOpen.Store(true)
	moved := make(chan error)
	go func() { moved <- e.closeHost() }()
	if err := <-moved; err != errMoved || !e.hostOpen.Load() || unwinds != 0 {
		t.Fatalf("elsewhere: %v, open %v, unwound %d times", err, e.hostOpen.Load(), unwinds)
	}
	if err := e.closeHost(); err != nil || e.hostOpen.Load() || unwinds != 1 {
		t.Errorf("at home: %v, open %v, unwound %d times", err, e.hostOpen.Load(), unwinds)
	}
}

// needsThreads skips a test where goroutines cannot be locked to threads.
func needsThreads(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("there is one thread here")
	}
}

func TestHomeStaysWhereALockIs(t *testing.T) {
	needsThreads(t)
	var h home
	if h.settled() || h.elsewhere() {
		t.Fatal("a new home is settled")
	}
	h.settle(false)
	free := h.place()
	settled := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer close(settled)
		h.settle(false)
		if h.place() != free {
			t.Error("a second slice has moved the home")
		}
		if h.settle(true); !h.place().Locked() {
			t.Error("a Run did not move the home")
		}
	}()
	<-settled
	locked := h.place()
	if h.settle(true); h.place() != locked {
		t.Error("a Run has moved the home away from a lock")
	}
}

func TestHomeIsElsewhereInATask(t *testing.T) {
	var h home
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	inTask := func() (is bool) {
		s.Post(deadline.Normal, func() { is = h.elsewhere() })
		s.RunUntil(deadline.Deadline{})
		return is
	}
	before := inTask()
	h.settle(false)
	if after := inTask(); before || !after || h.elsewhere() {
		t.Errorf("elsewhere in a task, before a home is settled: %v, after: %v; in no task: %v",
			before, after, h.elsewhere())
	}
}

func TestGapsPutTimersOff(t *testing.T) {
	const p = 16 * milli
	for _, c := range []struct {
		name            string
		after           time.Duration
		row             int // gaps before
		outside, inside time.Duration
		border          bool
		skips, jump     bool
		shift           time.Duration
	}{
		{"a frame", 0, 0, 10 * milli, 6 * milli, false, false, false, 0},
		{"a gap", 0, 0, 300 * milli, 6 * milli, false, true, false, 290 * milli},
		{"a gap with a long frame", 0, 0, 300 * milli, 100 * milli, false, true, false, 300 * milli},
		{"a long frame is no gap", 0, 0, 2 * milli, 2 * time.Second, false, false, false, 0},
		{"a jump", 0, 0, 6 * time.Second, 10 * milli, false, true, true, 6*time.Second - 6*milli},
		{"a jump in a frame", 0, 0, 0, 6 * time.Second, false, true, true, 6*time.Second - p},
		{"between two Runs", 0, 0, 300 * milli, 0, true, true, true, 300*milli - p},
		{"a slow host", 0, rateGaps, 300 * milli, 6 * milli, false, false, false, 0},
		{"JumpAfter", 20 * milli, 0, 30 * milli, 2 * milli, false, true, true, p},
		{"JumpAfter is negative", -1, 0, time.Hour, time.Hour, false, false, false, 0},
	} {
		g := gaps{after: c.after, row: c.row}
		skips, jump, shift := g.take(c.outside, c.inside, p, c.border)
		jumped := map[bool]time.Duration{true: c.outside + c.inside}[c.jump]
		if skips != c.skips || jump != c.jump || shift != c.shift || g.jumpTime != jumped || (g.jumps == 1) != jump {
			t.Errorf("%s: skips %v, jump %v, shift %v, jumps %d of %v; want %v, %v, %v, %v",
				c.name, skips, jump, shift, g.jumps, g.jumpTime, c.skips, c.jump, c.shift, jumped)
		}
		if g.take(p, 0, p, false); g.after >= 0 && g.row != 0 {
			t.Errorf("%s: %d gaps in a row after a frame without one", c.name, g.row)
		}
	}
}

func TestTempoTakesTheIntervalThatIsGiven(t *testing.T) {
	for _, c := range []struct {
		name                  string
		o                     Options
		running               bool
		interval, target, new time.Duration // new: the target after an interval of 5 ms was asked for
	}{
		{"nothing", Options{}, false, time.Second / 60, time.Second / 60, 5 * milli},
		{"an interval", Options{Interval: 10 * milli}, false, 10 * milli, 10 * milli, 5 * milli},
		{"Run", Options{Interval: 10 * milli}, true, 10 * milli, 10 * milli, 5 * milli},
	} {
		var w tempo
		w.init(&c.o)
		w.running = c.running
		if w.interval() != c.interval || w.due() != c.interval || w.target() != c.target {
			t.Errorf("%s: interval %v, due %v, target %v; want %v, %v",
				c.name, w.interval(), w.due(), w.target(), c.interval, c.target)
		}
		w.ask(5 * milli)
		if w.adopt(); w.interval() != 5*milli || w.target() != c.new {
			t.Errorf("%s: after ask: interval %v, target %v; want 5 ms, %v", c.name, w.interval(), w.target(), c.new)
		}
	}
	o := Options{Interval: 10 * milli}
	o.Budget.Interval, o.Recorder.Target = 7*milli, 3*milli
	var w tempo
	w.init(&o)
	w.ask(5 * milli)
	if w.adopt(); w.interval() != 7*milli || w.target() != 3*milli || w.measures() {
		t.Errorf("Budget.Interval and Recorder.Target: %v, %v, measures %v", w.interval(), w.target(), w.measures())
	}
	w.running = true
	if w.interval() != 5*milli {
		t.Errorf("in Run the interval is that of the ticks: %v", w.interval())
	}
}

func TestTasksOfTwoSchedulers(t *testing.T) {
	var w tasks
	w.add(scheduler.New(scheduler.Options{}), 16)
	if w.host != w.sched || len(w.all()) != 1 {
		t.Fatal("one scheduler is not the host's")
	}
	w.add(scheduler.New(scheduler.Options{}), 16)
	if w.host == w.sched || len(w.all()) != 2 {
		t.Fatal("of two schedulers the last one is not the host's")
	}
	phases := 0
	w.host.Once(scheduler.BeforeDraw, func() { phases++ })
	for _, s := range w.all() {
		s.Post(deadline.Normal, func() {})
		s.Post(deadline.Normal, func() {})
	}
	w.beginFrame(deadline.Now())
	w.runPhase(scheduler.BeforeDraw)
	var runs workers.Profile
	w.sched.RunUntil(deadline.Deadline{})
	if kept := w.readRuns(&runs); !kept || len(runs.Runs) != 3 || phases != 1 ||
		runs.Runs[1].Where != timeline.Shadow || runs.Runs[2].Where == timeline.Shadow {
		t.Errorf("kept %v, runs %+v, %d callbacks; want two in the shadow and a callback", kept, runs.Runs, phases)
	}
	for _, s := range w.all() {
		s.Close()
	}
	if n := w.dropped(); n != 2 {
		t.Errorf("%d tasks of the host's were dropped, want 2", n)
	}
}

func TestJobsStarve(t *testing.T) {
	now := deadline.Now()
	d := deadline.At(now.Add(10 * milli))
	for _, c := range []struct {
		name        string
		starved     int
		overrunFits bool
		turns       bool
		want        time.Duration
	}{
		{"not yet", starvedFrames - 1, false, false, 10 * milli},
		{"long enough", starvedFrames, false, false, 20 * milli},
		{"the extra time doubles with each frame", starvedFrames + 2, false, false, 50 * milli},
		{"at most a second", 100, false, false, 1010 * milli},
		{"the last overrun was in time", 0, true, false, 16 * milli},
		{"a job has run", 100, true, true, 10 * milli},
	} {
		j := jobs{starved: c.starved, overrunFits: c.overrunFits}
		s := slice{begin: now, until: now.Add(10 * milli), turns: c.turns}
		if at, _ := j.until(&s, d, 8*milli).Instant(); at.Sub(now) != c.want {
			t.Errorf("%s: jobs until %v, want %v", c.name, at.Sub(now), c.want)
		}
	}
}
