package flow_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// Pulses whose calls and edges lie between slices, which hear of both at once.

// pulses are one of each kind.
func pulses(wait time.Duration, s *scheduler.Scheduler, f func(kind string)) map[string]func() {
	return map[string]func(){
		"debounce": flow.NewDebounce(s, deadline.Normal, wait, func() { f("debounce") }).Call,
		"throttle": flow.NewThrottle(s, deadline.Normal, wait, func() { f("throttle") }).Call,
	}
}

// The edge was after the last slice and before the call: no call is lost, and no burst continues for ever, because the
// frame goroutine hears of the call in the slice that looks at the edge.
func TestPulseWhoseEdgeWasBetweenSlices(t *testing.T) {
	for _, c := range []struct {
		wait, every int // of the calls
		slice       int // a frame; a call comes 1 ms before it at times
		want        map[string]string
	}{
		{100, 112, 16, map[string]string{"debounce": "[113 225 337]", "throttle": "[1 113 225]"}},
		{100, 48, 16, map[string]string{"debounce": "[401]", "throttle": "[1 113 225 337]"}},
		{10, 96, 16, map[string]string{"debounce": "[17 113 209 305]", "throttle": "[1 97 193 289]"}},
		// Each slice is later than Wait after the last call that the one before has heard of: still one burst.
		{10, 9, 18, map[string]string{
			"debounce": "[307]", "throttle": "[1 19 37 55 73 91 109 127 145 163 181 199 217 235 253 271 289 307]",
		}},
	} {
		s, now := virtual(t, scheduler.Options{})
		start := *now
		ran := map[string][]int{}
		all := pulses(time.Duration(c.wait)*ms, s, func(kind string) {
			ran[kind] = append(ran[kind], int(now.Sub(start)/ms))
		})
		for at := range 420 {
			*now = start + deadline.Instant(at)*deadline.Instant(ms)
			if at%c.every == 0 && at < 300 {
				for _, call := range all {
					call()
				}
			}
			if at%c.slice == 1 {
				s.RunUntil(deadline.Deadline{})
			}
		}
		for kind := range all {
			if got := fmt.Sprint(ran[kind]); got != c.want[kind] {
				t.Errorf("%s, a call every %d ms, Wait %d ms: ran at %s, want %s", kind, c.every, c.wait, got,
					c.want[kind])
			}
		}
	}
}

// A clock that goes back stands still for that moment, also for one that was ahead when nobody but a call looked.
func TestPulseOfAClockThatGoesBack(t *testing.T) {
	for _, name := range []string{"a slice", "a call", "nobody"} {
		s, now := virtual(t, scheduler.Options{})
		*now += deadline.Instant(24 * time.Hour)
		ran := map[string]int{}
		all := pulses(30*ms, s, func(kind string) { ran[kind]++ })
		calls := func() {
			for _, call := range all {
				call()
			}
		}
		frames := func(n int) {
			for range n {
				s.RunUntil(deadline.Deadline{})
				*now += deadline.Instant(10 * ms)
			}
		}
		calls()
		frames(1)
		*now += deadline.Instant(time.Hour)
		switch name {
		case "a slice":
			frames(1)
		case "a call":
			calls()
		}
		*now -= deadline.Instant(time.Hour)
		frames(8)
		before := map[string]int{}
		for kind, n := range ran {
			before[kind] = n
		}
		calls()
		frames(8)
		for kind := range all {
			if before[kind] == 0 || ran[kind] != before[kind]+1 {
				t.Errorf("%s saw the clock ahead: %s ran %d times, and then %d", name, kind, before[kind], ran[kind])
			}
		}
	}
}

// interrupted has *during, once it is set, go before the clock's next reading but one: what is read is older than it.
func interrupted(t *testing.T) (s *scheduler.Scheduler, now *deadline.Instant, during *func()) {
	now, during = new(deadline.Instant(1)), new(func())
	s = scheduler.New(scheduler.Options{Clock: func() deadline.Instant {
		read := *now
		if f := *during; f != nil {
			*during = nil
			f()
		}
		return read
	}})
	t.Cleanup(s.Close)
	return s, now, during
}

// A caller that is interrupted behind its reading of the clock does not make a later call older than it is.
func TestPulseOfACallInterruptedByALaterOne(t *testing.T) {
	s, now, during := interrupted(t)
	start := *now
	ran := map[string][]int{}
	all := pulses(100*ms, s, func(kind string) { ran[kind] = append(ran[kind], int(now.Sub(start)/ms)) })
	for at := range 320 {
		*now = start + deadline.Instant(at)*deadline.Instant(ms)
		for _, call := range all {
			switch at {
			case 0, 60:
				call()
			case 112:
				*now -= deadline.Instant(20 * ms)
				*during = func() { *now += deadline.Instant(20 * ms); call() }
				call()
			}
		}
		if at == 0 || at >= 113 {
			s.RunUntil(deadline.Deadline{})
		}
	}
	for kind, want := range map[string]string{"debounce": "[212]", "throttle": "[0 113]"} {
		if got := fmt.Sprint(ran[kind]); got != want {
			t.Errorf("%s ran at %s, want %s", kind, got, want)
		}
	}
}

// A call of a burst comes while the slice that looks is interrupted, wherever that reads the clock, and another one
// before that slice looks again.
func TestDebounceCalledWhileASliceReadsTheClock(t *testing.T) {
	for k := range 100 {
		s, now, during := interrupted(t)
		ran, reads, came, late := 0, 0, false, false
		d := flow.NewDebounce(s, deadline.Normal, 20*ms, func() { ran++ })
		d.Call() // at 0, 17 and 36 ms
		*now += deadline.Instant(16 * ms)
		s.Post(deadline.Immediate, func() {
			late = !came
			*now += deadline.Instant(19 * ms)
			d.Call()
		})
		var next func()
		next = func() {
			if reads++; reads <= k {
				*during = next
				return
			}
			came = true
			*now += deadline.Instant(ms)
			d.Call()
		}
		*during = next
		s.RunUntil(deadline.Deadline{})
		if late {
			return
		}
		if ran != 0 {
			t.Errorf("interrupted at reading %d: one burst was taken for two", k)
		}
	}
	t.Error("a slice that does not end")
}

// The clock of the scheduler is where a goroutine comes in between: a Cancel comes while the timer or the look, which
// has answered, is about to queue the run.
func TestCancelWhileTheRunIsQueued(t *testing.T) {
	for k := range 50 {
		now := deadline.Instant(1)
		reads, between := 0, func() {}
		s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant {
			if reads++; reads == k {
				between()
			}
			return now
		}})
		ran, canceled := 0, 0
		d := flow.NewDebounce(s, deadline.Normal, ms, func() { ran++ })
		d.Call()
		s.RunUntil(deadline.Deadline{})
		now = now.Add(time.Second)
		reads, between = 0, func() { d.Cancel(); canceled = ran }
		s.RunUntil(deadline.Deadline{})
		if between = func() {}; reads >= k && k > 0 && ran != canceled {
			t.Errorf("at reading %d: the function ran after Cancel, and there was no call", k)
		}
		d.Call()
		s.RunUntil(deadline.Deadline{})
		now = now.Add(time.Second)
		before := ran
		if s.RunUntil(deadline.Deadline{}); ran != before+1 {
			t.Errorf("at reading %d: %d runs for one call after Cancel", k, ran-before)
		}
		s.Close()
	}
}
