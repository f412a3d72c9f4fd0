package scheduler_test

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
		o := scheduler.ThrottleOptions{Wait: wait, NoLeading: !p.leading, NoTrailing: !p.trailing}
		return scheduler.NewThrottle(s, o, f).Call
	}
	o := scheduler.DebounceOptions{Wait: wait, MaxWait: most, Leading: p.leading, NoTrailing: !p.trailing}
	return scheduler.NewDebounce(s, o, f).Call
}

// Calls are c, frames come every 5 ms, and the runs take 1 ms.
func TestPulseTimelines(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		debounce := scheduler.NewDebounce(w.s, scheduler.DebounceOptions{Wait: 12 * ms}, w.work("last", ms))
		limited := scheduler.NewDebounce(w.s, scheduler.DebounceOptions{Wait: 12 * ms, MaxWait: 24 * ms, Leading: true},
			w.work("max", ms))
		throttle := scheduler.NewThrottle(w.s, scheduler.ThrottleOptions{Wait: 16 * ms}, w.work("least", ms))
		calls := w.row("calls")
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 8 {
				from := time.Now()
				debounce.Call()
				limited.Call()
				throttle.Call()
				time.Sleep(6 * ms)
				w.mark(calls, from, 'c')
				calls.line = append([]byte(strings.ReplaceAll(string(calls.line), "cccccc", "c.....")), []byte{}...)
			}
		}()
		synctest.Wait()
		for range 11 {
			w.frame(4 * ms)
		}
		<-done
		w.rows = w.rows[1:] // without the slices
		w.want(`
			last  |                                                        #
			max   |#                       #                       #
			least | #              #               #                #
			calls |c.....c.....c.....c.....c.....c.....c.....c.....
		`)
	})
}

func TestCancelAndFlushOfAPulse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		runs := 0
		d := scheduler.NewDebounce(s, scheduler.DebounceOptions{Wait: 10 * ms}, func() { runs++ })
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
		th := scheduler.NewThrottle(s, scheduler.ThrottleOptions{Wait: 10 * ms}, func() { runs += 10 })
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
	th := scheduler.NewThrottle(s, scheduler.ThrottleOptions{Wait: time.Microsecond}, func() {
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
	th := scheduler.NewThrottle(s, scheduler.ThrottleOptions{Wait: time.Nanosecond}, func() {})
	if n := testing.AllocsPerRun(200, func() {
		for range 5 {
			th.Call()
		}
		s.RunUntil(deadline.Deadline{})
	}); n != 0 && !scheduler.RaceEnabled {
		t.Errorf("%v allocations", n)
	}
}

// A bucket that is filled step by step.
func TestRateLimitMatchesABucket(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		every, burst := rapid.IntRange(1, 7).Draw(rt, "every"), rapid.IntRange(1, 5).Draw(rt, "burst")
		wants := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 80).Draw(rt, "wants")
		synctest.Test(t, func(*testing.T) {
			r := scheduler.RateLimit{Every: time.Duration(every) * ms, Burst: burst}
			tokens := burst * every // in parts of 1/every
			for now, n := range wants {
				for range n {
					want := tokens >= every
					if want {
						tokens -= every
					}
					if got := r.Allow(); got != want {
						rt.Fatalf("at %d: %v, want %v", now, got, want)
					}
				}
				time.Sleep(ms)
				tokens = min(tokens+1, burst*every)
			}
		})
	})
}

func TestRateLimitTimeline(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		r := &scheduler.RateLimit{Every: 10 * ms, Burst: 2, MaxDelay: 25 * ms}
		full := 0
		for range 5 {
			if _, err := r.Post(w.s, deadline.Normal, w.work("post", ms)); err != nil {
				full++
			}
		}
		work := w.work("co", ms)
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			for range 2 {
				r.Wait(co)
				work()
			}
		})
		for range 8 {
			w.frame(4 * ms)
		}
		w.rows = w.rows[1:]
		w.want(`
			post  |##              #       #
			co    |                                #       #
		`)
		if full != 1 {
			t.Error(full, "refused")
		}
	})
}
