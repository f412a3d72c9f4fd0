package workers_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// OnPanic may close the pool, on whatever goroutine the function panicked that has no owner, and whether the pool has
// a limit, which gives such a function a job of its own, or another pool is there, which makes goroutines be told
// apart.
func TestCloseInOnPanic(t *testing.T) {
	for name, o := range shapes {
		for _, limit := range []int{0, 8} {
			for _, other := range []bool{false, true} {
				t.Run(name, func(t *testing.T) { closeInOnPanic(t, o, limit, other) })
			}
		}
	}
}

func closeInOnPanic(t *testing.T, o workers.Options, limit int, other bool) {
	if other {
		defer mustClose(t, workers.New(workers.Options{Workers: -1}))
	}
	var p *workers.Pool
	var told atomic.Int64
	o.MaxWaiting = limit
	o.OnPanic = func(*workers.PanicError) {
		told.Add(1)
		if err := p.Close(background); err != nil {
			t.Errorf("Close in OnPanic: %v", err)
		}
	}
	p = workers.New(o)
	const n = 4
	for range n {
		p.Go(deadline.Normal, func() { panic("boom") })
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.RunUntil(deadline.Deadline{})
		mustClose(t, p)
	}()
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		t.Fatal("Close in OnPanic waits for itself")
	}
	var s workers.Stats
	p.Stats(&s)
	if told.Load()+int64(s.Dropped) != n {
		t.Errorf("%d of %d panics were told, %d functions dropped", told.Load(), n, s.Dropped)
	}
}

// What comes after a panic that OnPanic has been told of is within the pool as before, and may close it.
func TestCloseInAJobAfterAPanic(t *testing.T) {
	defer mustClose(t, workers.New(workers.Options{Workers: -1})) // so that goroutines are told apart
	p := workers.New(workers.Options{Workers: -1, OnPanic: func(*workers.PanicError) {}})
	p.Go(deadline.Normal, func() { panic("boom") })
	p.Go(deadline.Normal, func() {
		if err := p.Close(background); err != nil {
			t.Errorf("Close in a job: %v", err)
		}
	})
	ended := make(chan int)
	go func() { ended <- p.RunUntil(deadline.Deadline{}) }()
	select {
	case n := <-ended:
		if n != 2 {
			t.Errorf("%d functions ran, want 2", n)
		}
	case <-time.After(time.Minute):
		t.Fatal("Close in a job waits for itself")
	}
	mustClose(t, p)
}
