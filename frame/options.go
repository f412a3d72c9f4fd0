package frame

import (
	"fmt"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/bubble"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Options are the settings of a Loop. The zero value is ready.
type Options struct {
	// Interval is the time from the start of one frame to the next: 1/60 s by default, at least 50 µs. A hosted loop
	// corrects it by the display's period. Until that is measured, some of the first 24 slices have 0.5 ms. Set
	// Interval to skip this, or Budget.Interval to keep an interval whatever is measured.
	Interval time.Duration

	// Budget bounds the slice. By default Interval is measured, Reserve is controlled by its result, and the rest is as
	// in deadline.Budget.
	Budget deadline.Budget

	// Scheduler has the scheduler's options, without a Clock. With Rethrow a task's panic comes out of Slice, or with
	// PlaceShadow out of the next Begin.
	Scheduler scheduler.Options

	// Workers has the pool's options: by default one worker less than GOMAXPROCS. On one P and in a browser the slice
	// runs the jobs.
	Workers workers.Options

	// Pool is a pool to share; by default the loop makes one. The loop ignores Workers then, and does not close the
	// pool. In a testing/synctest bubble the pool must be of that bubble.
	Pool *workers.Pool

	// WorkersOnly keeps jobs out of the slice. By default the frame goroutine helps the workers with jobs of a kind
	// that is never long, unless other programs keep its thread off the processors. Set WorkersOnly with Background
	// workers on every processor. Urgent jobs still run in the slice if the pool has no ordinary workers.
	WorkersOnly bool

	// Placement says where in a frame the slice lies: PlaceAuto by default.
	Placement Placement

	// Pace makes a hosted loop wait in End if nothing else paces the host: off by default. Set it for a window without
	// vertical synchronization. With an Interval it also slows down a faster host.
	Pace bool

	// JumpAfter is the least gap between two frames that is a jump of the clock (see "Jumps" above): by default the
	// longer of 5 s and 160 intervals. Set it to 250 ms where dragging the window stops the frames. Negative means no
	// jumps: for tests that must fail on every freeze.
	JumpAfter time.Duration

	// CloseTimeout is how long Close waits for the jobs of the loop's own pool: 1 s by default, and with a Seed 1 hour
	// of virtual time. Negative drops jobs that have not started.
	CloseTimeout time.Duration

	// GCBetweenFrames has the loop begin garbage collections right after a frame's own work: off by default. Set it if
	// jobs allocate much. While there are frames, the loop raises GOGC up to five times its value, which takes memory.
	// Close restores it. A GOGC that the program sets meanwhile stays.
	GCBetweenFrames bool

	// Profile adds to reports what tasks and jobs cost, by kind. The default (zero) is not to. A negative value does
	// so without single runs: it takes 260 KB, about 40 ns for each task and 200 ns for each job. With a positive value
	// the trace of Report.Save has so many of the latest runs of tasks, and of each worker's jobs: at most 1<<20. 4096
	// are good for some seconds, and take 80 bytes each. Goroutines of the loop and the pool then have the labels
	// "task" and "job" for CPU profiles, in place of others. A shared Pool has an option of its own.
	Profile int

	// OnStuck is called, once and on a goroutine of its own, when a frame takes more than 10 s from Begin to End. The
	// report has the stacks of the goroutines that the frame waits for. The default prints it to standard error.
	OnStuck func(report string)

	// Seed has the loop try another order of all that nothing promises: when jobs and functions of SubmitIO begin and
	// end, which coroutine wakes first, and which work a slice leaves to the next. Default (empty): no such trial. Set
	// Seed in a testing/synctest bubble only, where each run with one seed is the same. frametest.Search tries many
	// seeds, and says which fails. With a Seed the loop's own pool has no background workers, and if Workers.Workers is
	// zero the Seed chooses their number. It does not count for a shared Pool.
	Seed string

	// Recorder has the recorder's options. The default Target is Interval; without Interval it is 1/60 s in Run, and
	// the display's period in a hosted loop.
	Recorder record.Options
}

// withDefaults returns o with every default filled in that does not depend on measurement.
func (o Options) withDefaults() Options {
	o.check()
	if o.Recorder.Target == 0 {
		o.Recorder.Target = o.Interval // 0 is for the loop to fill in, frame by frame
	}
	if o.CloseTimeout == 0 && o.Seed != "" {
		o.CloseTimeout = time.Hour // of virtual time: a delayed job may take seconds
	} else if o.CloseTimeout == 0 {
		o.CloseTimeout = time.Second
	}
	if !shadowPossible && !o.slicesFirst() {
		o.Placement = PlaceAfterDraw
	}
	return o
}

// slicesFirst reports whether the slice comes before the frame's own work.
func (o *Options) slicesFirst() bool { return o.Placement == PlaceFirst }

// check panics if a field has an invalid value. New calls it before it makes anything that must be closed.
func (o *Options) check() {
	switch {
	case o.Placement > PlaceFirst:
		panic(fmt.Sprintf("frame: New with an invalid Options.Placement: %d", o.Placement))
	case o.Scheduler.Clock != nil:
		panic("frame: New with Options.Scheduler.Clock: a Loop goes by the system's clock")
	}
	if o.Profile > 1<<20 {
		panic(fmt.Sprintf("frame: New with Options.Profile of %d, more than %d", o.Profile, 1<<20))
	}
	o.checkPool()
	checkInterval("New with Options.Interval of", o.Interval)
}

// checkPool panics if only one of the loop and its shared pool is in a testing/synctest bubble. The runtime would end
// the program when a goroutine outside wakes one in the bubble.
func (o *Options) checkPool() {
	if o.Pool == nil {
		return
	}
	var s workers.Stats
	o.Pool.Stats(&s)
	switch here := bubble.Here(); {
	case here && !s.Virtual:
		panic("frame: New with Options.Pool from outside of the testing/synctest bubble")
	case s.Virtual && !here:
		panic("frame: New with Options.Pool from within a testing/synctest bubble, outside of it")
	}
}

// mustBePhase panics if p is no phase, before the call changes the loop.
func mustBePhase(who string, p scheduler.Phase) {
	if all := scheduler.Phases(); !slices.Contains(all[:], p) {
		panic(fmt.Sprintf("frame: %s with an invalid Phase(%d)", who, uint8(p)))
	}
}

// checkInterval panics if d is too short for an interval. So few nanoseconds were meant as a rate, or as milliseconds.
func checkInterval(who string, d time.Duration) {
	if d == 0 || d >= leastInterval {
		return
	}
	hint := ""
	if d > 0 && d <= 1000 {
		hint = fmt.Sprintf(" (%[1]d times a second is time.Second / %[1]d, %[1]d ms is %[1]d * time.Millisecond)",
			int64(d))
	}
	panic(fmt.Sprintf("frame: %s %v, less than %v%s", who, d, leastInterval, hint))
}
