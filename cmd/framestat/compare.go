package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// A difference is of one figure of two runs, the second minus the first.
type difference struct {
	*figure
	by, low, high float64
	known         bool // low and high are
	verdict       string
}

// The verdicts. A difference is seen if its 95 % interval leaves 0 out, and it is at least half a percent.
const (
	better      = "better"
	worse       = "worse"
	notSeen     = "no difference seen"
	negligible  = 0.005
	mostRounds  = 1000
	leastRounds = 200
	blockTime   = 500 * time.Millisecond // slow frames come in bunches, so resampling keeps them together
	leastBlocks = 10
)

// compare returns the differences of all figures that can be better or worse.
func compare(a, b *measured) []difference {
	var all []difference
	begun := [2][]resampled{a.resample(1, a.Intervals), b.resample(2, b.Intervals)}
	shown := [2][]resampled{a.resample(1, a.Displayed), b.resample(2, b.Displayed)}
	wider, widerShown := widening(a.Intervals, b.Intervals), widening(a.Displayed, b.Displayed)
	both := rows(a, b)
	for i := range both {
		f := &both[i]
		am, aok := f.metrics(a)
		bm, bok := f.metrics(b)
		if f.better == 0 || !aok || !bok {
			continue
		}
		as, bs, more := begun[0], begun[1], wider
		if f.needs == displays {
			as, bs, more = shown[0], shown[1], widerShown
		}
		before, after := f.of(am), f.of(bm)
		d := difference{figure: f, by: after - before}
		if f.draw != nil && len(as) > 0 && len(bs) > 0 {
			d.low, d.high = middle(f.draw, as, bs)
			d.low -= more * max(0, d.by-d.low) // by may lie outside
			d.high += more * max(0, d.high-d.by)
			d.known = true
			d.verdict = verdict(f.better, d, max(math.Abs(before), math.Abs(after)))
		}
		all = append(all, d)
	}
	return all
}

// text writes the difference and its interval.
func (d *difference) text() (by, limits string) {
	if d.known {
		limits = fmt.Sprintf("%+.*f to %+.*f", d.digits, d.low, d.digits, d.high)
	}
	return fmt.Sprintf("%+.*f", d.digits, d.by), limits
}

func verdict(good int, d difference, size float64) string {
	switch {
	case d.low <= 0 && d.high >= 0, math.Abs(d.by) < negligible*size:
		return notSeen
	case (d.by > 0) == (good > 0):
		return better
	}
	return worse
}

// middle is the middle 95 % of the differences of resampled runs.
func middle(draw func(*resampled) float64, as, bs []resampled) (low, high float64) {
	n := min(len(as), len(bs))
	by := make([]float64, n)
	for i := range n {
		by[i] = draw(&bs[i]) - draw(&as[i])
	}
	slices.Sort(by)
	return by[int(0.025*float64(n))], by[n-1-int(0.025*float64(n))]
}

// widening is by what share an interval is wider than the middle 95 %. Few blocks are too alike. Without the widening
// the intervals of runs of five seconds with bunches of late frames leave the truth out in 15 % of all cases, those of
// 20 s in 10 %.
func widening(a, b record.Intervals) float64 {
	blocks := min(len(a)/block(a), len(b)/block(b))
	return 1 / math.Sqrt(float64(max(blocks, 1)))
}

// block is how many frames stay together.
func block(d record.Intervals) int {
	return min(max(int(blockTime/max(d.Percentile(50), time.Microsecond)), 1), max(len(d)/leastBlocks, 1))
}

// resampled has the figures of a run that consists of random blocks of frames.
type resampled struct {
	fps, p50, p90, p99, missed, hitch, quantized float64
	integral, average, percentile                float64 // 1 % lows
}

// resample draws runs as long as d, the same for the same seed. A run without an order has none.
func (r *measured) resample(seed uint64, d record.Intervals) []resampled {
	n := len(d)
	if n == 0 || r.Sorted {
		return nil
	}
	block := block(d)
	values := slices.Clone(d)
	slices.Sort(values)
	values = slices.Compact(values)
	rank := make([]int32, n) // rank[i] is where d[i] stands among values
	for i, x := range d {
		k, _ := slices.BinarySearch(values, x)
		rank[i] = int32(k)
	}
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	counts := make([]int32, len(values))
	all := make([]resampled, min(mostRounds, max(leastRounds, 20_000_000/n)))
	for i := range all {
		clear(counts)
		for left := n; left > 0; left -= block {
			at := rng.IntN(n)
			for range min(block, left) {
				counts[rank[at]]++
				if at++; at == n {
					at = 0
				}
			}
		}
		all[i] = measure(values, counts, n, r.target)
	}
	return all
}

// measure has the formulas of record.Metrics, of values that ascend and how often each occurs, n times in all.
func measure(values record.Intervals, counts []int32, n int, target time.Duration) resampled {
	var s resampled
	var total, late, missed float64
	r := float64(target)
	seen := 0
	ranks := [...]struct {
		p  float64
		to *float64
	}{{50, &s.p50}, {90, &s.p90}, {99, &s.p99}}
	next := 0
	for k, v := range values {
		c := float64(counts[k])
		x := float64(v)
		total += c * x
		if x > r {
			late += c * (x - r)
			missed += c * (math.Round(x/r) - 1)
		}
		seen += int(counts[k])
		for next < len(ranks) && float64(seen) >= math.Ceil(float64(n)*ranks[next].p/100*(1-1e-12)) {
			*ranks[next].to = ms(v)
			next++
		}
	}
	s.fps = float64(n) / total * 1e9
	s.missed = 100 * missed / (float64(n) + missed)
	s.hitch, s.quantized = 1000*late/total, 1000*missed*r/total
	// From the longest down: the three kinds of 1 % low.
	average := int(math.Ceil(0.01 * float64(n) * (1 - 1e-12)))
	percentile := max(1, int(math.Floor(0.01*float64(n)*(1+1e-12))))
	sum, longest := 0.0, 0.0
	above := 0
	for k := len(values) - 1; k >= 0; k-- {
		c, x := int(counts[k]), float64(values[k])
		if c == 0 {
			continue
		}
		if sum += float64(c) * x; s.integral == 0 && sum >= 0.01*total*(1-1e-12) {
			s.integral = 1e9 / x
		}
		longest += float64(min(c, max(average-above, 0))) * x
		if above += c; s.percentile == 0 && above >= percentile {
			s.percentile = 1e9 / x
		}
		if above >= average && s.integral > 0 {
			break
		}
	}
	s.average = float64(average) / longest * 1e9
	return s
}
