package zoo_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/frameslice/frameslice/internal/hist"
)

// A total is the scores of a way over all seeds: frames are sums, the longest frame is the longest of all, and times
// and shares are means.
type total struct {
	name          string
	seeds         int
	missed, until int
	longest       time.Duration
	took          time.Duration
	share         float64
	frames        int
	start, worst  time.Duration // of the Immediate tasks: median and worst
	busy          []time.Duration
}

// collect adds up the scores of a way.
func collect(name string, scores []score) total {
	t := total{name: name, seeds: len(scores)}
	var starts []time.Duration
	for i := range scores {
		s := &scores[i]
		t.missed += s.missed
		t.until += s.until
		t.frames += s.frames
		t.longest = max(t.longest, s.longest)
		t.took += s.took / time.Duration(len(scores))
		t.share += s.share / float64(len(scores))
		starts = append(starts, s.starts...)
		t.busy = append(t.busy, s.busy...)
	}
	slices.Sort(starts)
	t.start, t.worst = hist.At(starts, 0.5), hist.At(starts, 1)
	return t
}

// A measure says which frames are compared.
type measure int

const (
	inWindow  measure = iota // those missed in the window, beyond the host's own
	untilDone                // all those missed until the load was done
)

func (m measure) of(t, alone *total) int {
	if m == untilDone {
		return t.until
	}
	return max(0, t.missed-alone.missed)
}

// tenth reports whether a is less than b by more than a tenth.
func tenth[T int | float64 | time.Duration](a, b T) bool { return float64(a)*1.1 < float64(b) }

// betterFrames reports whether a has fewer frames missed than b, by more than a tenth and by more than chance, and no
// frame that is longer by more than a tenth. Chance is a frame for each seed, or in the window a fiftieth of those that
// the host misses by itself: with another number of frames an uneven host draws other ones.
func (m measure) betterFrames(a, b, alone *total) bool {
	x, y, chance := m.of(a, alone), m.of(b, alone), a.seeds
	if m == inWindow {
		chance = max(chance, alone.missed/50)
	}
	return tenth(x, y) && y-x > chance && !tenth(b.longest, a.longest)
}

// betterWork reports whether a gets more work done than b, by more than a tenth.
func betterWork(l *load, a, b *total) bool {
	if l.n > 0 {
		return tenth(a.took, b.took)
	}
	return tenth(b.share, a.share)
}

// A verdict compares ours with all rivals.
type verdict int

const (
	level     verdict = iota
	better            // every rival is behind in frames or in work, and at least one in both or none ahead
	dominated         // a rival is better in frames and in work
)

func (v verdict) String() string { return [...]string{"level", "better", "dominated"}[v] }

// judge returns the verdict by a measure, and the rival that dominates: that with the shortest time.
func (c *cell) judge(m measure) (verdict, *total) {
	var by *total
	v := better
	for i := range c.rivals {
		r := &c.rivals[i]
		frames, work := m.betterFrames(r, &c.ours, &c.alone), betterWork(c.load, r, &c.ours)
		if frames && work && (by == nil || betterWork(c.load, r, by)) {
			by = r
		}
		if !m.betterFrames(&c.ours, r, &c.alone) && !betterWork(c.load, &c.ours, r) {
			v = level
		}
	}
	if by != nil {
		return dominated, by
	}
	return v, nil
}

// A cell is a host with a load, played in every way.
type cell struct {
	host        *host
	load        *load
	seeds       int
	alone, ours total
	rivals      []total
}

func (c *cell) name() string { return c.host.name + " / " + c.load.name }

// free returns what a frame of the host alone leaves of the interval: in the mean, and in all but a fiftieth of the
// frames.
func (t *total) free(interval time.Duration) (mean, sure time.Duration) {
	if len(t.busy) == 0 {
		return 0, 0
	}
	busy := slices.Sorted(slices.Values(t.busy))
	for _, b := range busy {
		mean += max(0, interval-b)
	}
	return mean / time.Duration(len(busy)), max(0, interval-hist.At(busy, 0.98))
}

// fits reports whether each item fits in what a frame leaves. Nobody knows what an item leaves to the host before it
// has run, so items that leave something do not count as such that fit.
func (l *load) fits(room time.Duration) bool {
	if l.item == nil {
		return true
	}
	for i := range max(l.n, 100) {
		if it := l.item(i, (moment{n: i, seed: 1}).random); it.cost > room || it.left > 0 {
			return false
		}
	}
	return true
}

// faults returns the rules that the cell breaks.
func (c *cell) faults() (f []string) {
	if v, by := c.judge(inWindow); v == dominated {
		f = append(f, fmt.Sprintf("dominated by %s: %s, ours %s", by.name, c.figures(by), c.figures(&c.ours)))
	}
	reached := c.alone.missed*50 < c.alone.frames
	if least := c.least(); !reached && c.waits() && c.ours.share < least {
		f = append(f, fmt.Sprintf("the rate is not reached, and work has %.1f %% of the time, less than %.1f",
			100*c.ours.share, 100*least))
	}
	_, sure := c.alone.free(c.host.interval)
	beyond := c.ours.missed - c.alone.missed
	if reached && beyond > learned*c.seeds && c.load.fits(sure) && !c.load.loading {
		f = append(f, fmt.Sprintf("the rate is reached and tasks fit, but %d frames were missed beyond the host's",
			beyond))
	}
	return f
}

// learned is how many frames a play may miss although the tasks fit: the reserve for the host's work after the slice is
// learned by missing.
const learned = 2

// least returns the part of the time that work must have where the rate is not reached: an eighth, and a half while
// loading beside a host that misses every eighth frame by itself. A host is known within a second, or two frames.
func (c *cell) least() float64 {
	least := 1. / 8
	if c.load.loading && c.alone.missed*8 >= c.alone.frames {
		least = 1. / 2
	}
	unknown := min(max(time.Second, 2*c.alone.longest), 2*time.Second)
	return least * max(0, 1-float64(unknown)/float64(max(c.ours.took, 1)))
}

// waits reports whether more work waits than an eighth of the time.
func (c *cell) waits() bool {
	switch {
	case c.load.n > 0:
		return c.load.how != submits || c.host.workers == 0
	case c.load.every == nil:
		return false
	}
	mean, _ := c.alone.free(c.host.interval)
	return float64(ms)/float64(c.load.every(mean, c.host.interval)) > 1./8
}

// figures is a total in a line.
func (c *cell) figures(t *total) string {
	beyond := t.missed - c.alone.missed
	s := fmt.Sprintf("%d missed beyond, %d until done, longest %v, ", beyond, t.until, t.longest.Round(ms))
	if c.load.n > 0 {
		return s + fmt.Sprintf("%.2f s", t.took.Seconds())
	}
	return s + fmt.Sprintf("%.1f %%", 100*t.share)
}
