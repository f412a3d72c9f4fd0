package record

import (
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/words"
)

// A Confidence is an estimate with its 95 % confidence interval.
type Confidence struct {
	Point float64 `json:"point"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// A resampled run consists of blocks of successive frames, since slow frames come in bunches. A block has half a second
// of 60 Hz, and there are ten blocks or more, as one block as long as the run would be the run.
const (
	blockFrames = 30
	leastBlocks = 10
)

// resample returns the blocks, from and to, of one resampled run of n frames. One that goes beyond the end continues
// at the beginning.
func resample(rng *rand.Rand, n int) iter.Seq2[int, int] {
	block := min(blockFrames, max(n/leastBlocks, 1))
	return func(yield func(from, to int) bool) {
		for left := n; left > 0; left -= block {
			from := rng.IntN(n)
			to := from + min(block, left)
			if !yield(from, min(to, n)) || to > n && !yield(0, to-n) {
				return
			}
		}
	}
}

// bootstrap returns the 95 % confidence intervals of the 99th percentile, in milliseconds, and of Metrics.HitchRatio.
// It is deterministic. Below about 500 frames the percentile's interval is a guess. 4096 frames take about 20 ms.
func (d Intervals) bootstrap(r time.Duration, seed uint64) (p99, hitchRatio Confidence) {
	n := len(d)
	if n == 0 {
		return Confidence{}, Confidence{}
	}
	rounds := min(1000, max(200, 20_000_000/n))
	values := slices.Compact(d.ascending())
	rank := make([]int32, n) // rank[i] is where d[i] stands among values
	for i, x := range d {
		k, _ := slices.BinarySearch(values, x)
		rank[i] = int32(k)
	}
	var (
		rng    = rand.New(rand.NewPCG(seed, uint64(n)))
		counts = make([]int32, len(values))
		ps     = make([]float64, rounds)
		hs     = make([]float64, rounds)
		above  = n - int(hist.Nearest(uint64(n), 0.99)) // how many frames lie behind the percentile's rank
	)
	for round := range rounds {
		clear(counts)
		var total, hitch float64
		for from, to := range resample(rng, n) {
			for at := from; at < to; at++ {
				counts[rank[at]]++
				total += float64(d[at])
				hitch += float64(max(0, d[at]-r))
			}
		}
		k := len(values) - 1
		for seen := int(counts[k]); seen <= above; seen += int(counts[k]) {
			k--
		}
		ps[round] = words.Millis(values[k])
		if total > 0 {
			hs[round] = 1000 * hitch / total
		}
	}
	p99 = confidence(words.Millis(d.Percentile(99)), ps)
	return p99, confidence(1000*share(d.lateBy(r), d.total()), hs)
}

// confidence is the percentile interval: the middle 95 % of the rounds.
func confidence(point float64, rounds []float64) Confidence {
	slices.Sort(rounds)
	return Confidence{Point: point, Low: hist.At(rounds, 0.025), High: hist.At(rounds, 0.975)}
}
