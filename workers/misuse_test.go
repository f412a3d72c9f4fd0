package workers_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Bad arguments: a panic in the caller that names what is wrong, with the value.
func TestMisuseOfArguments(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	nop := func(*workers.Worker) {}
	cmp := func(a, b int) int { return a - b }
	stream := workers.NewStream[int](p, workers.StreamOptions{})
	for want, f := range map[string]func(){
		"invalid Priority(-3)": func() {
			p.Go(-3, func() {})
		},
		"invalid Priority(17)": func() {
			p.NewGroup(background, workers.GroupOptions{Priority: 17})
		},
		"Submit of a nil Job": func() {
			p.Submit(nil)
		},
		"Submit of a job with an invalid Priority(17)": func() {
			p.Submit(&workers.Job{Func: nop, Priority: 17})
		},
		"NewQueue with a capacity of 0, which": func() {
			workers.NewQueue[int](0)
		},
		"NewQueue with a capacity of 1073741825, ": func() {
			workers.NewQueue[int](1<<30 + 1)
		},
		"NewStream with a Window of 1048577, more": func() {
			workers.NewStream[int](p, workers.StreamOptions{Window: 1<<20 + 1})
		},
		"NewStream with a nil Pool": func() {
			workers.NewStream[int](nil, workers.StreamOptions{})
		},
		"Stream.Drain with a nil function": func() {
			stream.Drain(deadline.Deadline{}, nil)
		},
		"Then of a nil Future": func() {
			workers.Then(nil, func(int) (int, error) { return 0, nil })
		},
		"Graph.Run with a nil Pool": func() {
			_ = new(workers.Graph).Run(background, nil)
		},
		"Map with a nil Looper": func() {
			workers.Map(nil, nil, nil, func(int) int { return 0 })
		},
		"Reduce with a nil Looper": func() {
			workers.Reduce(nil, 0, 0, func(_, _ int) int { return 0 }, cmp)
		},
		"Sort with a nil Looper": func() {
			workers.Sort(nil, nil, cmp)
		},
		"Join with a nil Looper": func() {
			workers.Join(nil)
		},
	} {
		if got := fmt.Sprint(panicOf(f)); !strings.HasPrefix(got, "workers: "+want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for want, f := range map[string]func(*workers.Worker){
		"Blocking of a nil function": func(w *workers.Worker) { w.Blocking(nil) },
		"Join of a nil Job":          func(w *workers.Worker) { w.Join(nil) },
		"Submit of a nil Job":        func(w *workers.Worker) { w.Submit(nil) },
	} {
		var got string
		j := &workers.Job{Func: func(w *workers.Worker) { got = fmt.Sprint(panicOf(func() { f(w) })) }}
		p.Submit(j)
		if err := j.Wait(background); err != nil || !strings.HasPrefix(got, "workers: "+want) {
			t.Errorf("in a job: %q, %v, want %q", got, err, want)
		}
	}
	if n, err := answer(p).Wait(background); n != 42 || err != nil {
		t.Errorf("afterwards: %d, %v", n, err)
	}
}

// A job that cannot be is refused at once also where the pool is full: it does not wait for a place first, takes none,
// and is not counted.
func TestMisuseOfAFullPool(t *testing.T) {
	for _, o := range []workers.Overflow{workers.OverflowReject, workers.OverflowWait, workers.OverflowRun} {
		t.Run(fmt.Sprint("policy ", o), func(t *testing.T) {
			p := workers.New(workers.Options{Workers: -1, MaxWaiting: 1, Overflow: o})
			defer mustClose(t, p)
			ctx, cancel := context.WithCancel(background)
			cancel() // who waits for a place tells
			var ran atomic.Int32
			queued := &workers.Job{Func: func(*workers.Worker) { ran.Add(1) }}
			p.Submit(queued)
			for want, j := range map[string]*workers.Job{
				"Submit of a nil Job":                          nil,
				"Submit of a job without a Func":               {},
				"Submit of a job that is queued":               queued,
				"Submit of a job with an invalid Priority(17)": {Func: queued.Func, Priority: 17},
			} {
				got := fmt.Sprint(panicOf(func() { t.Errorf("%s: %v", want, p.SubmitContext(ctx, j)) }))
				if got != "workers: "+want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
			var s workers.Stats
			if p.Stats(&s); s.Refused != 0 || s.Queued[deadline.Normal.Lane()] != 1 {
				t.Errorf("%d refused, %v queued", s.Refused, s.Queued)
			}
			p.RunUntil(deadline.Deadline{})
			if err := p.SubmitContext(ctx, &workers.Job{Func: queued.Func}); err != nil {
				t.Error("the place is lost:", err)
			}
			if p.RunUntil(deadline.Deadline{}); ran.Load() != 2 {
				t.Errorf("%d ran, want 2", ran.Load())
			}
		})
	}
}

// A Drain that is refused takes nothing out.
func TestRefusedDrainKeepsTheResult(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	s := workers.NewStream[int](p, workers.StreamOptions{})
	if err := s.TrySubmit(func(out *int) error { *out = 7; return nil }); err != nil {
		t.Fatal(err)
	}
	p.RunUntil(deadline.Deadline{})
	_ = panicOf(func() { s.Drain(deadline.Deadline{}, nil) })
	if v, err := s.TryNext(); err != nil || *v != 7 {
		t.Errorf("%v, %v", v, err)
	}
}
