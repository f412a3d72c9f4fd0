package par_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
	"github.com/frameslice/frameslice/workers/par"
)

// say returns a job that appends word.
func say(word string) func(*string) error {
	return func(out *string) error { *out += word; return nil }
}

// On the frame goroutine: nothing waits. Errors come with the results, and a place keeps what was in it.
func TestStreamOnAFrame(t *testing.T) {
	p := workers.New(none)
	s := par.NewStream[string](p, deadline.Normal, 2)
	log := ""
	for verb := range strings.FieldsSeq("take +a +b +c take run take +x panic run take +y close +z take end take +") {
		switch verb {
		case "take":
			for v, err := s.TryNext(); ; v, err = s.TryNext() {
				if log += fmt.Sprint(err, "; "); v == nil {
					break
				}
				log += *v + "; "
			}
		case "run":
			p.RunUntil(deadline.Deadline{})
		case "panic":
			must(s.TrySubmit(func(*string) error { explode("no"); return nil }))
		case "close":
			_ = p.Close(ended())
		case "end":
			s.Close()
		default:
			log += fmt.Sprint(s.TrySubmit(say(verb[1:])), "; ")
		}
	}
	want := "workers: queue is empty; <nil>; <nil>; workers: full; workers: queue is empty; " +
		"<nil>; a; <nil>; b; workers: queue is empty; <nil>; " +
		"<nil>; ax; par_test.TestStreamOnAFrame.func1: panic: no; b; workers: queue is empty; <nil>; <nil>; " +
		"workers: closed; ax; workers: closed; b; workers: queue is empty; workers: closed; workers: closed; "
	if log != want {
		t.Errorf("got  %s\nwant %s", log, want)
	}
}

func TestStreamCloseAndContexts(t *testing.T) {
	p := open(t, two)
	s := par.NewStream[string](p, deadline.Normal, 1)
	got := ""
	takeWithout := func() { // a result, as ctx is done, whose cause is not the end of the stream
		for v, err := range s.All(ended()) {
			got += fmt.Sprint(v == nil, " ", err, "; ")
		}
	}
	takeWithout()
	gate, started := make(chan struct{}), make(chan struct{})
	must(s.TrySubmit(func(out *string) error { close(started); <-gate; *out = "a"; return context.Canceled }))
	<-started
	ctx, cancel := context.WithTimeout(background, time.Millisecond)
	defer cancel()
	if v, err := s.Next(ctx); v != nil || err != context.DeadlineExceeded {
		t.Error(v, err)
	}
	if err := s.Submit(ctx, say("c")); err != context.DeadlineExceeded {
		t.Error(err)
	}
	late := make(chan error)
	go func() { late <- s.Submit(background, say("c")) }()
	s.Close()
	if err := <-late; err != workers.ErrClosed {
		t.Errorf("a submission that waited: %v", err)
	}
	takeWithout()
	close(gate)
	for v, err := range s.All(background) {
		got += fmt.Sprint(*v, " ", err, "; ")
	}
	if want := "true workers: closed; true workers: closed; a context canceled; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A job that waits for a Stream lends its worker's place, so the only worker runs what the job waits for.
func TestAJobThatWaitsForAStream(t *testing.T) {
	p := open(t, workers.Options{Workers: 1})
	ctx, cancel := context.WithCancel(background) // which keeps Next from running jobs
	defer cancel()
	full := par.NewStream[int](p, deadline.Normal, 1)
	p.Go(deadline.Normal, func() {
		for i := range 3 {
			must(full.Submit(ctx, func(out *int) error { *out = i; return nil }))
		}
		full.Close()
	})
	empty := par.NewStream[int](p, deadline.Normal, 1)
	got := make(chan int)
	p.Go(deadline.Normal, func() {
		p.Go(deadline.Normal, func() { must(empty.TrySubmit(func(out *int) error { *out = 3; return nil })) })
		v, err := empty.Next(ctx)
		must(err)
		got <- *v
	})
	testkit.Within(t, "the streams", func() {
		n := 0
		for v, err := range full.All(ctx) {
			if must(err); *v != n {
				t.Errorf("got %d, want %d", *v, n)
			}
			n++
		}
		if v := <-got; n != 3 || v != 3 {
			t.Errorf("%d values, then %d", n, v)
		}
	})
}

// All at once: producers outside and in a job, jobs that end by Goexit, and a consumer that waits in each of the ways.
func TestStreamStorm(t *testing.T) {
	each(t, func(t *testing.T, o workers.Options) {
		for round := range 5 {
			p := workers.New(o)
			window, prio := 1+round, deadline.Priorities()[round%deadline.NumPriorities]
			s := par.NewStream[[2]int](p, prio, window)
			ctx, cancel := context.WithCancel(background) // which keeps Next from running jobs where others would
			var running atomic.Int64
			var producers sync.WaitGroup
			produce := func(k int) {
				defer producers.Done()
				for i := range 200 {
					must(s.Submit(ctx, func(out *[2]int) error {
						defer running.Add(-1)
						if *out = [2]int{k, i}; running.Add(1) > int64(window) {
							t.Error("more at a time than the window has")
						}
						if i%50 == 7 {
							runtime.Goexit()
						}
						return nil
					}))
				}
			}
			producers.Add(3)
			go produce(0)
			go produce(1)
			inJob := workers.Job{Priority: prio, Func: func(*workers.Worker) { produce(2) }}
			if hasWorkers(p) {
				p.Submit(&inJob)
			} else {
				go produce(2)
			}
			go func() { producers.Wait(); s.Close() }()
			var next [3]int
			testkit.Within(t, "the stream", func() {
				for n := 0; ; n++ {
					v, err := s.TryNext()
					if err == workers.ErrEmpty {
						v, err = s.Next([]context.Context{background, ctx}[n%2])
					}
					if v == nil {
						if err != workers.ErrClosed || n != 600 {
							t.Errorf("%d results, then %v", n, err)
						}
						return
					}
					if k, i := v[0], v[1]; i != next[k] || (err == workers.ErrGoexit) != (i%50 == 7) {
						t.Fatalf("producer %d: got %d, want %d, err %v", k, i, next[k], err)
					}
					next[v[0]]++
				}
			})
			cancel()
			testkit.Within(t, "Close", func() { must(p.Close(background)) })
		}
	})
}
