package frame

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/internal/bubble"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// New checks its options before it makes anything that must be closed.

// check panics if a field has an invalid value.
func (o *Options) check() {
	switch {
	case o.Placement > PlaceShadow:
		panic(fmt.Sprintf("frame: New with an invalid Options.Placement: %d", o.Placement))
	case o.Scheduler.Clock != nil:
		panic("frame: New with Options.Scheduler.Clock: a Loop goes by the system's clock")
	}
	if o.Timeline > 1<<20 {
		panic(fmt.Sprintf("frame: New with Options.Timeline of %d, more than %d", o.Timeline, 1<<20))
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
	if p > scheduler.AfterDraw {
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
