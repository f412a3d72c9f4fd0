package docs_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
	"github.com/frameslice/frameslice/workers"
	"github.com/frameslice/frameslice/workers/par"
)

const done = scheduler.Done

// Every call in the tables of verbs.md.
func TestVerbs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := frameslice.New(frameslice.Testing)
		defer loop.Close()
		ran := map[string]int{}
		f := func(name string) func() { return func() { ran[name]++ } }
		s, p, ctx := loop.Scheduler(), loop.Pool(), t.Context()

		loop.Post(frameslice.Normal, f("Post"))
		loop.After(frameslice.Normal, time.Second, f("After"))
		loop.Every(frameslice.Normal, time.Second, f("Every"))
		loop.Each(frameslice.BeforeDraw, f("Each"))
		s.Once(frameslice.AfterDraw, f("Once"))
		s.WhenIdle(0, func(deadline.Deadline, bool) { ran["WhenIdle"]++ })
		loop.Post(frameslice.Immediate, func() { s.Microtask(f("Microtask")) })
		group := loop.NewGroup("level 1")
		group.Post(frameslice.Low, f("group.Post"))
		group.Go(frameslice.Low, func(co *frameslice.Co) { ran["group.Go"]++ })

		group.SetSpeed(0.5)
		group.Pause()
		group.NewGroup("enemies").Post(frameslice.Low, f("within group"))
		from := group.Now()
		time.Sleep(time.Millisecond)
		if group.Now() != from {
			t.Error("the time of a paused group continues")
		}
		group.Resume()

		loader := frameslice.NewLoader(loop, frameslice.LoadOptions{},
			func(context.Context, string, *frameslice.Meter) (int, error) { return 1, nil })
		request := loader.Load(ctx, "a", func(int, error) { ran["Load"]++ })
		latest := flow.NewLatest(s, deadline.Normal, func(k string, v int) { ran["Latest"] += v })
		_, _ = latest.Post("unit", 100), latest.Post("unit", 1)
		debounce := flow.NewDebounce(s, deadline.Normal, time.Second, f("Debounce"))
		throttle := flow.NewThrottle(s, deadline.Normal, time.Second, f("Throttle"))
		debounce.Call()
		throttle.Call()
		rate := &flow.RateLimit{Every: time.Second, Scheduler: s}
		_, _ = rate.Post(frameslice.Normal, f("RateLimit"))
		bound := flow.NewBound(s, 8)
		_ = bound.Post(frameslice.Normal, f("Bound"))
		topic := flow.NewTopic[int](s)
		topic.Subscribe(deadline.Normal, func(int) { ran["Topic"]++ })
		_ = topic.Publish(1)

		seven := func(context.Context) (int, error) { return 7, nil }
		p.Go(frameslice.Low, func() {})
		future := frameslice.Submit(loop, frameslice.Normal, seven)
		twice := workers.Then(future, func(_ context.Context, n int) (int, error) { return 2 * n, nil })
		job := &workers.Job{Func: func(w *workers.Worker) {}}
		p.Submit(job)
		strand := par.NewStrand(p)
		strand.Go(frameslice.Low, func() {})
		last := frameslice.Submit(loop, frameslice.Low, seven)
		stream := par.NewStream[int](p, frameslice.Normal, 0)
		_ = stream.TrySubmit(func(out *int) error { *out = 5; return nil })

		numbers := []int{3, 1, 2}
		loop.ParallelFor(len(numbers), 0, func(lo, hi int) {})
		workers.Join(p, func() {}, func() {})
		squares := par.Map(p, nil, numbers, func(n int) int { return n * n })
		sum := par.Reduce(p, 3, 0, func(lo, hi int) int { return hi - lo }, func(a, b int) int { return a + b })

		all := loop.Go(frameslice.Normal, func(co *frameslice.Co) {
			n, err := frameslice.Await(co, future)
			m, _ := frameslice.Await(co, twice)
			k, _ := frameslice.Background(co, loop, seven)
			_, _ = frameslice.Await(co, frameslice.AllOf(request))
			_, _ = scheduler.AwaitTimeout(co, request, time.Second)
			if i, err := scheduler.Await(co, flow.AsCompleted(last)); i != 0 || err != nil {
				t.Error(i, err)
			}
			var one flow.Semaphore
			one.Acquire(co)
			co.WaitUntil(func() bool { return true })
			one.Release()
			_ = group.Wait(co)
			co.Yield()
			co.NextFrame()
			co.Sleep(3 * time.Second)
			ran["Go"] = n + m + k
			if err != nil {
				t.Error(err)
			}
		})
		for frames := 0; all.State() != done; frames++ {
			loop.Begin()
			time.Sleep(time.Millisecond)
			loop.RunPhase(frameslice.BeforeDraw)
			loop.Slice()
			loop.End()
			time.Sleep(15 * time.Millisecond)
		}
		group.Cancel()
		v, err := stream.TryNext()
		if err != nil || *v != 5 || sum != 3 || fmt.Sprint(squares) != "[9 1 4]" {
			t.Error(v, err, sum, squares)
		}
		want := map[string]int{"Go": 28, "Post": 1, "After": 1, "Every": 3, "Once": 1, "WhenIdle": 1, "Microtask": 1,
			"within group": 1,
			"group.Post":   1, "group.Go": 1, "Load": 1, "Latest": 1, "Debounce": 1, "Throttle": 1, "RateLimit": 1,
			"Bound": 1, "Topic": 1, "Each": ran["Each"]}
		if got := fmt.Sprint(ran); got != fmt.Sprint(want) || ran["Each"] < 180 {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}
