package flow

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// DebounceOptions configure a Debounce.
type DebounceOptions struct {
	// Wait is the pause between calls that ends a burst. It must be positive.
	Wait time.Duration

	// MaxWait, if positive, has the function run although the burst goes on: that long after the burst began (with the
	// slice that hears of its first call), and again that long after each such run. With NoTrailing nothing runs then;
	// the burst is over, and the next call begins another one, with a run of its own. The default (zero) value is no
	// such limit: as long as the calls go on the function does not run.
	MaxWait time.Duration

	// Leading runs the function at the first call of a burst too.
	Leading bool

	// NoTrailing does not run the function at the end of a burst: with it Leading must be set.
	NoTrailing bool

	// Priority is that of the runs. The default (zero) value is deadline.Normal.
	Priority deadline.Priority
}

// Debounce runs a function when a burst of calls has ended: to lay out once a window's size does not change
// any more, to save once nobody has typed for a second. Make one with NewDebounce; its methods may be called
// from any goroutine.
//
// A call counts at the time of Call. The function runs on the frame goroutine, in the first slice after its
// edge that has room for it; if that is so late that the next edge has passed, once for both. Calls which the
// frame goroutine hears of only after their burst was over (no slice ran for so long) are of the same burst as
// those after them.
type Debounce struct{ p pulse }

// NewDebounce returns a Debounce which runs f. It panics if s or f is nil, if Wait is not positive, if there is no
// edge left, or if Priority is invalid.
func NewDebounce(s *scheduler.Scheduler, o DebounceOptions, f func()) *Debounce {
	d := &Debounce{}
	d.p.init("NewDebounce", s, o.Priority, f, edges{
		wait: o.Wait, most: o.MaxWait, leading: o.Leading, trailing: !o.NoTrailing,
	})
	return d
}

// Call says that there is something to run for. It never blocks, does not allocate and takes some 50 ns.
func (d *Debounce) Call() { d.p.call() }

// Flush runs the function in the next slice if the trailing edge would run it, and ends the burst. What is owed when
// the scheduler closes does not run: a Flush and a slice go before that.
func (d *Debounce) Flush() { d.p.flush() }

// Cancel takes back all calls for which the function has not run: it does not run until the next Call. Where
// the function is running, or about to start while another goroutine cancels, that run ends.
func (d *Debounce) Cancel() { d.p.cancel() }

// ThrottleOptions configure a Throttle.
type ThrottleOptions struct {
	// Wait is the least time between two runs. It must be positive.
	Wait time.Duration

	// NoLeading lets the first call wait for the end of its period.
	NoLeading bool

	// NoTrailing ignores calls that come before Wait is over.
	NoTrailing bool

	// Priority is that of the runs. The default (zero) value is deadline.Normal.
	Priority deadline.Priority
}

// Throttle runs a function at most once in a time, however often it is called: a position to tell the server,
// a minimap to draw again. Without NoTrailing there always is a run after the last call. Make one with
// NewThrottle; its methods may be called from any goroutine.
//
// The time between runs is that between the slices in which they become due; a run may start later than that,
// for want of room.
type Throttle struct{ p pulse }

// NewThrottle returns a Throttle which runs f. It panics if s or f is nil, if Wait is not positive, if there is no
// edge left, or if Priority is invalid.
func NewThrottle(s *scheduler.Scheduler, o ThrottleOptions, f func()) *Throttle {
	t := &Throttle{}
	t.p.init("NewThrottle", s, o.Priority, f, edges{
		wait: o.Wait, leading: !o.NoLeading, trailing: !o.NoTrailing, throttle: true,
	})
	return t
}

// Call says that there is something to run for. It never blocks, does not allocate and takes some 50 ns.
func (t *Throttle) Call() { t.p.call() }

// Flush runs the function in the next slice if the end of the period would run it; another period begins.
func (t *Throttle) Flush() { t.p.flush() }

// Cancel takes back all calls for which the function has not run, and ends the period. See Debounce.Cancel.
func (t *Throttle) Cancel() { t.p.cancel() }

// pulse ties edges to a scheduler. What is wanted comes by a bell; the edges are the frame goroutine's.
//
// S36. A Debounce or a Throttle is told of its calls in two words besides its bell. A call reads the
// clock, raises last to that time, sets first to it if first is 0, and rings. The bell's task, look, answers; if a call
// rang, it swaps first for 0, loads last, and reads the clock, in this order. Of the looks that a call rang for, let
// F be what the n-th finds in first, and L the earlier of last and its own time. Of each call that rang before it
// answered:
//
//	(a) L is not before the call's time.
//	(b) F is not 0 and not after the call's end, unless an L of a look before is not before the call's time.
//	(c) F is not of the call, if it rang before look n-1 answered.
//
// So each call is heard as if it came at some time between its beginning and its end, and none is lost: edges.go asks
// by F whether a burst was over, which (b) keeps it from being when a call has bridged the gap, and (c) from going on
// by a call that it has heard of; and by L how long it goes on.
//
// Proof. (a) The call raised last before it rang, last never goes back, and the look loads it, and reads the clock,
// after its answer. (b) At the call's third step there is a moment at which first is not 0. If a look before n swaps
// after that, it loads last after that too, which has been raised: its L is not before the call. If not, first
// stays what it was at that moment until look n swaps, because that comes after the answer, and so after the ring;
// whoever set it had read the clock by then. (c) What look n finds was set after look n-1 swapped, so after it
// answered, and who sets first has not rung.
//
// The order matters. With first before last, a call that found first set just before a swap and stored last just after
// the load was in neither; nor was one between the look's reading of the clock and its swap. Were last stored, not
// raised, one interrupted behind its reading of the clock would put it back, and a later call that is alone after
// the end of a period could go unheard.
//
// Of calls on both sides of a Flush, those after it are heard with the same F and L: a Flush ends the burst, and a
// throttle with a trailing edge asks for neither.
//
// What is left: L may be of a call that has not rung yet. It is heard again when it has, and may have one run more. A
// Cancel takes back the rings, so first may stay what it was, but then no burst is open and nobody asks for F. If
// the clock was ahead when only a call looked, L is the look's own time until it gets there.
type pulse struct {
	s     *scheduler.Scheduler
	bell  bell
	first atomic.Int64 // the first call since look asked, an Instant by Now; 0 if none
	last  atomic.Int64 // the last call of all; it never goes back
	e     edges
	armed bool // the timer is queued; never for later than the edges are due
	timer scheduler.Task

	queued bool // the run was submitted, and has not begun since
	run    scheduler.Task
}

// What a pulse's bell is rung for, in the order in which look hears it. A Cancel forgets what was wanted before it, so
// it goes first. A call is heard on the side of a Flush on which it rang, and many calls between two Flushes are one.
// More pairs of these than one change nothing: what runs for the first runs for all.
const (
	wantCancel = 1 << iota
	wantCall   // before any Flush
	wantFlush  // the first
	wantBoth   // calls after that, and another Flush
	wantLater  // calls after the last Flush
	wantCalls  = wantCall | wantBoth | wantLater
)

func (p *pulse) init(who string, s *scheduler.Scheduler, prio deadline.Priority, f func(), e edges) {
	mustNotBeNil(s, who)
	if f == nil {
		panic("flow: " + who + " with a nil function")
	}
	if e.wait <= 0 {
		panic("flow: " + who + " without a positive Wait: " + e.wait.String())
	}
	if !e.leading && !e.trailing {
		panic("flow: " + who + " without an edge")
	}
	mustBeValid(prio)
	p.s, p.e = s, e
	p.last.Store(math.MinInt64) // in a bubble the clock is below 0
	// Who decides takes no time, and if it waited for its turn the function would wait twice.
	p.bell.task = scheduler.Task{Priority: deadline.Immediate, Func: p.look}
	p.timer = scheduler.Task{Priority: deadline.Immediate, Func: p.expire}
	p.run = scheduler.Task{Priority: prio, Func: p.wanted(f)}
	p.run.Wraps(f)
}

func (p *pulse) call() {
	now := int64(p.s.Now())
	for last := p.last.Load(); last < now && !p.last.CompareAndSwap(last, now); {
		last = p.last.Load()
	}
	if p.first.Load() == 0 {
		p.first.CompareAndSwap(0, now|1)
	}
	p.bell.ring(p.s, func(w uint32) uint32 {
		if w&wantFlush != 0 {
			return w | wantLater
		}
		return w | wantCall
	})
}

func (p *pulse) flush() {
	p.bell.ring(p.s, func(w uint32) uint32 {
		if w&wantLater != 0 {
			return w&^wantLater | wantBoth
		}
		return w | wantFlush
	})
}

// cancel rings, and no more.
//
// S38. The function does not begin after a Cancel without a call after it: when its run begins it looks at the word. If
// a Cancel is wanted it does nothing. If one was answered, look has canceled what was queued, so the run is of a call
// that came later. Such a run nobody takes back but another Cancel. (Cancel took back itself what it found queued, and
// it could find that; and it could find nothing yet, where look, or expire, was about to queue it.)
func (p *pulse) cancel() {
	p.bell.ring(p.s, func(uint32) uint32 { return wantCancel })
}

// wanted runs f if nobody has canceled. It is what the run does.
func (p *pulse) wanted(f func()) func() {
	return func() {
		p.queued = false
		if p.bell.word.Load()&wantCancel == 0 {
			f()
		}
	}
}

// look is what the bell's task does.
func (p *pulse) look() {
	w := p.bell.answer()
	var first, last deadline.Instant
	if w&wantCalls != 0 {
		first, last = deadline.Instant(p.first.Swap(0)), deadline.Instant(p.last.Load())
	}
	now := p.s.Now()
	if w&wantCancel != 0 {
		p.e.cancel()
		p.run.Cancel()
		p.queued = false
	}
	for _, part := range [...]struct{ call, flush bool }{
		{w&wantCall != 0, w&wantFlush != 0}, {w&wantBoth != 0, w&wantBoth != 0}, {w&wantLater != 0, false},
	} {
		if part.call && p.heard(first, last, now) {
			p.start()
		}
		if part.flush && p.e.flush(now) {
			p.start()
		}
	}
	if p.e.expire(now) {
		p.start()
	}
	p.arm(now)
}

// heard tells the edges of the calls. The clock may have been ahead for a moment that no slice saw; and if there is no
// first, those that rang are not new.
func (p *pulse) heard(first, last, now deadline.Instant) (run bool) {
	last = min(last, now)
	if first == 0 || first > last {
		first = last
	}
	return p.e.call(first, last, now)
}

// expire is what the timer does. Calls that are not known yet are of the burst, so if there are any, look does
// this.
func (p *pulse) expire() {
	p.armed = false
	if p.bell.word.Load() != 0 {
		return
	}
	now := p.s.Now()
	if p.e.expire(now) {
		p.start()
	}
	p.arm(now)
}

// start has the function run, unless it is queued already, or will be when the run in whose Nest we are has ended.
func (p *pulse) start() {
	if !p.queued {
		p.queued = true
		p.s.Submit(&p.run)
	}
}

// arm sets the timer. One that is set stays: it looks again when it expires, and edges are never due earlier
// than they were when it was set.
func (p *pulse) arm(now deadline.Instant) {
	if p.armed || !p.e.open {
		return
	}
	p.armed = true
	p.timer.Delay = p.e.due().Sub(now)
	p.s.Submit(&p.timer)
}
