package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// who collects the workers that run something.
type who struct {
	mu   sync.Mutex
	seen []string
}

func (s *who) add(w *workers.Worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	class := "w"
	if w.Low() {
		class = "low"
	}
	s.seen = append(s.seen, fmt.Sprint(class, w.Index()))
}

func (s *who) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(slices.Sorted(slices.Values(s.seen)))
}

func TestBroadcastRunsOnEveryWorkerOnce(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var s workers.Stats
		p.Stats(&s)
		var want []string
		for k := range s.Workers {
			want = append(want, fmt.Sprint("w", k))
		}
		for k := range s.Background {
			want = append(want, fmt.Sprint("low", k))
		}
		for range 20 {
			var got who
			n, err := p.Broadcast(got.add).Wait(context.Background())
			if n != len(want) || err != nil || got.String() != fmt.Sprint(slices.Sorted(slices.Values(want))) {
				t.Fatalf("%d, %v: %v, want %v", n, err, &got, want)
			}
		}
	})
}

// Two broadcasts that wait for one another on their workers, and one that is waited for within a job.
func TestBroadcastIsWaitedForInJobs(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		f := func() (int, error) {
			var got who
			return p.Broadcast(func(w *workers.Worker) {
				got.add(w)
			}).Wait(background)
		}
		a, b := workers.Submit(p, deadline.Immediate, f), workers.Submit(p, deadline.Normal, f)
		x, err1 := a.Wait(background)
		y, err2 := b.Wait(background)
		if x != y || err1 != nil || err2 != nil {
			t.Errorf("%d, %v; %d, %v", x, err1, y, err2)
		}
	})
}

func TestBroadcastReachesSparesAndTheBlocked(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	in, out := make(chan struct{}), make(chan struct{})
	j := &workers.Job{Func: func(w *workers.Worker) { w.Blocking(func() { close(in); <-out }) }}
	p.Submit(j)
	<-in
	var got who
	all := p.Broadcast(got.add)
	eventually(t, "the spare's share", func() bool { return got.String() == "[w1]" })
	select {
	case <-all.Done():
		t.Error("done without the blocked worker")
	default:
	}
	close(out)
	if n, err := all.Wait(background); n != 2 || err != nil || got.String() != "[w0 w1]" {
		t.Errorf("%d, %v: %v", n, err, &got)
	}
}

// Workers leave and come back while broadcasts are under way: each runs on at least those who stay.
func TestBroadcastWhileWorkersComeAndGo(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2, Spares: 4})
	defer mustClose(t, p)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				j := &workers.Job{Func: func(w *workers.Worker) { w.Blocking(runtime.Gosched) }}
				p.Submit(j)
				if err := j.Wait(background); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 300 {
		var got who
		if n, err := p.Broadcast(got.add).Wait(background); n < 2 || err != nil || n != len(got.seen) {
			t.Errorf("%d, %v: %v", n, err, &got)
		}
	}
	close(stop)
	wg.Wait()
}

func TestCloseInTheMiddleOfABroadcast(t *testing.T) {
	needsWorkers(t)
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	p := workers.New(workers.Options{Workers: 2})
	free := occupy(p, deadline.Immediate)
	var got who
	f := p.Broadcast(got.add)
	eventually(t, "one share", func() bool { got.mu.Lock(); defer got.mu.Unlock(); return len(got.seen) == 1 })
	if err := p.Close(canceled); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n, err := f.Wait(background); n != 1 || err != workers.ErrClosed {
		t.Errorf("%d, %v, want 1 and ErrClosed", n, err)
	}
	free()
	mustClose(t, p)
	if n, err := p.Broadcast(got.add).Result(); n != 0 || err != workers.ErrClosed {
		t.Errorf("after Close: %d, %v", n, err)
	}
}

func TestBroadcastThatPanicsOrExits(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 3})
	defer mustClose(t, p)
	n, err := p.Broadcast(func(w *workers.Worker) {
		if w.Index() == 1 {
			panic("x")
		}
	}).Wait(background)
	if pe := (*workers.PanicError)(nil); n != 2 || !errors.As(err, &pe) || pe.Label != "Broadcast" {
		t.Errorf("%d, %v", n, err)
	}
	exit := func(*workers.Worker) { runtime.Goexit() }
	if n, err := p.Broadcast(exit).Wait(background); n != 0 || err != workers.ErrGoexit {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := p.Broadcast(func(w *workers.Worker) {}).Wait(background); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
