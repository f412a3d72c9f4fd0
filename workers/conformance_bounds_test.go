package workers_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

// panicOf returns what f panics with, or nil.
func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

var odd = []int{math.MinInt, -1, 0, 1, 2, 3, 7, 1000, math.MaxInt/2 + 1, math.MaxInt}

// Whatever the numbers, every index is done once, and no piece is empty.
func TestAnyNumberIsANumberOfElements(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		for _, n := range odd {
			for _, grain := range odd {
				if n > 1000 && grain <= 1000 {
					continue // it would take for ever: see below
				}
				var did atomic.Uint64
				body := func(lo, hi int) {
					if lo < 0 || lo >= hi || hi > n {
						t.Errorf("a piece from %d to %d, of %d", lo, hi, n)
					}
					did.Add(uint64(hi - lo))
				}
				p.ParallelFor(n, grain, body)
				if got := did.Load(); got != uint64(max(n, 0)) {
					t.Errorf("ParallelFor of %d, grain %d: %d elements", n, grain, got)
				}
				length, add := func(lo, hi int) int { return hi - lo }, func(a, b int) int { return a + b }
				sum := workers.Reduce(p, n, grain, length, add)
				if sum != max(n, 0) {
					t.Errorf("Reduce of %d, grain %d: %d elements", n, grain, sum)
				}
			}
		}
	})
}

// What would take for ever does not leave its range either, while it lasts.
func TestEndlessLoopsKeepWithinTheirRange(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		for _, n := range []int{math.MaxInt/2 + 1, math.MaxInt} {
			for _, grain := range []int{0, 1, 1000} {
				var calls atomic.Int64
				_ = panicOf(func() {
					p.ParallelFor(n, grain, func(lo, hi int) {
						if lo < 0 || lo >= hi || hi > n {
							t.Errorf("a piece from %d to %d, of %d", lo, hi, n)
						}
						if calls.Add(1) == 1000 {
							panic("enough")
						}
					})
				})
			}
		}
	})
}

// A function that is not there is the caller's mistake, and shows itself in the caller, before anything runs and
// whether or not there is something to do: later it would end the process, far from where the mistake was made.
func TestANilFunctionPanicsInTheCaller(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		ran := false
		f := func() { ran = true }
		add := func(a, b int) int { return a + b }
		held := &workers.Job{Func: func(*workers.Worker) {}}
		stream := workers.NewStream[int](p, workers.StreamOptions{})
		for name, f := range map[string]func(){
			"Go":             func() { p.Go(0, nil) },
			"Submit":         func() { workers.Submit[int](p, 0, nil) },
			"Job":            func() { p.Submit(&workers.Job{}) },
			"Scope":          func() { _ = p.Scope(background, nil) },
			"ParallelFor":    func() { p.ParallelFor(0, 1, nil) },
			"Map":            func() { workers.Map[int, int](p, nil, nil, nil) },
			"fold":           func() { workers.Reduce(p, 0, 0, nil, add) },
			"combine":        func() { workers.Reduce(p, 0, 0, add, nil) },
			"Sort":           func() { workers.Sort[int](p, nil, nil) },
			"Join":           func() { workers.Join(p, f, nil) },
			"Job.Notify":     func() { held.Notify(nil) },
			"TrySubmit":      func() { _ = stream.TrySubmit(nil) },
			"Stream.Submit":  func() { _ = stream.Submit(background, nil) },
			"Graph.Add":      func() { new(workers.Graph).Add("a", nil) },
			"Then":           func() { workers.Then[int, int](answer(p), nil) },
			"Future.Notify":  func() { answer(p).Notify(nil) },
			"invalid lane":   func() { p.Go(99, f) },
			"invalid stream": func() { workers.NewStream[int](p, workers.StreamOptions{Priority: -99}) },
			"invalid future": func() { workers.Submit(p, 99, func() (int, error) { f(); return 0, nil }) },
		} {
			if text := fmt.Sprint(panicOf(f)); !strings.HasPrefix(text, "workers: ") {
				t.Errorf("%s: %s", name, text)
			}
		}
		if ran {
			t.Error("a function ran although the call failed")
		}
	})
}

func answer(p *workers.Pool) *workers.Future[int] {
	return workers.Submit(p, 0, func() (int, error) { return 42, nil })
}

// New says which option is wrong, and leaves nothing behind.
func TestOptionsThatCannotBe(t *testing.T) {
	const most = 1 << (24 + 6*(^uint(0)>>63)) // by the size of an address
	for want, o := range map[string]workers.Options{
		"workers: New with Options.Workers of 65, more than 64":                               {Workers: 65},
		"workers: New with Options.Pin of 99, more than 2":                                    {Pin: 99},
		"workers: New with Options.Overflow of 99, more than 2":                               {Overflow: 99},
		fmt.Sprintf("workers: New with Options.MaxWaiting of %d, more than %d", most+1, most): {MaxWaiting: most + 1},
	} {
		if v := panicOf(func() { workers.New(o) }); v != want {
			t.Errorf("%+v: %v, want %q", o, v, want)
		}
	}
}

// A comparison that panics does so in the caller as a *PanicError, however long the slice is.
func TestSortRaisesAPanicErrorOfAnyLength(t *testing.T) {
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	boom := errors.New("boom")
	for _, n := range []int{2, 100, 5000, 50000} {
		v := panicOf(func() { workers.Sort(p, make([]int, n), func(a, b int) int { panic(boom) }) })
		if e, ok := v.(*workers.PanicError); !ok || !errors.Is(e, boom) || len(e.Stack) == 0 {
			t.Errorf("%d elements: %v", n, v)
		}
	}
}
