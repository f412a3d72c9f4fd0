package workers_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

func TestMapKeepsTheOrder(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		src := make([]int, 10_000)
		for i := range src {
			src[i] = i
		}
		got := workers.Map(p, nil, src, strconv.Itoa)
		again := workers.Map(p, got[:3], src, strconv.Itoa)
		if len(got) != len(src) || &got[0] != &again[0] {
			t.Errorf("%d results of %d, in the same place: %v", len(got), len(src), &got[0] == &again[0])
		}
		for i := range got {
			if got[i] != strconv.Itoa(i) {
				t.Fatalf("result %d is %s", i, got[i])
			}
		}
		negated := workers.Map(p, make([]int, 5), []int{1, 2}, func(i int) int { return -i })
		if !slices.Equal(negated, []int{-1, -2}) {
			t.Errorf("into a longer slice: %v", negated)
		}
	})
}

// Floats, whose addition is not associative, and strings, whose concatenation is not commutative.
func TestReduceDoesNotDependOnWorkers(t *testing.T) {
	xs := make([]float64, 100_003)
	for i := range xs {
		xs[i] = math.Sin(float64(i)) * math.Exp(float64(i%50))
	}
	add := func(a, b float64) float64 { return a + b }
	sum := func(lo, hi int) float64 {
		s := 0.0
		for _, x := range xs[lo:hi] {
			s += x
		}
		return s
	}
	want := map[int]float64{}
	for _, grain := range []int{0, 100, 1 << 30} {
		for lo, step := 0, max(min(grain, len(xs)), 1); grain > 0 && lo < len(xs); lo += step {
			want[grain] += sum(lo, min(lo+step, len(xs)))
		}
	}
	for lo, step := 0, len(xs)/256+1; lo < len(xs); lo += step {
		want[0] += sum(lo, min(lo+step, len(xs)))
	}
	each(t, func(t *testing.T, p *workers.Pool) {
		for grain, want := range want {
			if got := workers.Reduce(p, len(xs), grain, sum, add); got != want {
				t.Errorf("grain %d: %v, want %v", grain, got, want)
			}
		}
		got := workers.Reduce(p, 26, 3, func(lo, hi int) string { return "abcdefghijklmnopqrstuvwxyz"[lo:hi] },
			func(a, b string) string { return a + " " + b })
		if want := "abc def ghi jkl mno pqr stu vwx yz"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := workers.Reduce(p, 0, 0, sum, add); got != 0 {
			t.Errorf("of nothing: %v", got)
		}
	})
}

// foreign is a Looper of somebody else's, though it has one of ours within.
type foreign struct {
	*workers.Pool
	called int
}

func (l *foreign) ParallelFor(n, grain int, body func(lo, hi int)) {
	l.called++
	l.Pool.ParallelFor(n, grain, body)
}

// Every loop of a foreign Looper is run by the ParallelFor of that Looper.
func TestLoopsUseAForeignLooper(t *testing.T) {
	add := func(a, b int) int { return a + b }
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	for name, loop := range map[string]func(l workers.Looper){
		"Map":    func(l workers.Looper) { workers.Map(l, nil, make([]int, 1000), func(i int) int { return i }) },
		"Reduce": func(l workers.Looper) { workers.Reduce(l, 1000, 1, add, add) },
		"Join":   func(l workers.Looper) { workers.Join(l, func() {}, func() {}) },
	} {
		l := &foreign{Pool: p}
		if loop(l); l.called == 0 {
			t.Errorf("%s does not", name)
		}
	}
}

func ExampleMap() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	fmt.Println(workers.Map(p, nil, []int{1, 2, 3}, func(x int) int { return x * x }))
	// Output: [1 4 9]
}

func ExampleReduce() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	xs := []int{3, 1, 4, 1, 5, 9, 2, 6}
	most := workers.Reduce(p, len(xs), 0, func(lo, hi int) int { return slices.Max(xs[lo:hi]) },
		func(a, b int) int { return max(a, b) })
	fmt.Println(most)
	// Output: 9
}
