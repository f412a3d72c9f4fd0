package main

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/bench/report"
	"github.com/frameslice/frameslice/internal/hist"
)

// looping are parallel-fors. For each index a body runs as many steps of a generator as take the time in the name.
// overhead is how much longer the loop takes than its share of the serial time. The serial time is measured in turns
// with it, because compilers differ. Helpers fall asleep meanwhile, so the overhead of a single loop is mostly their
// wake-up. Loops in a row, of which a frame may have many, show the rest.
func looping(z sizes) []workload {
	with := func(name, about string, n, steps, times, row int) workload {
		times = max(2, int(float64(times)*z.loops))
		return workload{name: name, like: "for", about: about, numbers: []int{n, steps, times, row}, yardstick: true,
			run: func(s system, workers int) ([]report.Value, error) { return loop(s, workers, n, steps, times, row) }}
	}
	const again = ", eight right after one another"
	long, coarse := "a parallel-for of 1e6 items of about 2 ns", "a parallel-for of 10,000 items of 1 µs"
	return []workload{
		with("for-1e6x2ns", long, 1_000_000, 3, 40, 1),
		with("for-1e6x2ns-row", long+again, 1_000_000, 3, 10, 8),
		with("for-10000x1us", coarse, 10_000, 550, 10, 1),
		with("for-10000x1us-row", coarse+again, 10_000, 550, 4, 8),
		with("for-10000x2ns", "a parallel-for of 10,000 items of about 2 ns, 25 µs in all", 10_000, 3, 1000, 1),
	}
}

// burn does the items [lo, hi). The steps are not linear, or a compiler would do several at once. It is not inlined,
// so that all callers run the same code: inlined, a body was a third slower than the serial measurement.
//
// go:noinline
func burn(lo, hi, steps int) (sum int64) {
	for i := lo; i < hi; i++ {
		x := uint64(i) + 1
		for range steps {
			x = (x ^ x>>29) * 6364136223846793005
		}
		sum += int64(x >> 63)
	}
	return sum
}

// loop measures times rows of loops.
func loop(s system, workers, n, steps, times, row int) ([]report.Value, error) {
	open := s.open
	if s.openLoop != nil {
		open = s.openLoop
	}
	p := open(workers)
	defer p.close()
	var sum atomic.Int64
	body := func(lo, hi int) { sum.Add(burn(lo, hi, steps)) }
	run := func() { chunked(p, workers, n, body) }
	if l, ok := p.(looper); ok {
		run = func() { l.loop(n, body) }
	}
	var serially, parallel []float64
	for range times {
		t0 := now()
		want := burn(0, n, steps)
		serially = append(serially, float64(since(t0)))
		for range row {
			sum.Store(0)
			t0 = now()
			run()
			parallel = append(parallel, float64(since(t0)))
			if sum.Load() != want {
				return nil, fmt.Errorf("sum %d, not %d", sum.Load(), want)
			}
		}
	}
	one, many := hist.Median(serially), hist.Median(parallel)
	return []report.Value{
		{Metric: "time", V: many / 1e3, Unit: "µs"},
		{Metric: "overhead", V: (many*float64(workers)/one - 1) * 100, Unit: "%"},
	}, nil
}

// quantiles returns rows for durations, in µs.
func quantiles(name string, of []time.Duration, high float64, highName string) []report.Value {
	values := make([]float64, len(of))
	for i, d := range of {
		values[i] = float64(d) / 1e3
	}
	slices.Sort(values)
	return []report.Value{
		{Metric: name + "p50", V: hist.At(values, 0.5), Unit: "µs"},
		{Metric: name + highName, V: hist.At(values, high), Unit: "µs"},
	}
}

// alone is no pool but a yardstick: everything on the caller.
type alone struct{}

func openAlone(int) pool { return alone{} }

func (alone) submit(f func())                   { f() }
func (alone) close()                            {}
func (alone) loop(n int, body func(lo, hi int)) { body(0, n) }
