package workers_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

func TestParallelFor2DDoesEveryElementOnce(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		sizes := [][3]int{{0, 5, 0}, {5, -1, 2}, {1, 1, 0}, {31, 33, 0}, {64, 64, 8}, {100, 7, 3}, {7, 100, 200}}
		for _, c := range sizes {
			width, height, edge := c[0], c[1], c[2]
			seen := make([]atomic.Int32, max(width*height, 0))
			workers.ParallelFor2D(p, width, height, edge, func(x0, y0, x1, y1 int) {
				for y := y0; y < y1; y++ {
					for x := x0; x < x1; x++ {
						seen[y*width+x].Add(1)
					}
				}
			})
			for i := range seen {
				if n := seen[i].Load(); n != 1 {
					t.Fatalf("%v: element %d done %d times", c, i, n)
				}
			}
		}
	})
}

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

type keyed struct{ key, at int }

func byKey(a, b keyed) int { return cmp.Compare(a.key, b.key) }

// checkSort compares both sorts of s with the standard library's.
func checkSort(t *testing.T, p *workers.Pool, o *workers.Sorter[keyed], s []keyed) {
	t.Helper()
	want := slices.Clone(s)
	slices.SortStableFunc(want, byKey)
	got := slices.Clone(s)
	o.SortStable(p, got, byKey)
	if !slices.Equal(got, want) {
		t.Fatalf("SortStable of %d elements differs from slices.SortStableFunc", len(s))
	}
	copy(got, s)
	o.Sort(p, got, byKey)
	if !slices.IsSortedFunc(got, byKey) {
		t.Fatalf("Sort of %d elements left them unsorted", len(s))
	}
	slices.SortFunc(got, func(a, b keyed) int { return cmp.Or(byKey(a, b), cmp.Compare(a.at, b.at)) })
	if !slices.Equal(got, want) {
		t.Fatalf("Sort of %d elements lost some", len(s))
	}
}

func keys(n int, key func(i int) int) []keyed {
	s := make([]keyed, n)
	for i := range s {
		s[i] = keyed{key(i), i}
	}
	return s
}

func TestSortAgainstTheStandardLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{-1, 1, 3} {
		p := workers.New(workers.Options{Workers: size})
		var o workers.Sorter[keyed]
		for _, n := range []int{0, 1, 2, 13, 4096, 4097, 20_000, 70_001} {
			checkSort(t, p, &o, keys(n, func(int) int { return rng.Int() }))
			checkSort(t, p, &o, keys(n, func(int) int { return rng.IntN(10) }))
			checkSort(t, p, &o, keys(n, func(i int) int { return i }))
			checkSort(t, p, &o, keys(n, func(i int) int { return -i }))
			checkSort(t, p, &o, keys(n, func(i int) int { return i % 1000 }))
		}
		mustClose(t, p)
	}
}

// A comparison that is no order must not lose elements: here NaN is equal to everything.
func TestSortByNoOrder(t *testing.T) {
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	rng := rand.New(rand.NewPCG(3, 4))
	for name, compare := range map[string]func(a, b float64) int{
		"nan": func(a, b float64) int {
			switch {
			case a < b:
				return -1
			case a > b:
				return 1
			}
			return 0
		},
		"less":   func(a, b float64) int { return -1 },
		"random": func(a, b float64) int { return int(math.Float64bits(a+3*b)>>7&3) - 1 },
	} {
		s := make([]float64, 50_000)
		for i := range s {
			if s[i] = rng.Float64(); rng.IntN(3) == 0 {
				s[i] = math.NaN()
			}
		}
		want := slices.Sorted(slices.Values(s))
		workers.SortStable(p, s, compare)
		workers.Sort(p, s, compare)
		slices.Sort(s)
		if !slices.EqualFunc(s, want, func(a, b float64) bool { return cmp.Compare(a, b) == 0 }) {
			t.Errorf("%s: elements were lost", name)
		}
	}
}

func FuzzSort(f *testing.F) {
	p := workers.New(workers.Options{Workers: 2})
	f.Cleanup(func() { p.Close(background) })
	f.Add([]byte("a few bytes that are repeated until they are enough"), uint16(5000))
	f.Add([]byte{0}, uint16(65535))
	f.Add([]byte{1, 0, 0, 1, 2, 255, 3, 3}, uint16(17000))
	f.Fuzz(func(t *testing.T, b []byte, n uint16) {
		if len(b) < 2 {
			b = append(b, 0, 0)
		}
		var o workers.Sorter[keyed]
		checkSort(t, p, &o, keys(int(n), func(i int) int {
			return int(binary.LittleEndian.Uint16(b[i%(len(b)-1):])) * (i / len(b) % 3)
		}))
	})
}

func TestASorterDoesNotAllocate(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	s := make([]int, 50_000)
	var o workers.Sorter[int]
	seed := uint64(1)
	round := func() {
		for i := range s {
			seed = seed*6364136223846793005 + 1442695040888963407
			s[i] = int(seed >> 33)
		}
		o.Sort(p, s, cmp.Compare[int])
		o.SortStable(p, s, cmp.Compare[int])
	}
	round()
	if n := allocsPerRun(10, round); n != 0 {
		t.Errorf("%v allocations", n)
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

func ExampleSort() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	s := []string{"water", "air", "fire", "earth"}
	workers.Sort(p, s, cmp.Compare[string])
	fmt.Println(s)
	// Output: [air earth fire water]
}

func ExampleSortStable() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	s := []string{"water", "air", "fire", "earth"}
	workers.SortStable(p, s, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	fmt.Println(s)
	// Output: [air fire water earth]
}

func ExampleSorter() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	var byDepth workers.Sorter[float64] // kept from frame to frame
	for range 2 {
		depths := []float64{0.5, 0.1, 0.9}
		byDepth.Sort(p, depths, func(a, b float64) int { return cmp.Compare(b, a) })
		fmt.Println(depths)
	}
	// Output:
	// [0.9 0.5 0.1]
	// [0.9 0.5 0.1]
}

func ExampleParallelFor2D() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	var lit atomic.Int64
	workers.ParallelFor2D(p, 100, 60, 0, func(x0, y0, x1, y1 int) { lit.Add(int64((x1 - x0) * (y1 - y0))) })
	fmt.Println(lit.Load(), "pixels")
	// Output: 6000 pixels
}
