package workers_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// On the frame goroutine: nothing waits, and a deadline ends it.
func TestStreamOnAFrame(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	s := workers.NewStream[string](p, deadline.Normal, 2)
	say := func(word string) func(*string) error {
		return func(out *string) error { *out += word; return nil }
	}
	if v, err := s.TryNext(); v != nil || err != workers.ErrEmpty {
		t.Error(v, err)
	}
	for i, want := range []error{nil, nil, workers.ErrFull} {
		if err := s.TrySubmit(say(fmt.Sprint(i))); err != want {
			t.Errorf("submission %d: %v, want %v", i, err, want)
		}
	}
	p.RunUntil(deadline.Deadline{})
	var log []string
	note := func(v *string, err error) { log = append(log, *v, fmt.Sprint(err)) }
	drain := func(f func(v *string, err error)) {
		for v, err := s.TryNext(); v != nil; v, err = s.TryNext() {
			f(v, err)
		}
	}
	drain(note)
	// The places keep what was in them for who writes next.
	_ = s.TrySubmit(say("x"))
	_ = s.TrySubmit(func(*string) error { explode("no"); return nil })
	p.RunUntil(deadline.Deadline{})
	drain(func(v *string, err error) {
		var pe *workers.PanicError
		log = append(log, *v, fmt.Sprint(errors.As(err, &pe)))
	})
	s.Close()
	if v, err := s.TryNext(); v != nil || err != workers.ErrClosed {
		t.Error(v, err)
	}
	if err := s.TrySubmit(say("")); err != workers.ErrClosed {
		t.Error(err)
	}
	if got, want := fmt.Sprint(log), "[0 <nil> 1 <nil> 0x false 1 true]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStreamCloseAndContexts(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	s := workers.NewStream[int](p, deadline.Normal, 2)
	gate, started := make(chan struct{}), make(chan struct{})
	_ = s.TrySubmit(func(out *int) error { close(started); <-gate; *out = 1; return nil })
	_ = s.TrySubmit(func(out *int) error { *out = 2; return nil })
	<-started
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if v, err := s.Next(ctx); v != nil || err != context.DeadlineExceeded {
		t.Error(v, err)
	}
	if err := s.Submit(ctx, func(*int) error { return nil }); err != context.DeadlineExceeded {
		t.Error(err)
	}
	late := make(chan error)
	go func() { late <- s.Submit(background, func(*int) error { return nil }) }()
	s.Close()
	if err := <-late; err != workers.ErrClosed {
		t.Errorf("a submission that waited: %v", err)
	}
	close(gate)
	got := ""
	for v, err := range s.All(background) {
		got += fmt.Sprint(*v, err, ";")
	}
	if want := fmt.Sprint(1, nil, ";", 2, nil, ";"); got != want {
		t.Errorf("got %s", got)
	}
}

// All at once: several producers, slow and failing jobs, and a consumer that waits in each of the ways.
func TestStreamUnderStress(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	for name, o := range shapes {
		t.Run(name, func(t *testing.T) {
			for round := range rounds {
				p := workers.New(o)
				window := 1 + round%5
				s := workers.NewStream[[2]int](p, deadline.Priorities()[round%deadline.NumPriorities], window)
				var running atomic.Int64
				var wg sync.WaitGroup
				for k := range 3 {
					wg.Go(func() {
						for i := range 200 {
							err := s.Submit(background, func(out *[2]int) error {
								if running.Add(1) > int64(window) {
									t.Error("more at a time than the window has")
								}
								defer running.Add(-1)
								*out = [2]int{k, i}
								if i%50 == 7 {
									runtime.Goexit()
								}
								return nil
							})
							if err != nil {
								t.Error(err)
							}
						}
					})
				}
				go func() { wg.Wait(); s.Close() }()
				var next [3]int
				rng := rand.New(rand.NewPCG(3, uint64(round)))
				for n := 0; ; {
					var v *[2]int
					var err error
					if rng.IntN(2) == 0 {
						v, err = s.TryNext()
						runtime.Gosched()
					} else {
						v, err = s.Next(background)
					}
					if err == workers.ErrEmpty {
						continue
					}
					if v == nil {
						if err != workers.ErrClosed || n != 600 {
							t.Errorf("%d results, then %v", n, err)
						}
						break
					}
					n++
					if (err == workers.ErrGoexit) != (v[1]%50 == 7) || v[1] != next[v[0]] {
						t.Fatalf("producer %d: got %d, want %d, err %v", v[0], v[1], next[v[0]], err)
					}
					next[v[0]]++
				}
				mustClose(t, p)
			}
		})
	}
}

func ExampleStream() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	s := workers.NewStream[string](p, deadline.Normal, 0)
	for i := range 3 {
		_ = s.TrySubmit(func(out *string) error { *out = fmt.Sprint("chunk ", i); return nil })
	}
	s.Close()
	for v, err := range s.All(context.Background()) {
		fmt.Println(*v, err)
	}
	// Output:
	// chunk 0 <nil>
	// chunk 1 <nil>
	// chunk 2 <nil>
}

// Several jobs wait for room in a stream, and goroutines outside too, on one worker, which runs what it waits for.
func TestStreamsFedFromEverywhere(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	for name, o := range map[string]workers.Options{
		"one": {Workers: 1},
		"low": {Workers: -1, Background: 1},
	} {
		p := oneWorker(t, o)
		ctx, cancel := context.WithCancel(background) // which keeps Next from running jobs
		for range rounds {
			s := workers.NewStream[int](p, deadline.Normal, 3)
			var left atomic.Int32
			left.Store(6)
			feed := func() {
				for range 10 {
					must(s.Submit(ctx, func(v *int) error { *v = 1; return nil }))
				}
				if left.Add(-1) == 0 {
					s.Close()
				}
			}
			for i := range 6 {
				if i%2 == 0 {
					go feed()
				} else {
					p.Go(deadline.Normal, feed)
				}
			}
			within(t, name, func() {
				n := 0
				for _, err := range s.All(ctx) {
					must(err)
					n++
				}
				if n != 60 {
					t.Errorf("%s: %d results, want 60", name, n)
				}
			})
		}
		cancel()
		mustClose(t, p)
	}
}
