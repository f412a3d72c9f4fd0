package frame_test

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Close at every point of a frame, from everywhere; what it restores and what it leaves.

func TestCloseAtEveryPointOfAFrame(t *testing.T) {
	points := []func(l *frame.Loop){
		func(l *frame.Loop) { l.Begin() },
		func(l *frame.Loop) { l.Slice() },
		func(l *frame.Loop) { l.End() },
		func(l *frame.Loop) { time.Sleep(time.Millisecond) }, // in the shadow, if there is one
		func(l *frame.Loop) { l.Begin() },
	}
	for _, place := range placements() {
		for k := range len(points) + 1 {
			bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
				unwound := 0
				for range 5 {
					l.Go(deadline.Normal, func(co *scheduler.Co) {
						defer func() { unwound++ }()
						for {
							time.Sleep(300 * time.Microsecond)
							co.Yield()
						}
					})
				}
				for _, f := range points[:k] {
					f(l)
				}
				l.Close()
				<-l.Done()
				for _, f := range points[k:] {
					f(l)
				}
				if k > 2 && unwound == 0 {
					t.Errorf("%v, close at %d: no coroutine was unwound", place, k)
				}
				if err := l.Close(); err != nil {
					t.Errorf("%v, close at %d: second Close: %v", place, k, err)
				}
				if h := l.Post(0, func() {}); h.State() != scheduler.Canceled {
					t.Errorf("%v, close at %d: a task posted after Close is %v", place, k, h.State())
				}
			})
		}
	}
}

func TestCloseFromATaskEndsTheSlice(t *testing.T) {
	for _, place := range placements() {
		bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
			n := endless(l, time.Millisecond)
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				co.NextFrame()
				l.Close()
			})
			w := &window{l: l, period: time.Second / 60}
			for range 5 {
				w.frame()
			}
			<-l.Done()
			if *n == 0 || *n > 60 {
				t.Errorf("%v: %d tasks ran", place, *n)
			}
		})
	}
}

func TestCloseFromAJob(t *testing.T) {
	for range 20 {
		l := frame.New(frame.Options{Workers: workers.Options{Workers: 2}})
		l.Pool().Go(deadline.Normal, func() { l.Close() })
		for open := true; open; { // without workers, as on js, the job runs in a slice
			l.Begin()
			l.Slice()
			l.End()
			select {
			case <-l.Done():
				open = false
			case <-time.After(10 * time.Microsecond):
			}
		}
	}
}

func TestCloseLeavesASharedPoolOpen(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(context.Background())
	a, b := frame.New(frame.Options{Pool: p}), frame.New(frame.Options{Pool: p})
	a.Close()
	job := workers.Submit(b.Pool(), deadline.Normal, func() (int, error) { return 42, nil })
	if got, err := job.Wait(t.Context()); got != 42 || err != nil {
		t.Errorf("a job of the pool that was left open: %v, %v", got, err)
	}
	b.Close()
}
