package frametest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
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
	// Kinds has the costs of each part of the work: of each run of a kind of task, and of a section in each frame.
	Kinds map[string][]time.Duration
	// CPU is the processor time of the process, or negative if unknown. Mallocs counts the objects that it allocated.
	CPU     time.Duration
	Mallocs uint64
}

// read reads the JSON of a turn.
func (t *turn) read(text []byte) error {
	err := json.Unmarshal(text, t)
	for _, s := range t.Frames {
		if s.By >= causes {
			return fmt.Errorf("frame of kind %d", s.By)
		}
	}
	return err
}

// A sample is one frame.
type sample struct {
	Interval time.Duration // from its start to the next frame's
	Own      time.Duration // in the game's function, less waiting for a processor
	CPU      time.Duration // of the frame's thread
	Kept     time.Duration // how long the system kept the thread off
	By       cause
	Why      string `json:",omitempty"` // the cause of a long Interval by the loop's records, or ""
}

// A cause says how the system kept the frame's thread off.
type cause uint8

const (
	byNobody  cause = iota // not at all, or not for long
	byWaiting              // other programs had the processor
	byQuota                // the control group's CPU quota was used up
	byStop                 // no thread of the process ran: a signal, or the machine stood still
	causes
)

var causeNames = [causes]string{"", "waited for a processor", "stopped by the CPU quota", "stopped with the process"}

// values are the figures of one turn. NaN is unknown.
type values struct {
	frames int // that count
	kept   int // frames, void or not
	void   [causes]int
	figure [figures]float64
	parts  map[string]part
	over   float64 // percent of frames longer than the limit
}

// A part is a kind of task or a section.
type part struct {
	cost  float64 // of a run, ms
	share float64 // of all the time
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

var figureNames = [figures]struct{ name, unit string }{
	{"p99 of intervals", "ms"}, {"missed", "%"}, {"hitch ratio", "ms per s"}, {"own work", "ms"},
	{"CPU time per frame", "ms"}, {"allocations per frame", ""},
}

// leastFrames is how many frames of a turn must count. Below, the turn says nothing.
const leastFrames = 10

// counted returns the interval by which a frame counts. It is not ok if the frame is void: late, and only because of
// the system. A frame that would have missed a refresh anyway is late by the rest: else the longest frames would be
// void most often. A frame on time is on time whatever the system did.
func (s sample) counted(target time.Duration) (d time.Duration, ok bool) {
	switch rest := s.Interval - s.Kept; {
	case s.By == byNobody || s.Interval <= target+target/voidShare:
		return s.Interval, true
	case rest >= target*3/2:
		return rest, true
	}
	return 0, false
}

// stood reports whether threads of the process were stopped within the frame. Then its costs say nothing.
func (s sample) stood() bool { return s.By == byQuota || s.By == byStop }

// measureTurn computes the figures. Void frames count for CPU time and allocations, which do not depend on when a
// thread runs, and for costs, from which the waits are taken off.
func measureTurn(t *turn, limit time.Duration) values {
	v := values{parts: map[string]part{}, over: math.NaN()}
	for i := range v.figure {
		v.figure[i] = math.NaN()
	}
	var intervals record.Intervals
	var ownWork []time.Duration
	var all time.Duration
	for _, s := range t.Frames {
		all += s.Interval
		if s.By != byNobody {
			v.kept++
		}
		if !s.stood() {
			ownWork = append(ownWork, s.Own)
		}
		if d, ok := s.counted(t.Target); ok {
			intervals = append(intervals, d)
			s.By = byNobody
		}
		v.void[s.By]++
	}
	v.frames = len(intervals)
	if n := float64(len(t.Frames)); n > 0 {
		v.figure[allocs] = float64(t.Mallocs) / n
		if t.CPU >= 0 {
			v.figure[cpu] = words.Millis(t.CPU) / n
		}
	}
	if len(ownWork) >= leastFrames {
		v.figure[own] = words.Millis(typical(ownWork))
	}
	for name, costs := range t.Kinds {
		if len(costs) >= leastFrames/2 {
			cost := typical(costs)
			v.parts[name] = part{words.Millis(cost), float64(cost) * float64(len(costs)) / float64(all)}
		}
	}
	if len(intervals) < leastFrames || 2*len(intervals) < len(t.Frames) {
		return v
	}
	m := intervals.Figures(t.Target)
	v.figure[p99], v.figure[missed], v.figure[hitch] = words.Millis(m.ByFrame.P99), m.MissedPercent, m.HitchRatio
	v.over = overLimit(intervals, limit)
	return v
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

// typical is the mean of all but the slowest tenth. A median jumps if every other frame has more to do.
func typical(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	d = d[:max(1, len(d)*9/10)]
	var sum time.Duration
	for _, x := range d {
		sum += x
	}
	return sum / time.Duration(len(d))
}
