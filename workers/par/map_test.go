package par_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
	"github.com/frameslice/frameslice/workers/par"
)

func TestMapKeepsTheOrder(t *testing.T) {
	each(t, func(t *testing.T, o workers.Options) {
		p, src := workers.New(o), make([]int, 10_000)
		defer p.Close(background)
		for i := range src {
			src[i] = i
		}
		got := par.Map(p, nil, src, func(i int) int { return -i })
		again := par.Map(p, got[:3], got, func(i int) int { return -i })
		if !slices.Equal(again, src) || &got[0] != &again[0] {
			t.Errorf("%v, in the same place: %v", again, &got[0] == &again[0])
		}
		longer := par.Map(p, make([]int, 5), src[:3], func(i int) int { return -i })
		if !slices.Equal(longer, []int{0, -1, -2}) {
			t.Errorf("into a longer slice: %v", longer)
		}
	})
}

// The result shows each part and each use of combine, in order.
func TestReduceDoesNotDependOnWorkers(t *testing.T) {
	each(t, func(t *testing.T, o workers.Options) {
		p := workers.New(o)
		defer p.Close(background)
		fold := func(lo, hi int) string { return fmt.Sprint(lo, "-", hi) }
		combine := func(a, b string) string { return "(" + a + b + ")" }
		const n = 1000
		for grain, part := range map[int]int{0: 4, -3: 4, 7: 7, n - 1: n - 1, 1 << 30: n} { // 4 is a 256th
			want := fold(0, part)
			for lo := part; lo < n; lo += part {
				want = combine(want, fold(lo, min(lo+part, n)))
			}
			if got := par.Reduce(p, n, grain, fold, combine); got != want {
				t.Errorf("grain %d: %s, want %s", grain, got, want)
			}
		}
		if got := par.Reduce(p, 0, 0, fold, combine); got != "" {
			t.Errorf("of nothing: %v", got)
		}
	})
}

// looper is a Looper of somebody else's, though it has one of ours within.
type looper struct {
	*workers.Pool
	called int
}

func (l *looper) ParallelFor(n, grain int, body func(lo, hi int)) {
	l.called++
	l.Pool.ParallelFor(n, grain, body)
}

// Map and Reduce use the ParallelFor that they are given, which raises a panic of a piece.
func TestMapAndReduceUseTheLooper(t *testing.T) {
	l, boom := &looper{Pool: open(t, none)}, errors.New("boom")
	var pe *workers.PanicError
	err, _ := testkit.Recovered(func() { par.Map(l, nil, []int{1}, func(int) int { panic(boom) }) }).(error)
	if !errors.As(err, &pe) || pe.Label != "ParallelFor" || pe.Value != boom {
		t.Errorf("Map panics with %v", err)
	}
	one := func(lo, hi int) int { return 1 }
	if v := testkit.Recovered(func() { par.Reduce(l, 2, 1, one, func(a, b int) int { panic(boom) }) }); v != boom {
		t.Errorf("Reduce panics with %v", v)
	}
	if l.called != 2 {
		t.Errorf("%d calls of ParallelFor, want 2", l.called)
	}
}
