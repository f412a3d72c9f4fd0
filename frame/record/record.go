package record

import (
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Flags say what was special about a frame.
type Flags uint8

const (
	// WarmUp marks one of the first frames of a run: see Options.WarmUp. The Recorder sets it. The statistics leave
	// such a frame out.
	WarmUp Flags = 1 << iota
	// Jump marks a frame whose Interval holds a jump of the clock: a suspended machine, a debugger, a hidden tab. See
	// frame.Options.JumpAfter. The loop sets it. The statistics leave such a frame out, and sum its seconds.
	Jump
	// Unfocused marks a frame of a window without focus, which most systems throttle.
	Unfocused
	// Loading marks a frame during which the game said that it was loading.
	Loading
	// Sliced marks a frame that had a slice: the three Slice instants are set.
	Sliced
	// Stepped marks a frame whose Step is known.
	Stepped
	// Nested marks a frame of a modal loop: see frame.Loop.Nest.
	Nested
	// Shadowed marks a frame whose slice ran beside the host: see frame.PlaceShadow.
	Shadowed
)

var flagNames = [...]string{"warm-up", "jump", "unfocused", "loading", "sliced", "stepped", "nested", "shadowed"}

// Has reports whether any of the flags in q is set.
func (f Flags) Has(q Flags) bool { return f&q != 0 }

// String returns the names of the flags, joined by "|", and "" for none.
func (f Flags) String() string {
	var names []string
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

// A Record is what one frame left behind. Copying one allocates nothing.
//
// The frame of a Record runs from Start to the next record's Start. Interval looks back, from Start to the previous
// record's Start. So the work that made an Interval long stands in the record before.
type Record struct {
	// Number is the loop's frame number, counted from 1.
	Number uint64
	// Start is when the frame began.
	Start deadline.Instant
	// Interval is Start less the previous frame's Start; 0 if there was none. After a sleep of the host
	// (frame.Loop.Rest) Interval is the time until the sleep, and at least Target. In a browser's page Interval is the
	// time between the refreshes of the two frames.
	Interval time.Duration
	// Target is what Interval should have been, the r of the formulas. The default (0) is that of the record before.
	Target time.Duration
	// Woke is how late the loop's own wait for this frame ended, in frame.Loop.Run or by frame.Options.Pace. It is what
	// the system and Go's scheduler took to wake the frame goroutine. 0 if the loop did not wait.
	Woke time.Duration
	// Waited is the part of Interval in which the loop itself waited, or the host slept (frame.Loop.Rest).
	Waited time.Duration

	// UpdateBegin and UpdateEnd enclose the game's own updates. Both are 0 when Updates is 0.
	UpdateBegin, UpdateEnd deadline.Instant
	// SliceBegin and SliceEnd enclose the slice, SliceDeadline is when it was to end. Set if Sliced.
	SliceBegin, SliceDeadline, SliceEnd deadline.Instant
	// DrawEnd is when the host had finished drawing; 0 if the loop does not learn it.
	DrawEnd deadline.Instant
	// Step is how far the simulation advanced in this frame. Set if Stepped. The animation error compares Step with
	// Interval.
	Step time.Duration
	// Updates is how often the game updated in this frame: 0, 1, 2 or more.
	Updates uint32

	Counts

	// Ready and Delayed are the scheduler's queue depths at the end of the slice. Queued is the pool's. The loop reads
	// Queued every 16th frame, and when jobs may have to run in the slice.
	Ready, Delayed, Queued int32

	// Flags say what was special about this frame.
	Flags Flags

	// WorstLabel and WorstCost tell the most expensive task of the slice.
	WorstLabel string
	WorstCost  time.Duration
}

// Budget is how long the slice was allowed to be: 0 without a slice, and never negative.
func (r *Record) Budget() time.Duration {
	if !r.Flags.Has(Sliced) {
		return 0
	}
	return max(0, r.SliceDeadline.Sub(r.SliceBegin))
}

// Used is how long the slice was: 0 without a slice.
func (r *Record) Used() time.Duration {
	if !r.Flags.Has(Sliced) {
		return 0
	}
	return max(0, r.SliceEnd.Sub(r.SliceBegin))
}

// Overrun is by how much the slice missed its deadline: 0 without a slice, or when it ended in time.
func (r *Record) Overrun() time.Duration {
	if !r.Flags.Has(Sliced) {
		return 0
	}
	return max(0, r.SliceEnd.Sub(r.SliceDeadline))
}

// unused is how much of its time the slice left: 0 without a slice or a deadline.
func (r *Record) unused() time.Duration {
	if !r.Flags.Has(Sliced) || r.SliceDeadline == deadline.Never {
		return 0
	}
	return max(0, r.SliceDeadline.Sub(r.SliceEnd))
}

// update is how long the game's own updates took together.
func (r *Record) update() time.Duration { return max(0, r.UpdateEnd.Sub(r.UpdateBegin)) }

// Busy is the time from Start to the end of the update, of the slice or of the drawing, the latest of these. In the
// rest of the frame the loop waits, or the host works.
func (r *Record) Busy() time.Duration {
	end := r.Start
	for _, at := range [...]deadline.Instant{r.UpdateEnd, r.SliceEnd, r.DrawEnd} {
		if at != 0 && end.Before(at) {
			end = at
		}
	}
	return end.Sub(r.Start)
}

// own is how long the frame's own work took.
func (r *Record) own() time.Duration { return r.Busy() - r.Used() }

// animationError is Step less Interval: positive when the world moved on by more than the time that was shown. ok is
// false when either is unknown.
func (r *Record) animationError() (e time.Duration, ok bool) {
	if r.Interval <= 0 || !r.Flags.Has(Stepped) {
		return 0, false
	}
	return r.Step - r.Interval, true
}
