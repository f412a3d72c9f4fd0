package record

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/words"
	"github.com/frameslice/frameslice/workers"
)

// A Saving tells how many refreshes the recorded frames would not have missed if a part of them had been cheaper. Kind
// and Name are those of a FramePart on the frame goroutine. Fifth is for a part that takes a fifth less, and Moved for
// one that takes nothing there, as after a move to a worker. Both are estimates with a 95 % confidence interval.
//
// The estimate is arithmetic over the frames that came late. A frame ends earlier by what a part takes less. A shorter
// task, or job in the slice, only takes back an overrun of the slice, because other work fills the rest.
type Saving struct {
	Kind  string     `json:"kind"`
	Name  string     `json:"name,omitempty"`
	Fifth Confidence `json:"fifth"`
	Moved Confidence `json:"moved"`
}

// maxSavings is how many Savings a report has, those that save most.
const maxSavings = 5

// String says in one line what the part would save.
func (s *Saving) String() string {
	part := s.Kind + " outside of sections"
	if s.Name != "" {
		part = s.Kind + " " + words.Tail(words.Short(s.Name), 34)
	}
	count := func(c Confidence) string {
		return fmt.Sprintf("%.0f (%.0f to %.0f)", c.Point, c.Low, c.High)
	}
	return fmt.Sprintf("%s: %s if it took a fifth less, %s if it ran elsewhere", part, count(s.Fifth), count(s.Moved))
}

// Cheaper returns the parts of Records that would save most if they were cheaper, the most first: at most five. Of the
// tasks and jobs in a slice it knows the longest. It takes some milliseconds if there are late frames.
func (s *Snapshot) Cheaper() []Saving { return s.savings(nil) }

// savings is Cheaper with all runs of the frames, if they are known.
func (s *Snapshot) savings(runs []workers.Run) []Saving {
	h := s.newHostModel()
	n := len(s.Records)
	all := map[Saving][]time.Duration{} // the time of a part that counts, and a fifth of it, by record
	for i := range max(n-1, 0) {
		r, next := &s.Records[i], &s.Records[i+1]
		if !s.cameLate(next) || !next.follows(r) || !r.Timed() {
			continue
		}
		for _, p := range r.parts(next, runs) {
			most := p.Time
			switch {
			case p.Beside:
				continue
			case p.Kind == "task", p.Kind == "job":
				most = min(most, r.Overrun())
			case p.Kind != "section" && p.Kind != "callback" && p.Kind != "own work":
				continue
			}
			key := Saving{Kind: p.Kind, Name: p.Name}
			if all[key] == nil {
				all[key] = make([]time.Duration, 2*n)
			}
			all[key][i], all[key][n+i] = most, min(most, p.Time/5)
		}
	}
	var most []Saving
	for one, times := range all {
		moved, fifth := s.saves(&h, times[:n]), s.saves(&h, times[n:])
		if one.Moved.Point, one.Fifth.Point = moved[n], fifth[n]; moved[n] > 0 {
			most = append(most, one)
		}
	}
	slices.SortFunc(most, func(a, b Saving) int {
		return cmp.Or(cmp.Compare(b.Fifth.Point, a.Fifth.Point), cmp.Compare(b.Moved.Point, a.Moved.Point),
			strings.Compare(a.Kind+a.Name, b.Kind+b.Name))
	})
	most = most[:min(len(most), maxSavings)]
	for i := range most {
		one := &most[i]
		times := all[Saving{Kind: one.Kind, Name: one.Name}]
		one.Moved, one.Fifth = resampled(s.saves(&h, times[:n])), resampled(s.saves(&h, times[n:]))
	}
	return most
}

// saves returns how many refreshes would not have been missed if each record had been shorter by so much, added up: the
// value i is for the records before i. A frame that would not have been late spares the next one the updates that made
// up for it.
func (s *Snapshot) saves(h *hostModel, shorter []time.Duration) (saved []float64) {
	n := len(shorter)
	saved = make([]float64, n+1)
	for i, share := 0, 0.0; i < n-1; i++ {
		r, next := &s.Records[i], &s.Records[i+1]
		d := shorter[i]
		if r.Updates > 1 {
			d += time.Duration(share * float64(r.update()) * float64(r.Updates-1) / float64(r.Updates))
		}
		now := 0.0
		share = 0
		if d > 0 && s.cameLate(next) && next.follows(r) {
			now = h.saves(r, next, min(d, r.Busy()))
			share = now / float64(refresh.Missed(next.Interval, cmp.Or(next.Target, h.target)))
		}
		saved[i+1] = saved[i] + now
	}
	saved[n] = saved[max(n-1, 0)]
	return saved
}

// A hostModel says how often a frame comes late that is so long. In a host that waits for the display an interval is a
// whole number of refreshes, and the host takes a time of its own that varies.
type hostModel struct {
	target time.Duration
	whole  bool // intervals are whole numbers of refreshes
	steps  []lateStep
}

// A lateStep says how many of the frames of busy or more, up to the next step, came late.
type lateStep struct {
	busy        time.Duration
	late, count float64
}

// isLess reports whether fewer of the frames of s came late than of those of o, or as many.
func (s *lateStep) isLess(o *lateStep) bool { return s.late*o.count <= o.late*s.count }

// newHostModel takes the likelihood to come late from all frames, by how long they were busy. A longer frame is not
// less likely to be late, so neighbors that say otherwise are put together (isotonic regression, by the pooling of
// adjacent violators).
func (s *Snapshot) newHostModel() hostModel {
	h := hostModel{target: s.Target}
	late, whole := 0, 0
	for i := range max(len(s.Records)-1, 0) {
		r, next := &s.Records[i], &s.Records[i+1]
		if next.Flags&s.Exclude != 0 || !next.follows(r) || !r.Timed() {
			continue
		}
		one := lateStep{busy: r.Busy(), count: 1}
		if s.cameLate(next) {
			one.late = 1
		}
		h.steps = append(h.steps, one)
		if refreshes := float64(next.Interval) / float64(s.Target); refreshes > 1.2 {
			late++
			if math.Abs(refreshes-math.Round(refreshes)) < 0.1 {
				whole++
			}
		}
	}
	h.whole = 3*whole > 2*late
	slices.SortFunc(h.steps, func(a, b lateStep) int { return cmp.Compare(a.busy, b.busy) })
	pooled := h.steps[:0]
	for _, one := range h.steps {
		for n := len(pooled) - 1; n >= 0 && (pooled[n].busy == one.busy || one.isLess(&pooled[n])); n-- {
			one = lateStep{pooled[n].busy, pooled[n].late + one.late, pooled[n].count + one.count}
			pooled = pooled[:n]
		}
		pooled = append(pooled, one)
	}
	h.steps = pooled
	return h
}

// lateness returns how likely a frame is to come late that is busy for d.
func (h *hostModel) lateness(d time.Duration) float64 {
	i, _ := slices.BinarySearchFunc(h.steps, d+1, func(s lateStep, d time.Duration) int {
		return cmp.Compare(s.busy, d)
	})
	step := &h.steps[max(i-1, 0)]
	return step.late / step.count
}

// saves returns how many refreshes would not have been missed before next if r had been shorter by d. The host takes
// what it took. So a late frame is late again with the likelihood of the shorter frame over that of the longer one.
func (h *hostModel) saves(r, next *Record, d time.Duration) (saved float64) {
	target := cmp.Or(next.Target, h.target)
	missed := refresh.Missed(next.Interval, target)
	if !h.whole {
		return float64(missed - refresh.Missed(next.Interval-d, target))
	}
	for busy := r.Busy(); missed > 0 && busy >= h.steps[0].busy; missed-- { // no frame was shorter
		if was := h.lateness(busy); was > 0 {
			saved += 1 - h.lateness(busy-d)/was
		}
		busy -= target // as late for the refresh after
	}
	return saved
}

// resampled returns the sum of what the records save, and its confidence interval. saved is added up: see saves.
func resampled(saved []float64) Confidence {
	n := len(saved) - 1
	rng := rand.New(rand.NewPCG(0, uint64(n)))
	rounds := make([]float64, 1000)
	for i := range rounds {
		for from, to := range resample(rng, n) {
			rounds[i] += saved[to] - saved[from]
		}
	}
	return confidence(saved[n], rounds)
}

// savings writes what would help most.
func (t *textTable) savings(r *Report) {
	if len(r.Cheaper) == 0 {
		return
	}
	t.Line("")
	t.Line("  refreshes that would not have been missed%s", r.star())
	for i := range r.Cheaper {
		t.Line("  %s", &r.Cheaper[i])
	}
}
