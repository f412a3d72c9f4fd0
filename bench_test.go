package frameslice_test

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// BenchmarkDoor does the same through this package and through the packages behind it: the figures of a pair are level.
func BenchmarkDoor(b *testing.B) {
	loop := frameslice.New(frameslice.Testing)
	defer loop.Close()
	seven := func(context.Context) (int, error) { return 7, nil }
	ended := func(f *frameslice.Future[int]) { // so that no backlog grows
		if !f.Cancel() {
			_, _ = f.Wait(context.Background())
		}
	}
	slice := func() { loop.Scheduler().RunUntil(deadline.Deadline{}) }
	done := frameslice.Submit(loop, frameslice.Normal, seven)
	_, _ = done.Wait(context.Background())
	var request frameslice.Request
	requests := []*frameslice.Request{&request, &request}
	for _, c := range []struct {
		name        string
		door, parts func()
	}{
		{"Submit",
			func() { ended(frameslice.Submit(loop, frameslice.Normal, seven)) },
			func() { ended(workers.Submit(loop.Pool(), deadline.Normal, seven)) }},
		{"Go and Await",
			func() {
				loop.Go(frameslice.Normal, func(co *frameslice.Co) { _, _ = frameslice.Await(co, done) })
				slice()
			},
			func() {
				loop.Scheduler().Go(deadline.Normal, func(co *scheduler.Co) { _, _ = scheduler.Await(co, done) })
				slice()
			}},
		{"Post",
			func() { loop.Post(frameslice.Normal, func() {}); slice() },
			func() { loop.Scheduler().Post(deadline.Normal, func() {}); slice() }},
		{"AllOf",
			func() { frameslice.AllOf(requests...) },
			func() { load.AllOf(requests...) }},
	} {
		b.Run(c.name+"/door", func(b *testing.B) { benchmark(b, c.door) })
		b.Run(c.name+"/parts", func(b *testing.B) { benchmark(b, c.parts) })
	}
}

func benchmark(b *testing.B, do func()) {
	b.ReportAllocs()
	for b.Loop() {
		do()
	}
}
