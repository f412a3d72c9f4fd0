package frametest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"
)

// A recording has the turns in the order in which they were played.
type recording struct{ Turns []*turn }

// The builds of a turn.
const (
	base = "base"
	head = "head"
)

// A turn is some frames of one build, in a process of its own.
type turn struct {
	Build  string
	Target time.Duration
	Frames []sample
	// Kinds has, by the kind of work, what each run cost in frames that are not void. Sections count as kinds.
	Kinds map[string][]time.Duration
	// CPU is the processor time of the process, or negative if unknown. Mallocs counts the objects that it allocated.
	CPU     time.Duration
	Mallocs uint64
}

// A sample is one frame.
type sample struct {
	Interval time.Duration // from its start to the next frame's
	Own      time.Duration // in the game's function
	CPU      time.Duration // of the frame's thread
	Kept     time.Duration // how long the system kept the thread off
	Void     cause
}

// A cause says how the system kept the frame's thread off.
type cause uint8

const (
	notVoid   cause = iota // not at all, or not for long
	byWaiting              // other programs had the processor
	byQuota                // the control group's CPU quota was used up
	byStop                 // no thread of the process ran: a signal, or the machine stood still
	causes
)

var causeNames = [causes]string{"", "waited for a processor", "stopped by the CPU quota", "stopped with the process"}

// values are the figures of one turn. NaN is unknown.
type values struct {
	frames int
	void   [causes]int
	figure [figures]float64
	kinds  map[string]float64
	over   float64 // percent of frames longer than the limit
}

// The figures of a turn.
const (
	p99 = iota
	missed
	hitch
	own
	cpu
	allocs
	figures
)

var figureNames = [figures]string{
	"p99 of intervals, ms", "missed, %", "hitch ratio, ms per s", "own work, ms", "CPU time per frame, ms",
	"allocations per frame",
}

// leastFrames is how many frames of a turn must not be void. Below, the turn says nothing.
const leastFrames = 10

// lateAnyway reports whether the frame would have missed a refresh even without the time that the system took. Such a
// frame counts as late, by the rest. Otherwise the longest frames would be void most often.
func (s sample) lateAnyway(target time.Duration) bool { return s.Interval-s.Kept >= target*3/2 }

// measureTurn computes the figures. Void frames count only for CPU time and allocations, which do not depend on when a
// thread runs.
func measureTurn(t *turn, limit time.Duration) values {
	v := values{kinds: map[string]float64{}, over: math.NaN()}
	for i := range v.figure {
		v.figure[i] = math.NaN()
	}
	var intervals, ownWork []time.Duration
	for _, s := range t.Frames {
		switch {
		case s.Void == notVoid:
			intervals, ownWork = append(intervals, s.Interval), append(ownWork, s.Own)
		case s.lateAnyway(t.Target):
			intervals = append(intervals, s.Interval-s.Kept)
			s.Void = notVoid
		}
		v.void[s.Void]++
	}
	v.frames = len(intervals)
	if n := float64(len(t.Frames)); n > 0 {
		v.figure[allocs] = float64(t.Mallocs) / n
		if t.CPU >= 0 {
			v.figure[cpu] = ms(t.CPU) / n
		}
	}
	if len(ownWork) < leastFrames || 2*len(ownWork) < len(t.Frames) {
		return v
	}
	slices.Sort(intervals)
	v.figure[p99] = ms(rank(intervals, 99))
	v.figure[missed], v.figure[hitch] = lateness(intervals, t.Target)
	v.figure[own] = ms(median(ownWork))
	v.over = overLimit(intervals, limit)
	for name, costs := range t.Kinds {
		if len(costs) >= leastFrames/2 {
			v.kinds[name] = ms(median(slices.Clone(costs)))
		}
	}
	return v
}

// lateness returns the missed refreshes in percent and the hitch ratio, as package record defines them.
func lateness(intervals []time.Duration, target time.Duration) (missed, hitch float64) {
	var total, late time.Duration
	var lost float64
	for _, d := range intervals {
		total += d
		late += max(0, d-target)
		lost += max(0, math.Round(float64(d)/float64(target))-1)
	}
	return 100 * lost / (float64(len(intervals)) + lost), 1000 * float64(late) / float64(total)
}

// overLimit returns the percentage of intervals above the limit.
func overLimit(intervals []time.Duration, limit time.Duration) float64 {
	over := 0
	for _, d := range intervals {
		if d > limit {
			over++
		}
	}
	return 100 * float64(over) / float64(len(intervals))
}

// rank returns the p-th percentile, by nearest rank, of durations that ascend.
func rank(d []time.Duration, p int) time.Duration { return d[(len(d)*p+99)/100-1] }

// median sorts d.
func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return rank(d, 50)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// MarshalJSON keeps files small.
func (s sample) MarshalJSON() ([]byte, error) {
	return json.Marshal([]int64{int64(s.Interval), int64(s.Own), int64(s.CPU), int64(s.Kept), int64(s.Void)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *sample) UnmarshalJSON(text []byte) error {
	var n [5]int64
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	if n[4] < 0 || n[4] >= int64(causes) {
		return fmt.Errorf("frame of kind %d", n[4])
	}
	*s = sample{time.Duration(n[0]), time.Duration(n[1]), time.Duration(n[2]), time.Duration(n[3]), cause(n[4])}
	return nil
}
