package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Pulses whose calls and edges lie between slices, which hear of both at once.

// pulse is a Debounce or a Throttle.
type pulse interface{ Call() }

// pulses are one of each kind.
func pulses(wait time.Duration, s *scheduler.Scheduler, f func(kind string)) (all []pulse, kinds []string) {
	debounce := func(kind string, o scheduler.DebounceOptions) {
		o.Wait = wait
		all, kinds = append(all, scheduler.NewDebounce(s, o, func() { f(kind) })), append(kinds, kind)
	}
	throttle := func(kind string, o scheduler.ThrottleOptions) {
		o.Wait = wait
		all, kinds = append(all, scheduler.NewThrottle(s, o, func() { f(kind) })), append(kinds, kind)
	}
	debounce("debounce, trailing", scheduler.DebounceOptions{})
	debounce("debounce, both", scheduler.DebounceOptions{Leading: true})
	debounce("debounce, leading", scheduler.DebounceOptions{Leading: true, NoTrailing: true})
	throttle("throttle, trailing", scheduler.ThrottleOptions{NoLeading: true})
	throttle("throttle, both", scheduler.ThrottleOptions{})
	throttle("throttle, leading", scheduler.ThrottleOptions{NoTrailing: true})
	return all, kinds
}

// The edge was after the last slice and before the call: no call is lost, and no burst goes on for ever, because the
// frame goroutine hears of the call in the slice that looks at the edge.
func TestPulseWhoseEdgeWasBetweenSlices(t *testing.T) {
	for _, c := range []struct {
		wait, every int // of the calls
		want        map[string]string
	}{
		{100, 112, map[string]string{
			"debounce, trailing": "[113 225 337]", "throttle, trailing": "[113 225]",
			"debounce, both": "[1 113 225]", "throttle, both": "[1 113 225]",
			"debounce, leading": "[1 113 225]", "throttle, leading": "[1 113 225]",
		}},
		{100, 48, map[string]string{ // a throttle without a trailing edge waits for the call after Wait
			"debounce, trailing": "[401]", "throttle, trailing": "[113 225 337]",
			"debounce, both": "[1 401]", "throttle, both": "[1 113 225 337]",
			"debounce, leading": "[1]", "throttle, leading": "[1 145 289]",
		}},
		{10, 96, map[string]string{
			"debounce, trailing": "[17 113 209 305]", "throttle, trailing": "[17 113 209 305]",
			"debounce, both": "[1 97 193 289]", "throttle, both": "[1 97 193 289]",
			"debounce, leading": "[1 97 193 289]", "throttle, leading": "[1 97 193 289]",
		}},
	} {
		s, now := virtual(t, scheduler.Options{})
		start := *now
		ran := map[string][]int{}
		all, kinds := pulses(time.Duration(c.wait)*ms, s, func(kind string) {
			ran[kind] = append(ran[kind], int(now.Sub(start)/ms))
		})
		for at := range 420 { // a frame is 16 ms, and calls come 1 ms before the slice
			*now = start + deadline.Instant(at)*deadline.Instant(ms)
			if at%c.every == 0 && at < 300 {
				for _, p := range all {
					p.Call()
				}
			}
			if at%16 == 1 {
				s.RunUntil(deadline.Deadline{})
			}
		}
		for _, kind := range kinds {
			if got := fmt.Sprint(ran[kind]); got != c.want[kind] {
				t.Errorf("%s, a call every %d ms, Wait %d ms: ran at %s, want %s", kind, c.every, c.wait, got,
					c.want[kind])
			}
		}
	}
}

// The same in a Debounce whose calls go on: they come every 9 ms and slices every 18, so each slice is later than Wait
// after the last call that the one before has heard of.
func TestDebounceOfCallsBetweenSlices(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	ran := map[string]int{}
	all, _ := pulses(10*ms, s, func(kind string) { ran[kind]++ })
	for at := range 200 {
		*now += deadline.Instant(ms)
		if at%9 == 0 {
			for _, p := range all {
				p.Call()
			}
		}
		if at%18 == 17 {
			s.RunUntil(deadline.Deadline{})
		}
	}
	if ran["debounce, trailing"] != 0 || ran["debounce, both"] != 1 || ran["debounce, leading"] != 1 {
		t.Error("one burst was taken for several:", ran)
	}
}

// A clock that goes back stands still for that moment, also for one that was ahead when nobody but a call looked.
func TestPulseOfAClockThatGoesBack(t *testing.T) {
	for _, name := range []string{"a slice", "a call", "nobody"} {
		s, now := virtual(t, scheduler.Options{})
		*now += deadline.Instant(24 * time.Hour)
		ran := map[string]int{}
		all, kinds := pulses(30*ms, s, func(kind string) { ran[kind]++ })
		calls := func() {
			for _, p := range all {
				p.Call()
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
		for _, kind := range kinds {
			if before[kind] == 0 || ran[kind] != before[kind]+1 {
				t.Errorf("%s saw the clock ahead: %s ran %d times, and then %d", name, kind, before[kind], ran[kind])
			}
		}
	}
}

// Without a trailing edge MaxWait lets the next call of a burst run the function.
func TestMaxWaitWithoutATrailingEdge(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	start := *now
	var ran []time.Duration
	o := scheduler.DebounceOptions{Wait: 30 * ms, MaxWait: 50 * ms, Leading: true, NoTrailing: true}
	d := scheduler.NewDebounce(s, o, func() { ran = append(ran, now.Sub(start)) })
	for range 13 {
		d.Call()
		s.RunUntil(deadline.Deadline{})
		*now += deadline.Instant(20 * ms)
	}
	if got := fmt.Sprint(ran); got != "[0s 60ms 120ms 180ms 240ms]" {
		t.Error("ran at", got)
	}
}
