package record

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestLowsAtTheirEdges(t *testing.T) {
	d := Intervals{10 * ms, 20 * ms, 40 * ms}
	near(t, "average of at least one", lowAverage(d), 25, 1e-9)
	near(t, "percentile of at least the first rank", lowPercentile(d), 25, 1e-9)
	near(t, "integral, within the longest", lowIntegral(d), 25, 1e-9)
	long := slices.Repeat(Intervals{10 * ms}, 200)
	long[199] = 20 * ms // less than 1 % of the time
	near(t, "integral, beyond the longest", lowIntegral(long), 100, 1e-9)
	even := slices.Repeat(Intervals{r}, 1000)
	even[999] = 30 * r // the index form must not pull in the ties
	near(t, "average with ties", lowAverage(even), 60*10/39.0, 1e-6)
}

func TestStutterComparesWithTheMovingAverage(t *testing.T) {
	d := slices.Repeat(Intervals{10 * ms}, 100)
	d[50] = 100 * ms
	near(t, "one of 100 among tens", d.stutterPercent(), 100*100.0/1090, 1e-9)
	for i := 50; i < 100; i++ {
		d[i] = 100 * ms
	}
	// The 24th of the long ones makes the mean 40 ms at last.
	near(t, "a run that turns bad and stays so", d.stutterPercent(), 100*2400.0/5500, 1e-9)
	if got := slices.Repeat(Intervals{100 * ms}, 50).stutterPercent(); got != 0 {
		t.Errorf("a run that is always bad: got %v %%, want 0", got)
	}
	if got := slices.Repeat(Intervals{r}, 50).stutterWindow(); got != 41 {
		t.Errorf("window at 60 Hz: got %d, want 41", got)
	}
}

// worstRegion is the definition: every stretch between two starts, or the ends of the whole, with and
// without its ends.
func worstRegion(d Intervals) float64 {
	e := float64(d.total()) / float64(len(d))
	starts := []float64{0}
	for _, x := range d {
		starts = append(starts, starts[len(starts)-1]+float64(x))
	}
	ends := append([]float64{-e / 2, starts[len(starts)-1] + e/2}, starts...)
	worst := 0.0
	for _, from := range ends {
		for _, to := range ends {
			if to < from {
				continue
			}
			closed, open := 0, 0
			for _, s := range starts {
				if from <= s && s <= to {
					closed++
				}
				if from < s && s < to {
					open++
				}
			}
			worst = max(worst, float64(closed)*e-(to-from), (to-from)-float64(open)*e)
		}
	}
	return worst
}

func TestWorstRegionMatchesItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		d := make(Intervals, 1+rng.IntN(20))
		for i := range d {
			d[i] = time.Duration(1+rng.IntN(30)) * ms
		}
		near(t, "worst region", d.worstRegion().Seconds()*1e3, worstRegion(d)/1e6, 1e-3)
	}
}
