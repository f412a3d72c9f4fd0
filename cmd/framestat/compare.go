package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hist"
)

// A difference is of one figure of two runs, the second minus the first.
type difference struct {
	*figure
	by, low, high float64
	known         bool // low and high are
	verdict       string
}

// The verdicts of a figure. A difference is seen if its interval leaves 0 out, and it is at least half a percent.
const (
	better     = "better"
	worse      = "worse"
	notSeen    = "no difference seen"
	negligible = 0.005
)

// Two runs are compared block by block, because slow frames come in bunches and a machine drifts: the frames of a run
// are no independent draws, but the figures of its blocks nearly are. If both runs are of one kind, their blocks might
// have come in any other order. So the blocks of both are dealt anew a thousand times, and each time the figure that
// stands out most is noted. What stands out more than in 98 of 100 deals is a difference. The figures of a block are
// dealt together, so one error rate holds for all of them at once, however much they move together.
const (
	mostBlocks   = 20 // of the shorter run
	leastBlocks  = 5
	leastInBlock = 30  // frames
	longerBlocks = 200 // of a run that is longer
	deals        = 999
	// chance is how often the deals alone see a difference. While a machine drifts, blocks still hang together, and
	// like runs differ somewhat more often: the rate that is promised is 5 %, see TestLikeRunsSeldomDiffer.
	chance = 0.02
)

// compare returns the differences of all figures that can be better or worse.
func compare(a, b *measured) []difference {
	var all []difference
	both := rows(a, b)
	as, bs, shown := blocks(a, b)
	var judged []int // indices in all
	var of []*figure
	for i := range both {
		f := &both[i]
		am, aok := f.metrics(a)
		bm, bok := f.metrics(b)
		if f.better == 0 || !aok || !bok {
			continue
		}
		if f.ofBlocks && len(as) > 0 && (shown || f.needs != displays) {
			judged, of = append(judged, len(all)), append(of, f)
		}
		all = append(all, difference{figure: f, by: f.of(bm) - f.of(am)})
	}
	limit, shifts := deal(as, bs, of)
	for i, k := range judged {
		d := &all[k]
		width := limit * shifts[i].deviation
		d.known, d.low, d.high = true, d.by-width, d.by+width
		if math.Abs(shifts[i].score()) <= limit {
			d.low, d.high = min(d.low, 0), max(d.high, 0)
		}
		am, _ := d.metrics(a)
		bm, _ := d.metrics(b)
		d.verdict = verdict(d.better, *d, max(math.Abs(d.of(am)), math.Abs(d.of(bm))))
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

// A shift is how the blocks of the second run differ from those of the first: their means, and how much that varies.
type shift struct{ by, deviation float64 }

// score is the difference in units of its deviation. Blocks that are all alike differ for certain, or not at all.
func (s shift) score() float64 {
	if s.by == 0 {
		return 0
	}
	return s.by / s.deviation
}

// shiftOf compares the blocks values[order[:n]] with the others. Blocks that are like the one before, as while a
// machine drifts, say less: the deviation grows as that of an autoregressive process with the same correlation.
func shiftOf(values []float64, order []int, n int) shift {
	var by, squares, products, variance float64
	for i, of := range [2][]int{order[:n], order[n:]} {
		mean := 0.0
		for _, k := range of {
			mean += values[k]
		}
		mean /= float64(len(of))
		own, last := 0.0, 0.0
		for j, k := range of {
			x := values[k] - mean
			own += x * x
			if j > 0 {
				products += x * last
			}
			last = x
		}
		squares += own
		variance += own / float64(len(of)-1) / float64(len(of))
		by += mean * float64(2*i-1)
	}
	like := 0.0
	if squares > 0 {
		// Among few blocks the correlation comes out too small, by about one divided by their number.
		blocks := float64(len(order)) / 2
		like = min(max((products/squares+1/blocks)/(1-3/max(blocks, 6)), 0), 0.95)
	}
	size := math.Abs(values[0]) + math.Abs(values[len(values)-1])
	return shift{by, max(math.Sqrt(variance*(1+like)/(1-like)), 1e-9*size, math.SmallestNonzeroFloat64)}
}

// deal returns how each figure differs, and the score that the figure which stands out most exceeds by chance.
func deal(as, bs []block, figures []*figure) (limit float64, found []shift) {
	if len(figures) == 0 {
		return 0, nil
	}
	n, blocks := len(as), slices.Concat(as, bs)
	order := make([]int, len(blocks))
	values := make([][]float64, len(figures)) // by block
	for i := range order {
		order[i] = i
	}
	for i, f := range figures {
		for _, b := range blocks {
			of := &b.frames
			if f.needs == displays {
				of = &b.shown
			}
			values[i] = append(values[i], f.of(of))
		}
		found = append(found, shiftOf(values[i], order, n))
	}
	rng := rand.New(rand.NewPCG(uint64(n), uint64(len(order)))) // the same verdict each time
	most := make([]float64, deals)
	for i := range most {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, of := range values {
			most[i] = max(most[i], math.Abs(shiftOf(of, order, n).score()))
		}
	}
	slices.Sort(most)
	return hist.At(most, 1-chance), found
}

// A block has the figures of some successive frames.
type block struct{ frames, shown metrics }

// blocks cuts both runs into blocks of equally many frames, as a percentile of few frames differs from one of many. A
// short run has none. The display's intervals are cut into as many blocks; shown is
// false if they are too few.
func blocks(a, b *measured) (as, bs []block, shown bool) {
	shorter := min(len(a.Intervals), len(b.Intervals))
	n := min(shorter/leastInBlock, mostBlocks)
	if n < leastBlocks {
		return nil, nil, false
	}
	each := shorter / n
	as = make([]block, min(len(a.Intervals)/each, longerBlocks))
	bs = make([]block, min(len(b.Intervals)/each, longerBlocks))
	eachShown := min(len(a.Displayed)/len(as), len(b.Displayed)/len(bs))
	for r, of := range map[*measured][]block{a: as, b: bs} {
		for i := range of {
			of[i].frames = piece(r.Intervals, i, len(of), each).Figures(r.target)
			of[i].shown = piece(r.Displayed, i, len(of), eachShown).Figures(r.target)
		}
	}
	return as, bs, eachShown > 0
}

// piece is the piece i of n that are spread over d evenly.
func piece(d record.Intervals, i, n, length int) record.Intervals {
	at := i * len(d) / n
	return d[at : at+length]
}
