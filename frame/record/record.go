package record

import (
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Flags say what was special about a frame. A Record carries any number of them.
type Flags uint8

const (
	// WarmUp marks one of the first frames of a run, while caches, shaders and the heap goal settle: see
	// Options.WarmUp. The Recorder sets it; such a frame is counted and kept, and left out of every statistic.
	WarmUp Flags = 1 << iota
	// Jump marks a frame whose Interval holds a jump of the clock, as frame.Options.JumpAfter says: a suspended
	// machine, a debugger, a hidden tab. The loop sets it. Counted, its seconds summed, left out of every statistic.
	Jump
	// Unfocused marks a frame of a window without focus, which most systems throttle.
	Unfocused
	// Loading marks a frame during which the game said that it was loading.
	Loading
	// Sliced marks a frame that had a slice: the three Slice instants are set.
	Sliced
	// Stepped marks a frame whose Step is known, be it 0.
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

// A Record is what one frame left behind. It is a plain value of fixed size: copying one allocates
// nothing, and its only pointer is the constant text of a label.
//
// The frame of a Record runs from Start to the next record's Start. Interval looks back: it is the
// time from the previous record's Start to this one, so the work which made an Interval long stands
// in the record before.
type Record struct {
	// Number is the loop's frame number, counted from 1.
	Number uint64
	// Start is when the frame began.
	Start deadline.Instant
	// Interval is Start less the previous frame's Start; 0 if there was none. Where the host slept in between
	// (frame.Loop.Rest), it is what the previous frame took until then, or the Target, whichever is longer. In a
	// browser's page it is the time between the refreshes of the two frames, as a page may begin a frame late.
	Interval time.Duration
	// Target is what Interval should have been, the r of the formulas; 0 is that of the record before, or
	// the Recorder's.
	Target time.Duration
	// Woke is how late the loop's own wait for this frame ended (in frame.Loop.Run or by frame.Options.Pace): from
	// the tick until the frame goroutine ran again, which is what the system and Go's scheduler took to wake it. 0
	// where the loop did not wait.
	Woke time.Duration
	// Waited is the part of Interval in which the loop itself waited (as above), or the host slept (frame.Loop.Rest).
	Waited time.Duration

	// UpdateBegin and UpdateEnd enclose the game's own updates. Both are 0 when Updates is 0.
	UpdateBegin, UpdateEnd deadline.Instant
	// SliceBegin and SliceEnd enclose the slice, SliceDeadline is when it was to end. Set if Sliced.
	SliceBegin, SliceDeadline, SliceEnd deadline.Instant
	// DrawEnd is when the host had finished drawing; 0 where the loop does not learn it.
	DrawEnd deadline.Instant
	// Step is how far the simulation advanced in this frame (updates times tick for a fixed step).
	// Set if Stepped. It is what the animation error compares with Interval.
	Step time.Duration

	// Updates is how often the game updated in this frame: 0, 1, 2 or more.
	Updates uint32
	// Ran counts the tasks that ran in the slice, Expired those among them which were overdue,
	// Deferred those which were ready and had to wait for a later frame, Canceled those which were
	// canceled since the frame before.
	Ran, Expired, Deferred, Canceled uint32
	// Jobs counts the pool's jobs which the frame goroutine itself ran in the slice.
	Jobs uint32
	// HandedBack counts the hand-backs since the frame before: coroutines whose wait for a job, or any other
	// Awaitable, has ended.
	HandedBack uint32

	// Ready and Delayed are the scheduler's queue depths at the end of the slice. Queued is the pool's, as the loop
	// last looked at it: every 16th frame, and in those in which jobs may have to run in the slice.
	Ready, Delayed, Queued int32

	// GCCycles counts the garbage collections completed since the record before, GCPause the time
	// for which they stopped the process. The Recorder fills both: see Recorder.SkipGC.
	GCCycles uint32
	// Flags say what was special about this frame.
	Flags   Flags
	GCPause time.Duration

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

// unused is how much of its time the slice left: 0 without a slice or a deadline, or when it ended there or after.
func (r *Record) unused() time.Duration {
	if !r.Flags.Has(Sliced) || r.SliceDeadline == deadline.Never {
		return 0
	}
	return max(0, r.SliceDeadline.Sub(r.SliceEnd))
}

// update is how long the game's own updates took together.
func (r *Record) update() time.Duration { return max(0, r.UpdateEnd.Sub(r.UpdateBegin)) }

// Busy is the time from Start to the last thing the loop saw the frame goroutine do: the end of the
// update, of the slice or of the drawing. The rest of the frame is waiting, or is hidden in the host.
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

// animationError is Step less Interval: positive when the world moved on by more than the time that
// was shown. ok is false when either is unknown, so that a loop without a step reports none, not 0.
func (r *Record) animationError() (e time.Duration, ok bool) {
	if r.Interval <= 0 || !r.Flags.Has(Stepped) {
		return 0, false
	}
	return r.Step - r.Interval, true
}
