package frame

import (
	"fmt"
	"math"
	"time"

	"github.com/frameslice/frameslice/internal/bubble"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// What New and the like refuse: before there is anything that would have to be closed.

// leastInterval is the least Options.Interval: what is less was meant in another unit, or for another field.
const leastInterval = 50 * time.Microsecond

// check panics if a field has a value that it cannot have.
func (o *Options) check() {
	switch {
	case o.Placement > PlaceShadow:
		panic(fmt.Sprintf("frame: New with an invalid Options.Placement: %d", o.Placement))
	case o.Thread > ThreadPrompt:
		panic(fmt.Sprintf("frame: New with an invalid Options.Thread: %d", o.Thread))
	case o.Wait > WaitTimer:
		panic(fmt.Sprintf("frame: New with an invalid Options.Wait: %d", o.Wait))
	case o.Scheduler.Clock != nil:
		panic("frame: New with Options.Scheduler.Clock: a Loop goes by the system's clock")
	case o.Tick < 0:
		panic(fmt.Sprintf("frame: New with Options.Tick of %v, less than 0", o.Tick))
	}
	o.checkPool()
	checkInterval("New with Options.Interval of", o.Interval)
	o.Pressure.check()
}

// checkPool panics if the loop and the pool that it is to share live in different times: the workers of the one could
// not wake the other's goroutines, which the runtime refuses by the end of the program.
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

func (o PressureOptions) check() {
	const who = "frame: New with Options.Pressure."
	for _, f := range []struct {
		name string
		load float64
	}{{"High", o.High}, {"Low", o.Low}} {
		if !(f.load >= 0 && f.load <= 1) { // NaN too
			panic(fmt.Sprintf("%s%s of %v, which is not from 0 to 1", who, f.name, f.load))
		}
	}
	switch d := o.withDefaults(); {
	case d.Low > d.High:
		panic(fmt.Sprintf("%sLow of %v, more than High, %v", who, d.Low, d.High))
	case o.Levels > math.MaxInt32:
		panic(fmt.Sprintf("%sLevels of %d, more than 1<<31 - 1", who, o.Levels))
	case o.Depth < 0:
		panic(fmt.Sprintf("%sDepth of %d, less than 0", who, o.Depth))
	case o.Rise < 0:
		panic(fmt.Sprintf("%sRise of %v, less than 0", who, o.Rise))
	case o.Fall < 0:
		panic(fmt.Sprintf("%sFall of %v, less than 0", who, o.Fall))
	}
}

// mustBePhase panics if p is none: the loop is not to be changed by what the scheduler refuses.
func mustBePhase(who string, p scheduler.Phase) {
	if p > scheduler.AfterDraw {
		panic(fmt.Sprintf("frame: %s with an invalid Phase(%d)", who, uint8(p)))
	}
}
