package scheduler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func TestTimesOfEachPriority(t *testing.T) {
	o := scheduler.Options{Times: true}
	o.Timeouts.UserBlocking = 5 * ms
	inWorld(t, o, func(w *world) {
		var times scheduler.Times
		want := func(text string) {
			t.Helper()
			if !w.s.ReadTimes(&times) {
				t.Fatal("there are no times")
			}
			text = strings.ReplaceAll(strings.TrimLeft(text, "\n"), "\t", "")
			if got := times.String(); got != text {
				t.Errorf("times:\n%swant:\n%s", got, text)
			}
		}
		w.s.Post(deadline.UserBlocking, func() { time.Sleep(8 * ms) })
		w.s.Submit(&scheduler.Task{Priority: deadline.UserBlocking, Func: func() { time.Sleep(2 * ms) }})
		w.s.Go(deadline.Low, func(co *scheduler.Co) {
			time.Sleep(ms)
			co.Yield()
			time.Sleep(3 * ms)
			co.Sleep(4 * ms)
		})
		w.s.Post(deadline.Idle, func() {})
		w.s.WhenIdle(0, func(scheduler.IdleTime) { time.Sleep(time.Second) }) // does not count
		w.s.Microtask(func() { time.Sleep(7 * ms) })                          // nor does this
		for range 2 {
			w.s.RunUntil(deadline.Deadline{})
			time.Sleep(9 * ms)
		}
		w.drain()
		want(`
			priority          runs | wait p50     p99     max | late p50     p99     max |  run p50     p99     max
			user-blocking        2 |    7.078  15.000  15.000 |    2.032  10.000  10.000 |    2.032   8.000   8.000
			low                  3 |   17.302 996.000 996.000 |    0.000   0.000   0.000 |    1.016   3.000   3.000
			idle                 1 |   21.000  21.000  21.000 |    0.000   0.000   0.000 |    0.000   0.000   0.000
		`)
		w.s.ResetTimes()
		w.s.Post(deadline.Immediate, func() { time.Sleep(ms) })
		w.drain()
		want(`
			priority          runs | wait p50     p99     max | late p50     p99     max |  run p50     p99     max
			immediate            1 |    0.000   0.000   0.000 |    0.000   0.000   0.000 |    1.000   1.000   1.000
		`)
	})
}

func TestNoTimesWithoutTheOption(t *testing.T) {
	s := scheduler.New(scheduler.Options{Events: 1})
	defer s.Close()
	s.ResetTimes()
	if s.ReadTimes(nil) {
		t.Error("there are times")
	}
}

func TestTimesAllocateNothing(t *testing.T) {
	if scheduler.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	s := scheduler.New(scheduler.Options{Times: true})
	defer s.Close()
	into := new(scheduler.Times)
	f := func() {
		s.Post(deadline.Normal, nop)
		s.RunUntil(deadline.In(time.Second))
		s.ReadTimes(into)
		into.Wait[0].Quantile(0.99)
	}
	f()
	if a := testing.AllocsPerRun(100, f); a > 0 {
		t.Errorf("%v allocations", a)
	}
}

func BenchmarkPostAndRunWithTimes(b *testing.B) {
	s := scheduler.New(scheduler.Options{Times: true})
	defer s.Close()
	perTask(b, 100, func() {
		for range 100 {
			s.Post(deadline.Normal, nop)
		}
		run(b, s, 100)
	})
}

func BenchmarkReadTimes(b *testing.B) {
	s := scheduler.New(scheduler.Options{Times: true})
	defer s.Close()
	into := new(scheduler.Times)
	for b.Loop() {
		s.ReadTimes(into)
	}
}

func ExampleScheduler_ReadTimes() {
	s := scheduler.New(scheduler.Options{Times: true})
	defer s.Close()
	for range 10 {
		s.Post(deadline.Normal, func() {})
	}
	s.RunUntil(deadline.In(time.Second))
	var times scheduler.Times
	s.ReadTimes(&times)
	wait := &times.Wait[deadline.Normal.Lane()]
	fmt.Println(wait.Count(), "runs; one in 100 waited over 10 ms:", wait.Quantile(0.99) > 10*time.Millisecond)
	// Output:
	// 10 runs; one in 100 waited over 10 ms: false
}

// The error of a prediction is by how much a run was longer, or shorter, than what admitted it.
func TestTimesHavePredictionErrors(t *testing.T) {
	s, now := virtual(t, scheduler.Options{Times: true})
	for _, cost := range []time.Duration{3 * ms, 5 * ms, 4 * ms} {
		s.Submit(&scheduler.Task{Cost: 4 * ms, Func: func() { *now += deadline.Instant(cost) }})
	}
	s.Post(deadline.Low, nop) // of an unknown kind
	s.RunUntil(deadline.Deadline{})
	var times scheduler.Times
	s.ReadTimes(&times)
	over, under := &times.Over[deadline.Normal.Lane()], &times.Under[deadline.Normal.Lane()]
	if over.Count() != 3 || over.Max() != ms || under.Max() != ms || over.Mean() != ms/3 {
		t.Errorf("%d, at most %v more and %v less", over.Count(), over.Max(), under.Max())
	}
	if n := times.Over[deadline.Low.Lane()].Count(); n != 0 {
		t.Errorf("%d errors of what was not predicted", n)
	}
}
