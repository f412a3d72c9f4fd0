package replay

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Options configure a run.
type Options struct {
	// Its Clock must be nil. Its OnEvent is called too.
	Scheduler scheduler.Options

	// Interval is the time between refreshes. The default (zero) is 1/60 s. A slice ends after three quarters of it.
	Interval time.Duration

	// Cost returns how long a run takes, besides its own Spend. The default (nil) is no time. Set Cost for tasks that
	// know nothing of virtual time. The time passes before the run.
	Cost func(w *World, e scheduler.Event) time.Duration
}

// World is the virtual world of one run. Only the game, and its tasks, callbacks and producers may use it.
type World struct {
	o     Options
	s     *scheduler.Scheduler
	rng   *rand.Rand
	now   deadline.Instant
	begin deadline.Instant // of the run
	plans []plan           // what is planned, in order
	all   []*producer
	run   *Run
	in    *producer             // the one that runs
	fault *scheduler.PanicError // of the first producer that panicked
}

// plan is something that happens at a moment.
type plan struct {
	at  deadline.Instant
	tie uint64 // orders what happens at the same moment
	do  func()
}

// Scheduler returns the scheduler. Its Now is the virtual time.
func (w *World) Scheduler() *scheduler.Scheduler { return w.s }

// Rand returns random numbers that the seed decides.
func (w *World) Rand() *rand.Rand { return w.rng }

// Spend lets d pass: the caller's work takes that long. Producers run meanwhile. A producer sleeps
// instead: there Spend panics.
func (w *World) Spend(d time.Duration) {
	if w.in != nil {
		panic("replay: Spend in a producer, whose time is its sleep")
	}
	end := w.now.Add(max(d, 0))
	for len(w.plans) > 0 && w.plans[0].at <= end {
		p := w.plans[0]
		w.plans = slices.Delete(w.plans, 0, 1)
		w.now = max(w.now, p.at)
		p.do()
	}
	w.now = end
}

// at plans do for the time t.
func (w *World) at(t deadline.Instant, do func()) {
	p := plan{t, w.rng.Uint64(), do}
	i, _ := slices.BinarySearchFunc(w.plans, p, func(a, b plan) int {
		if a.at != b.at {
			return int(min(max(a.at-b.at, -1), 1))
		}
		if a.tie < b.tie {
			return -1
		}
		return 1
	})
	w.plans = slices.Insert(w.plans, i, p)
}

// Logf adds a line to the transcript.
func (w *World) Logf(format string, args ...any) {
	w.run.lines = append(w.run.lines, line{w.now.Sub(w.begin), fmt.Sprintf(format, args...)})
}

// Frame plays one frame: BeginFrame, the phases, with own between BeforeUpdate and BeforeDraw, the slice, and the wait
// for the next refresh. Refreshes that pass meanwhile are missed. own may be nil.
func (w *World) Frame(own func()) {
	begin := w.now
	w.run.Frames++
	w.Logf("frame %d", w.run.Frames)
	w.s.BeginFrame(begin)
	w.s.RunPhase(scheduler.BeforeUpdate)
	if own != nil {
		own()
	}
	w.s.RunPhase(scheduler.BeforeDraw)
	w.s.RunPhase(scheduler.AfterDraw)
	w.s.RunUntil(deadline.At(begin.Add(w.o.Interval / 4 * 3)))
	next := begin.Add(w.o.Interval)
	for next < w.now {
		next = next.Add(w.o.Interval)
		w.run.Missed++
	}
	if took := w.now.Sub(begin); took > w.o.Interval {
		w.Logf("frame %d took %v", w.run.Frames, took)
	}
	w.run.begins = append(w.run.begins, begin.Sub(w.begin))
	w.Spend(next.Sub(w.now))
}
