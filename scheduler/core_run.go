package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/internal/regions"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// runs is the part of a Scheduler that runs of tasks stand on: the clock, the current slice, and what is learned of the
// costs. The frame goroutine's, and during a run the task's goroutine's.
type runs struct {
	timing   // see core_clock.go
	stopping // see core_clock.go
	slice    // the current or last slice
	kinds    kinds
	watch    *watch         // nil without OnEvent, KeepTimes and KeepRuns
	idSpace  uint64         // a bit of all IDs in events: see NumberApart
	meter    *regions.Meter // see Meter; may be nil
	fell     func()         // a kind is expected to take less than before; set at New
	namedPC  uintptr        // see worstName
	named    string
}

// slice has the state of one call of RunUntil.
type slice struct {
	slicing        bool
	n              uint32 // its number
	start, now     deadline.Instant
	asked          deadline.Instant // when the running task was last told to continue; 0 if it has not asked
	stretch        time.Duration    // its longest time without asking, up to then
	until          deadline.Instant // Never if there is no deadline
	length         time.Duration
	most           int  // runs after which it ends, in a test with a seed
	firstOfFrame   bool // the first slice of its frame
	slowPath       bool // see needsSlowPath
	current        *item
	currentOverdue bool // current was overdue when it started
	ran            int
	expired        int
	tooBig         int
	left           time.Duration // time that was left when the slice had ended
	tooLong        bool          // the task that was just chosen is expected not to fit into any slice like this
	touched        word          // a use of what fetch loads, so that the loads are not optimised away
	clockStalled   int           // tasks run since the clock last moved
	overdueRan     int           // overdue tasks run
	overdueUsed    time.Duration // time that overdue tasks used
	messagesRead   int           // messages read
	overdueQuota   time.Duration
	contQuota      time.Duration // what one task's continuations may use ahead of their peers
	starvedRan     bool
	worstCost      time.Duration // the longest run
	worstLabel     string
	worstPC        uintptr
	microBefore    uint64           // microtasks run before the slice
	traced         bool             // a trace was taken when the slice began
	loggedRuns     bool             // that, or runs are kept
	idleEnd        deadline.Instant // where it ends in this slice at the latest; 0 if it has not begun here
	row            regions.Region   // of plain tasks, on the carrier's goroutine: see trace_region.go
	rowLabel       string
	sharing        // see core_share.go
	turns
}

// beginCall begins a RunUntil or RunPhase, and reports whether there is anything to do: false after Close.
func (s *Scheduler) beginCall(verb string) bool {
	s.acquireToken(verb)
	if s.closed.Load() {
		s.releaseToken()
		return false
	}
	if s.n < lockChecks || race.Enabled {
		if wrong := s.misplaced(); wrong != "" {
			s.releaseToken()
			panic(wrong)
		}
	}
	return true
}

// endCall ends a RunUntil or RunPhase.
func (s *Scheduler) endCall() {
	p := s.firstPanic
	s.firstPanic = nil
	s.releaseToken()
	if p != nil && s.rethrow {
		panic(p)
	}
}

// beginSlice begins the slice that ends at d.
func (s *Scheduler) beginSlice(d deadline.Deadline) {
	s.newSlice(d, s.frameBegun || !s.framed)
	s.most = s.dice.Slice()
	s.frameBegun = false
	s.microBefore = s.microTotal
	if !s.framed {
		s.forgetPaces()
		s.newMicroFrame()
		s.releaseFrames(s.now)
	}
}

// newSlice sets up the slice that ends at d.
func (o *order) newSlice(d deadline.Deadline, firstOfFrame bool) {
	now := o.clock()
	end, ok := d.Instant()
	length := time.Duration(1<<63 - 1)
	overdueQuota, contQuota := length, contTime
	if ok {
		end = max(end.Add(time.Duration(o.skew)), now.Add(-1)) // what is left must not wrap
		length = max(end.Sub(now), 0)
		overdueQuota = time.Duration(o.share * float64(length))
		contQuota = length / 2
	} else {
		end = deadline.Never
	}
	o.slice = slice{
		slicing: true, n: o.n + 1, start: now, now: now, until: end, length: length, slowPath: true,
		firstOfFrame: firstOfFrame, overdueQuota: overdueQuota, contQuota: contQuota,
		traced: regions.On(),
	}
	if firstOfFrame {
		o.idles.endPass()
	}
	o.loggedRuns = o.traced || o.keepsRuns()
	o.countLeaps()
}

// oldSlice ends the slice for the work that is ready, and returns what is known of it here.
func (o *order) oldSlice() Result {
	r := Result{Ran: o.ran, Expired: o.expired, Deferred: len(o.passed), TooBig: o.tooBig, Used: o.now.Sub(o.start)}
	r.Worst.Label, r.Worst.Cost = o.worstName(), o.worstCost
	o.left = max(o.until.Sub(o.now), 0)
	o.restore()
	return r
}

// sliceOver reports whether the slice has ended. The first task always starts.
func (s *Scheduler) sliceOver() bool {
	if s.ran == 0 {
		return s.closing.Load()
	}
	return s.now >= s.until || s.ran >= s.most || s.drawAsked || s.closing.Load() || s.stopped() ||
		s.clockStalled >= flatLimit && s.until != deadline.Never
}

type node = taskqueue.Node[*item]

// Result says what a slice did.
type Result struct {
	Ran      int // runs: functions, steps, and stretches of coroutines
	Expired  int // runs that started overdue, Immediate ones left out
	Deferred int // tasks that did not fit
	TooBig   int // runs that do not fit into a whole slice
	Ready    int // ready tasks left over, the inbox left out

	Microtasks int  // not in Ran
	Held       bool // microtasks wait: this frame has run 1,000
	Draw       bool // see RequestDraw

	Used time.Duration // to the end of the last task

	// Worst is the longest run.
	Worst struct {
		Label string // the task's Label, or its function's name
		Cost  time.Duration
	}
}

// worstName returns the name of the longest run. It remembers the last function's name, which takes 50 ns
// to find.
func (r *runs) worstName() string {
	if r.worstPC == 0 || r.worstLabel != "" {
		return r.worstLabel
	}
	if r.worstPC != r.namedPC {
		r.namedPC, r.named = r.worstPC, nameOf(r.worstPC, "")
	}
	return r.named
}
