package record

import (
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/framecsv"
)

// Flags say what was special about a frame. WarmUp and Jump frames do not count.
type Flags uint16

const (
	// WarmUp marks the first frames: see Options.WarmUp.
	WarmUp Flags = 1 << iota
	// Jump marks a jump of the clock: see frame.Options.JumpAfter.
	Jump
	// The window had no focus.
	Unfocused
	// The game said that it was loading.
	Loading
	// The frame had a slice.
	Sliced
	// Step is known.
	Stepped
	// The slice ran beside the host: frame.PlaceShadow.
	Shadowed
	// The host was late without any work, so that the slice was the share of work: see deadline.Budget.
	BelowRate
)

var flagNames = [...]string{
	framecsv.WarmUp, framecsv.Jump, "unfocused", "loading", "sliced", "stepped", "shadowed", "below-rate",
}

// names returns the names of the flags, joined by "|".
func (f Flags) names() string {
	var names []string
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

// A Record says what one frame did. Interval is the time from the previous Start to this one, so a long Interval was
// caused by the work of the previous frame: look at the fields of the previous record.
type Record struct {
	Number uint64
	Start  deadline.Instant
	// Interval is the time since the previous Start, and 0 for the first frame. A sleep of the host (frame.Loop.Rest)
	// does not count, and Interval is then at least Target. In a browser Interval is between refreshes, and with
	// frame.PlaceShadow between the calls of Begin, which may wait for a slice before the frame starts.
	Interval time.Duration
	// Target is what Interval should be. The default (0) is that of the record before.
	Target time.Duration
	// Woke is how late the loop's own wait ended, or 0.
	Woke time.Duration
	// Waited is how long the loop waited or the host slept within Interval.
	Waited time.Duration

	// The game's updates; 0 if Updates is 0.
	UpdateBegin, UpdateEnd deadline.Instant
	// Set if Sliced.
	SliceBegin, SliceDeadline, SliceEnd deadline.Instant
	// DrawEnd is when the host had drawn; 0 if unknown.
	DrawEnd deadline.Instant
	// Input is when the game saw the oldest input of this frame, and HandedOver when the game's part of the picture was
	// done: see frame.Loop.Input. Shown is when the display changed: see Recorder.Presented. 0 if unknown.
	Input, HandedOver, Shown deadline.Instant
	// Step is how far the simulation advanced. Set if Stepped.
	Step    time.Duration
	Updates uint32

	Counts

	// Queue lengths after the slice. The pool's are read in one frame of several, so they are no base for differences.
	Ready   int32 // tasks that may run
	Delayed int32 // tasks that wait for their start
	Queued  int32 // jobs in the pool's queues

	Flags Flags

	// The most expensive task of the slice. WorstCost includes what the system took: see OfWorst.
	WorstLabel string
	WorstCost  time.Duration

	// The longest job that the slice ran, and the time that it took there, with what the system took.
	WorstJob     string
	WorstJobCost time.Duration

	// HostTask is the kind of task after which the host took so long that this frame came late, or "".
	HostTask string

	// System tells how much of the frame the operating system took.
	System System

	// Sections are the named parts of the frame's own work. The Recorder keeps a copy of the first 16. In OnLate they
	// are valid until OnLate returns.
	Sections []Section
}

// System is what the operating system took of a frame's own work, of its slice, and of the time between the frame
// before and Start.
type System struct{ Own, Slice, Before Taken }

// Taken is how much of a part of a frame the operating system took.
//
// Go does not tell when a goroutine runs, so package frame asks Linux about the thread. Time is the thread's run delay
// (/proc/self/task/TID/schedstat): the thread could run, and the system ran others, or kept the process to its CPU
// quota. AtMost is all the time in which the thread was on no processor. The difference is a wait, and nobody knows
// whose: the goroutine's for a lock, a channel or a file, or Go's scheduler's for another thread that the system kept
// off. If the goroutine went to another thread within the part, AtMost is the whole part.
//
// Known is false on other systems, and in the first frame. Then the system may have taken anything.
type Taken struct {
	Time, AtMost time.Duration
	Known        bool
}

// Split divides a part of length d: into what was work for sure, what the system took for sure, and what may be either.
func (t Taken) Split(d time.Duration) (work, system, either time.Duration) {
	if !t.Known {
		return 0, 0, d
	}
	system = min(t.Time, d)
	either = min(t.AtMost, d) - system
	return d - system - either, system, either
}

// Budget is the slice's granted time, or 0. A slice without a deadline was granted what it used.
func (r *Record) Budget() time.Duration {
	if r.Flags&Sliced == 0 || r.SliceDeadline == deadline.Never {
		return r.Used()
	}
	return max(0, r.SliceDeadline.Sub(r.SliceBegin))
}

// Used is how long the slice was, or 0.
func (r *Record) Used() time.Duration {
	if r.Flags&Sliced == 0 {
		return 0
	}
	return max(0, r.SliceEnd.Sub(r.SliceBegin))
}

// Overrun is how long the slice ran after its deadline, or 0.
func (r *Record) Overrun() time.Duration {
	if r.Flags&Sliced == 0 {
		return 0
	}
	return max(0, r.SliceEnd.Sub(r.SliceDeadline))
}

// unused is how much of its time the slice left: 0 without a slice or a deadline.
func (r *Record) unused() time.Duration {
	if r.Flags&Sliced == 0 || r.SliceDeadline == deadline.Never {
		return 0
	}
	return max(0, r.SliceDeadline.Sub(r.SliceEnd))
}

// update is how long the game's own updates took together.
func (r *Record) update() time.Duration { return max(0, r.UpdateEnd.Sub(r.UpdateBegin)) }

// Busy is the time from Start to the last end of update, slice or drawing.
func (r *Record) Busy() time.Duration {
	end := r.Start
	for _, at := range [...]deadline.Instant{r.UpdateEnd, r.SliceEnd, r.DrawEnd} {
		if at != 0 && end < at {
			end = at
		}
	}
	return end.Sub(r.Start)
}

// Latency is the time from Input to another instant of the frame, such as HandedOver. ok is false if either is unknown.
func (r *Record) Latency(to deadline.Instant) (d time.Duration, ok bool) {
	if r.Input == 0 || to == 0 || to < r.Input {
		return 0, false
	}
	return to.Sub(r.Input), true
}

// Timed reports whether the end of the frame's own work is known: the frame had a slice, or DrawEnd or HandedOver is
// set. Else the rest of the frame is not recorded, and nobody can tell own work from the host.
func (r *Record) Timed() bool { return r.Flags&Sliced != 0 || r.DrawEnd != 0 || r.HandedOver != 0 }

// Own is how long the frame's own work took: Busy without the slice.
func (r *Record) Own() time.Duration { return r.Busy() - r.Used() }

// slicedFirst reports whether own work followed the slice: frame.PlaceFirst.
func (r *Record) slicedFirst() bool { return r.Flags&Sliced != 0 && r.DrawEnd > r.SliceEnd }

// host is how much of the time until next neither the frame nor a wait of the loop took.
func (r *Record) host(next *Record) time.Duration { return max(0, next.Interval-r.Busy()-next.Waited) }

// OfWorst is what the system took of the most expensive task. The time of the slice beside the task may have been taken
// first.
func (r *Record) OfWorst() Taken { return r.System.Slice.within(r.Used(), r.WorstCost) }

// OfJob is what the system took of the longest job in the slice.
func (r *Record) OfJob() Taken { return r.System.Slice.within(r.Used(), r.WorstJobCost) }

// OfSection is what the system took of a section of the frame's own work, without the sections within.
func (r *Record) OfSection(s *Section) Taken { return r.ofOwn(s.Own) }

// ofOwn is what the system took of some part of the frame's own work that took d.
func (r *Record) ofOwn(d time.Duration) Taken { return r.System.Own.within(r.Own(), d) }

// within returns what was taken of a part of d within a part of all.
func (t Taken) within(all, d time.Duration) Taken {
	t.Time = min(max(0, t.Time-max(0, all-d)), d)
	t.AtMost = max(min(t.AtMost, d), t.Time)
	return t
}

// animationError is Step less Interval: positive when the world moved on by more than the time that was shown. ok is
// false when either is unknown.
func (r *Record) animationError() (e time.Duration, ok bool) {
	if r.Interval <= 0 || r.Flags&Stepped == 0 {
		return 0, false
	}
	return r.Step - r.Interval, true
}

// follows reports whether o is of the frame before: no Rest, no jump and no border of merged Snapshots lies in between.
func (r *Record) follows(o *Record) bool {
	gap := r.Start.Sub(o.Start)
	return r.Interval > 0 && r.Flags&Jump == 0 && gap >= 0 && gap <= r.Interval+time.Millisecond
}
