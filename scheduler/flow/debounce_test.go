package flow_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// naivePulse answers the question by looking at all the calls so far, each ms anew.
type naivePulse struct {
	wait     int
	throttle bool

	calls []int
	begun int // of the burst or period, -1 for none
	ran   int // the last edge in it, or its begin
	for_  int // how many calls have been run for
}

// at returns whether the function runs at now, at which there is a call or not: an edge goes before a call.
func (p *naivePulse) at(now int, call bool) (n int) {
	if p.begun >= 0 {
		last := p.calls[len(p.calls)-1]
		pause := !p.throttle && now >= last+p.wait
		period := p.throttle && now >= p.ran+p.wait
		if pause || period {
			runs := p.for_ < len(p.calls)
			if runs {
				n++
			}
			p.for_, p.ran = len(p.calls), now
			if pause || period && !runs {
				p.begun = -1
			}
		}
	}
	if call {
		p.calls = append(p.calls, now)
		if p.begun < 0 {
			p.begun, p.ran = now, now
			if p.throttle {
				n++
				p.for_ = len(p.calls)
			} else {
				p.for_ = len(p.calls) - 1
			}
		}
	}
	return n
}

func TestPulsesMatchTheirDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ref := &naivePulse{begun: -1, wait: rapid.IntRange(1, 8).Draw(rt, "wait")}
		ref.throttle = rapid.Bool().Draw(rt, "throttle")
		calls := rapid.SliceOfN(rapid.Bool(), 0, 60).Draw(rt, "calls")
		var got, want []string
		synctest.Test(t, func(*testing.T) {
			s := scheduler.New(scheduler.Options{})
			defer s.Close()
			now := 0
			f := func() { got = append(got, fmt.Sprint(now)) }
			call := ref.make(s, f)
			for ; now < len(calls)+30; now++ {
				s.RunUntil(deadline.Deadline{}) // a slice before, so that the edge is as in the definition
				c := now < len(calls) && calls[now]
				if c {
					call()
				}
				s.RunUntil(deadline.Deadline{})
				for range ref.at(now, c) {
					want = append(want, fmt.Sprint(now))
				}
				time.Sleep(ms)
			}
		})
		if strings.Join(got, " ") != strings.Join(want, " ") {
			rt.Fatalf("ran at %v, want %v", got, want)
		}
	})
}

func (p *naivePulse) make(s *scheduler.Scheduler, f func()) (call func()) {
	wait := time.Duration(p.wait) * ms
	if p.throttle {
		return flow.NewThrottle(s, deadline.Normal, wait, f).Call
	}
	return flow.NewDebounce(s, deadline.Normal, wait, f).Call
}

func TestCancelAndFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		runs := 0
		d := flow.NewDebounce(s, deadline.Normal, 10*ms, func() { runs++ })
		expect := func(when string, n int) {
			t.Helper()
			s.RunUntil(deadline.Deadline{})
			if runs != n {
				t.Errorf("%s: %d runs, want %d", when, runs, n)
			}
		}
		d.Flush()
		expect("flush of nothing", 0)
		d.Call()
		d.Flush()
		expect("flush at once", 1)
		time.Sleep(20 * ms)
		expect("the edge that was flushed", 1)
		d.Call()
		expect("wait", 1)
		d.Cancel()
		time.Sleep(20 * ms)
		expect("cancel", 1)
		d.Call()
		d.Cancel()
		d.Call()
		time.Sleep(10 * ms)
		expect("a call after a cancel counts, from when it was made", 2)
		d.Call()
		d.Flush()
		d.Call()
		expect("a call after a flush, in the same slice", 3)
		time.Sleep(20 * ms)
		expect("its run", 4)
	})
}

// Calls of many goroutines, cancels and panics in between: the last call is always followed by a run.
func TestStressPulse(t *testing.T) {
	s := scheduler.New(scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
	defer s.Close()
	runs := 0
	f := func() {
		if runs++; runs%3 == 0 {
			panic("a run's")
		}
	}
	throttle := flow.NewThrottle(s, deadline.Normal, time.Microsecond, f)
	debounce := flow.NewDebounce(s, deadline.Normal, time.Microsecond, f)
	for round := range 20 {
		call, cancel := throttle.Call, func() {}
		if round%2 == 0 {
			call, cancel = debounce.Call, debounce.Cancel
		}
		var g sync.WaitGroup
		for p := range 4 {
			g.Go(func() {
				for i := range 100 {
					call()
					if p == 0 && i%10 == 0 {
						cancel()
					}
				}
			})
		}
		runWhile(s, &g, func() {})
		call()
		for before := runs; runs == before; {
			s.RunUntil(deadline.Deadline{})
			runtime.Gosched()
		}
	}
}

// Behind more work than there is time for, a function waits for its turn once, as if it were posted at its edge.
func TestAPulseWaitsForItsTurnOnce(t *testing.T) {
	wait := func(call func(s *scheduler.Scheduler, f func())) (slice int) {
		s, now := virtual(t, scheduler.Options{})
		work := func() { *now += deadline.Instant(10 * time.Microsecond) }
		for range 1000 {
			s.Post(deadline.Normal, work)
		}
		s.RunUntil(deadline.At(now.Add(ms)))
		ran := false
		call(s, func() { ran = true })
		for ; !ran && slice < 100; slice++ {
			s.RunUntil(deadline.At(now.Add(ms)))
			for range 100 {
				s.Post(deadline.Normal, work)
			}
		}
		return slice
	}
	posted := wait(func(s *scheduler.Scheduler, f func()) { s.Post(deadline.Normal, f) })
	for _, name := range []string{"throttle", "debounce"} {
		slice := wait(func(s *scheduler.Scheduler, f func()) {
			pulses(time.Microsecond, s, func(string) { f() })[name]()
		})
		if slice > posted+1 {
			t.Errorf("posted it runs in slice %d, of a %s in %d", posted, name, slice)
		}
	}
}
