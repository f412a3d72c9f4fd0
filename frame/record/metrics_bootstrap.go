package record

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A Confidence is an estimate with its 95 % confidence interval.
type Confidence struct {
	Point float64 `json:"point"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// A Bootstrap says how Intervals.Bootstrap resamples. The zero value is ready.
type Bootstrap struct {
	// Seed makes the result repeatable; the same seed and data give the same interval.
	Seed uint64 `json:"seed"`
	// Rounds is how often the run is resampled, at most 1<<24; 0 or less means 1000, or fewer for more than 20,000
	// frames, but at least 200.
	Rounds int `json:"rounds"`
	// Block is how many successive frames are drawn together; 0 or less means the cube root of their number.
	Block int `json:"block"`
}

// maxRounds is the greatest Bootstrap.Rounds.
const maxRounds = 1 << 24

func (b Bootstrap) withDefaults(n int) Bootstrap {
	if b.Rounds <= 0 {
		b.Rounds = min(1000, max(200, 20_000_000/max(1, n)))
	}
	if b.Block <= 0 {
		b.Block = int(math.Round(math.Cbrt(float64(n))))
	}
	b.Block = min(max(b.Block, 1), max(n, 1))
	return b
}

// Bootstrap returns the 95 % confidence intervals of the 99th percentile, in milliseconds, and of
// HitchRatio, in ms/s. It draws blocks of successive frames with replacement, around the end (the circular
// block bootstrap), because a slow frame often follows a slow one: drawing single frames gives intervals
// that are too narrow. With fewer than some 500 frames the 99th percentile rests on a handful of frames,
// and its interval is a guess.
func (d Intervals) Bootstrap(r time.Duration, b Bootstrap) (p99, hitchRatio Confidence) {
	if b.Rounds > maxRounds {
		panic(fmt.Sprintf("record: Bootstrap with Rounds of %d, more than 1<<24", b.Rounds))
	}
	n := len(d)
	if n == 0 {
		return Confidence{}, Confidence{}
	}
	b = b.withDefaults(n)
	values := slices.Compact(d.ascending())
	rank := make([]int32, n) // rank[i] is where d[i] stands among values
	for i, x := range d {
		k, _ := slices.BinarySearch(values, x)
		rank[i] = int32(k)
	}
	var (
		rng    = rand.New(rand.NewPCG(b.Seed, uint64(n)))
		counts = make([]int32, len(values))
		ps     = make([]float64, b.Rounds)
		hs     = make([]float64, b.Rounds)
		above  = n - 1 - rankOf(n, 99) // how many frames lie behind the percentile's rank
	)
	for round := range b.Rounds {
		clear(counts)
		var total, hitch float64
		for left := n; left > 0; left -= b.Block {
			at := rng.IntN(n)
			for range min(b.Block, left) {
				counts[rank[at]]++
				total += float64(d[at])
				hitch += float64(max(0, d[at]-r))
				if at++; at == n {
					at = 0
				}
			}
		}
		k := len(values) - 1
		for seen := int(counts[k]); seen <= above; seen += int(counts[k]) {
			k--
		}
		ps[round] = values[k].Seconds() * 1000
		if total > 0 {
			hs[round] = 1000 * hitch / total
		}
	}
	p99 = confidence(d.Percentile(99).Seconds()*1000, ps)
	return p99, confidence(d.HitchRatio(r), hs)
}

// confidence is the percentile interval: the middle 95 % of what the rounds gave.
func confidence(point float64, rounds []float64) Confidence {
	slices.Sort(rounds)
	n := len(rounds)
	return Confidence{Point: point, Low: rounds[rankOf(n, 2.5)], High: rounds[rankOf(n, 97.5)]}
}
