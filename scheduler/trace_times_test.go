package scheduler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/scheduler"
)

func TestNoTimesWithoutTheOption(t *testing.T) {
	s := scheduler.New(scheduler.Options{OnEvent: func(scheduler.Event) {}})
	defer s.Close()
	bridge.Of(s).ResetTimes()
	s.Post(deadline.Low, sleepy)
	s.RunUntil(deadline.Deadline{})
	if s.ReadTimes(nil) || costs(s) != "" {
		t.Error("there are times, or costs")
	}
}

func ExampleScheduler_ReadTimes() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	bridge.Of(s).KeepTimes() // as a loop's Options.Profile does
	for range 10 {
		s.Submit(&scheduler.Task{Label: "commit", Func: func() {}})
	}
	s.RunUntil(deadline.In(time.Second))
	var times scheduler.Times
	s.ReadTimes(&times)
	wait := &times.Wait[deadline.Normal.Lane()]
	fmt.Println(wait.Count(), "runs; one in 100 waited a second:", wait.Percentile(99) > time.Second)
	for _, kind := range times.Kinds {
		fmt.Println(kind.Kind, kind.Runs, "runs; one took a second:", kind.Max > time.Second)
	}
	// Output:
	// 10 runs; one in 100 waited a second: false
	// commit 10 runs; one took a second: false
}

// costs renders what a scheduler knows of its kinds, but for the path of functions.
func costs(s *scheduler.Scheduler) string {
	var b strings.Builder
	var times scheduler.Times
	s.ReadTimes(&times)
	for _, c := range times.Kinds {
		fmt.Fprintf(&b, "%s %d %v %v; ", c.Kind[strings.LastIndexByte(c.Kind, '.')+1:], c.Runs, c.Total, c.Max)
	}
	return b.String()
}

func sleepy() { time.Sleep(3 * ms) }

func TestCostsOfEachKind(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		bridge.Of(w.s).KeepTimes()
		for _, d := range []time.Duration{ms, 5 * ms, 2 * ms} {
			w.s.Submit(&scheduler.Task{Label: "path", Func: func() { time.Sleep(d) }})
		}
		w.s.Submit(&scheduler.Task{Label: "declared", Cost: time.Second, Func: func() { time.Sleep(4 * ms) }})
		w.s.Post(deadline.Low, sleepy)
		w.s.Post(deadline.Normal, sleepy)
		w.s.Submit(&scheduler.Task{Label: "two runs", Co: func(co *scheduler.Co) {
			time.Sleep(ms)
			co.Yield()
			time.Sleep(20 * ms)
		}})
		w.s.WhenIdle(0, func(deadline.Deadline, bool) { time.Sleep(time.Second) }) // does not count
		w.drain()
		const want = "two runs 2 21ms 20ms; path 3 8ms 5ms; sleepy 2 6ms 3ms; declared 1 4ms 4ms; "
		if got := costs(w.s); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		var read scheduler.Times
		w.s.ReadTimes(&read)
		if c := read.Kinds[1]; c.Kind != "path" || c.Expected < ms {
			t.Errorf("read %+v", c)
		}
		bridge.Of(w.s).ResetTimes()
		if got := costs(w.s); got != "" {
			t.Errorf("after a reset %s", got)
		}
		w.s.Post(deadline.Low, sleepy)
		w.drain()
		if got := costs(w.s); got != "sleepy 1 3ms 3ms; " {
			t.Errorf("after a reset and a run %s", got)
		}
	})
}

// What two schedulers have measured makes one table.
func TestTimesAdd(t *testing.T) {
	var x, y scheduler.Times
	for i, h := range []*hist.Histogram{&y.Wait[0], &y.Late[1], &y.Early[2], &y.Run[3], &y.Over[4], &y.Under[0]} {
		h.Record(time.Duration(i + 1))
	}
	x.Add(&y)
	x.Add(&y)
	y.Add(&scheduler.Times{})
	for i, h := range []*hist.Histogram{&x.Wait[0], &x.Late[1], &x.Early[2], &x.Run[3], &x.Over[4], &x.Under[0]} {
		if h.Count() != 2 || h.Max() != time.Duration(i+1) {
			t.Errorf("histogram %d: %d, at most %v", i, h.Count(), h.Max())
		}
	}
}

// The signed lateness: what is late is in Late, and what was in time with its rest in Early.
func TestTimesTellBothSidesOfLateness(t *testing.T) {
	inWorld(t, scheduler.Options{Timeouts: deadline.Timeouts{Low: 5 * ms}}, func(w *world) {
		bridge.Of(w.s).KeepTimes()
		w.s.Post(deadline.Low, func() { time.Sleep(8 * ms) })                      // 5 ms early
		w.s.Post(deadline.Low, func() {})                                          // 3 ms late
		w.s.Post(deadline.Idle, func() {})                                         // never late
		w.s.WhenIdle(0, func(deadline.Deadline, bool) { time.Sleep(time.Second) }) // does not count
		w.s.Post(deadline.Low, func() { w.s.Microtask(nop) })                      // nor does a microtask
		w.drain()
		var x scheduler.Times
		w.s.ReadTimes(&x)
		low, idle := deadline.Low.Lane(), deadline.Idle.Lane()
		if e, l := &x.Early[low], &x.Late[low]; e.Count() != 1 || e.Max() != 5*ms || l.Count() != 3 || l.Max() != 3*ms {
			t.Errorf("early %d, at most %v; late %d, at most %v", e.Count(), e.Max(), l.Count(), l.Max())
		}
		if wait, run := &x.Wait[low], &x.Run[low]; wait.Count() != 3 || wait.Max() != 8*ms || run.Count() != 3 ||
			run.Max() != 8*ms || x.Wait[idle].Count() != 1 || x.Run[idle].Count() != 1 {
			t.Errorf("%d runs of up to %v waited for up to %v", run.Count(), run.Max(), wait.Max())
		}
		if n := x.Early[idle].Count(); n != 0 {
			t.Errorf("%d early of what never expires", n)
		}
	})
}

func swift() {}

// A wrapper has the kind of what it calls, and a run may say which that is.
func TestAWrapperHasTheKindOfItsFunction(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		bridge.Of(w.s).KeepTimes()
		task := &scheduler.Task{}
		f := sleepy
		task.Func = func() { bridge.Of(w.s).Wraps(task, f); f() }
		for _, f = range []func(){sleepy, swift, sleepy} {
			bridge.Of(w.s).Wraps(task, sleepy)
			w.s.Submit(task)
			w.drain()
		}
		if got := costs(w.s); got != "sleepy 2 6ms 3ms; swift 1 0s 0s; " {
			t.Error(got)
		}
	})
}

// The error of a prediction is by how much a run was longer, or shorter, than what admitted it.
func TestTimesHavePredictionErrors(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	bridge.Of(s).KeepTimes()
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
