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
	wait, most        int
	leading, trailing bool
	throttle          bool

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
		limit := !p.throttle && p.most > 0 && now >= p.ran+p.most
		period := p.throttle && now >= p.ran+p.wait
		if pause || limit || period {
			runs := p.trailing && p.for_ < len(p.calls)
			if runs {
				n++
			}
			p.for_, p.ran = len(p.calls), now
			if pause || period && !runs || limit && !p.trailing {
				p.begun = -1
			}
		}
	}
	if call {
		p.calls = append(p.calls, now)
		if p.begun < 0 {
			p.begun, p.ran = now, now
			if p.leading {
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
		if !ref.throttle {
			ref.most = rapid.IntRange(0, 12).Draw(rt, "most")
		}
		ref.leading, ref.trailing = rapid.Bool().Draw(rt, "leading"), rapid.Bool().Draw(rt, "trailing")
		ref.trailing = ref.trailing || !ref.leading
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
	wait, most := time.Duration(p.wait)*ms, time.Duration(p.most)*ms
	if p.throttle {
		o := flow.ThrottleOptions{Wait: wait, NoLeading: !p.leading, NoTrailing: !p.trailing}
		return flow.NewThrottle(s, o, f).Call
	}
	o := flow.DebounceOptions{Wait: wait, MaxWait: most, Leading: p.leading, NoTrailing: !p.trailing}
	return flow.NewDebounce(s, o, f).Call
}

// Calls come every 6 ms, frames every 8 ms, and the runs take 1 ms.
func TestPulseTimelines(t *testing.T) {
	inBubble(t, scheduler.Options{}, func(s *scheduler.Scheduler) {
		start, runs := time.Now(), log{}
		run := func(name string) func() {
			return func() {
				runs.add(fmt.Sprint(name, "@", time.Since(start).Milliseconds()))()
				time.Sleep(ms)
			}
		}
		debounce := flow.NewDebounce(s, flow.DebounceOptions{Wait: 12 * ms}, run("last"))
		limited := flow.NewDebounce(s, flow.DebounceOptions{Wait: 12 * ms, MaxWait: 24 * ms, Leading: true}, run("max"))
		throttle := flow.NewThrottle(s, flow.ThrottleOptions{Wait: 16 * ms}, run("least"))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 8 {
				debounce.Call()
				limited.Call()
				throttle.Call()
				time.Sleep(6 * ms)
			}
		}()
		synctest.Wait()
		frames(s, 11)
		<-done
		runs.want(t, "max@0 least@1 least@16 max@24 least@32 max@48 least@49 last@56")
	})
}

// frames are n frames of 8 ms, with slices of 4 ms.
func frames(s *scheduler.Scheduler, n int) {
	for range n {
		begin := time.Now()
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.In(4 * ms))
		time.Sleep(8*ms - time.Since(begin))
	}
}

func TestCancelAndFlushOfAPulse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		runs := 0
		d := flow.NewDebounce(s, flow.DebounceOptions{Wait: 10 * ms}, func() { runs++ })
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
		th := flow.NewThrottle(s, flow.ThrottleOptions{Wait: 10 * ms}, func() { runs += 10 })
		th.Call()
		expect("leading", 12)
		th.Call()
		th.Flush()
		expect("flush of a throttle", 22)
		time.Sleep(9 * ms)
		th.Call()
		expect("the flush began a period", 22)
		th.Cancel()
		th.Call()
		expect("a cancel ends it", 32)
	})
}

// Calls of many goroutines, cancels and panics in between: the last call is always followed by a run.
func TestStressPulse(t *testing.T) {
	s := scheduler.New(scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
	defer s.Close()
	runs := 0
	th := flow.NewThrottle(s, flow.ThrottleOptions{Wait: time.Microsecond}, func() {
		if runs++; runs%3 == 0 {
			panic("a run's")
		}
	})
	for range 20 {
		var g sync.WaitGroup
		for p := range 4 {
			g.Go(func() {
				for i := range 100 {
					th.Call()
					if p == 0 && i%10 == 0 {
						th.Cancel()
					}
				}
			})
		}
		runWhile(s, &g, func() {})
		th.Call()
		for before := runs; runs == before; {
			s.RunUntil(deadline.Deadline{})
			runtime.Gosched()
		}
	}
}

func TestPulseCallAllocatesNothing(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	th := flow.NewThrottle(s, flow.ThrottleOptions{Wait: time.Nanosecond}, func() {})
	if n := testing.AllocsPerRun(200, func() {
		for range 5 {
			th.Call()
		}
		s.RunUntil(deadline.Deadline{})
	}); n != 0 && !raceEnabled {
		t.Errorf("%v allocations", n)
	}
}
