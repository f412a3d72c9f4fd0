package replay

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Run is what happened in one run.
type Run struct {
	Seed   uint64
	Frames int // that World.Frame made
	Missed int // refreshes that passed while a frame was still busy

	// Events are all events of the scheduler up to the end of the game.
	Events []scheduler.Event

	// The longest wait of a task, and the longest that a run began after its expiration.
	Wait, Late time.Duration

	lines  []line
	begins []time.Duration // of frames
	begin  deadline.Instant
}

// line is one line of a transcript.
type line struct {
	at   time.Duration // since the beginning
	text string
}

// Play plays the game once under a seed. Then it unwinds the producers and closes the scheduler. Play panics if the
// game or a producer did.
func Play(seed uint64, o Options, game func(w *World)) *Run {
	if o.Scheduler.Clock != nil {
		panic("replay: Options.Scheduler with a Clock")
	}
	if o.Interval <= 0 {
		o.Interval = time.Second / 60
	}
	const begin = deadline.Instant(time.Hour) // far from 0, which means none in many fields
	w := &World{
		o: o, now: begin, begin: begin, rng: rand.New(rand.NewPCG(seed, 0)), run: &Run{Seed: seed, begin: begin},
	}
	so := o.Scheduler
	so.Clock = func() deadline.Instant { return w.now }
	so.OnEvent = func(e scheduler.Event) {
		w.see(e)
		if o.Scheduler.OnEvent != nil {
			o.Scheduler.OnEvent(e)
		}
	}
	w.s = scheduler.New(so)
	over := false
	defer func() {
		for _, p := range w.all {
			p.end()
		}
		if !over { // the game panicked, perhaps within a task's run
			w.run = &Run{}
		}
		w.s.Close()
		if over && w.fault != nil {
			panic(w.fault)
		}
	}()
	game(w)
	over = true
	done := w.run
	w.run = &Run{} // the events of Close are not part of the run
	return done
}

// see notes an event. When a run begins, see spends the run's cost.
func (w *World) see(e scheduler.Event) {
	r := w.run
	r.Events = append(r.Events, e)
	r.lines = append(r.lines, line{e.At.Sub(w.begin), e.String()})
	if e.State != scheduler.Running {
		return
	}
	r.Wait, r.Late = max(r.Wait, e.Waited), max(r.Late, e.Late)
	if w.o.Cost != nil {
		w.Spend(w.o.Cost(w, e))
	}
}

// Search plays the game under the seeds 1 to n and returns the first run that wanted accepts, or nil.
func Search(o Options, n uint64, game func(w *World), wanted func(r *Run) bool) *Run {
	for seed := uint64(1); seed <= n; seed++ {
		if r := Play(seed, o, game); wanted(r) {
			return r
		}
	}
	return nil
}

// String returns the transcript: a line for each event, frame and Logf, with milliseconds.
func (r *Run) String() string {
	var b strings.Builder
	for _, l := range r.lines {
		fmt.Fprintf(&b, "%10.3f  %s\n", float64(l.at)/1e6, l.text)
	}
	return b.String()
}
