package flow

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/scheduler"
)

// Debounce runs a function when a burst of calls has ended: to lay out after a resize, to save after typing. It runs in
// the first slice after the burst that has room. While calls continue it does not run: if it must, take a Throttle.
type Debounce struct{ p pulse }

// NewDebounce returns a Debounce that runs f with priority p. A burst is over when wait has passed since its last call.
// NewDebounce panics if s or f is nil, p is invalid, or wait is not positive.
func NewDebounce(s *scheduler.Scheduler, p deadline.Priority, wait time.Duration, f func()) *Debounce {
	d := &Debounce{}
	d.p.init("NewDebounce", s, p, f, edges{wait: wait})
	return d
}

// Call asks for a run, in about 50 ns. Nothing allocates.
func (d *Debounce) Call() { d.p.call() }

// Flush ends the burst: if a call waits, the function runs in the next slice. Call Flush, and run a slice, before the
// scheduler's Close.
func (d *Debounce) Flush() { d.p.flush() }

// Cancel takes back all calls whose run has not begun.
func (d *Debounce) Cancel() { d.p.cancel() }

// Throttle runs a function at most once in a time: to tell the server a position, to draw a minimap. It runs at the
// first call, and there always is a run after the last. A run may start later, if the slice has no room.
type Throttle struct{ p pulse }

// NewThrottle returns a Throttle that runs f with priority p, and waits at least wait between two runs. It panics as
// NewDebounce does.
func NewThrottle(s *scheduler.Scheduler, p deadline.Priority, wait time.Duration, f func()) *Throttle {
	t := &Throttle{}
	t.p.init("NewThrottle", s, p, f, edges{wait: wait, throttle: true})
	return t
}

// Call asks for a run, in about 50 ns. Nothing allocates.
func (t *Throttle) Call() { t.p.call() }

// pulse ties edges to a scheduler. Wishes come by the signal; the edges belong to the frame goroutine.
//
// S36. Two words beside the signal, first and last, report calls. A call reads the clock, raises last to that time,
// sets first to it if first is 0, and raises the signal. The signal's task, look, answers. If a call raised the signal,
// look swaps first for 0, loads last, and reads the clock, in this order. Count the looks for which a call raised the
// signal. Let F be the value that the n-th look finds in first, and L the earlier of last and the look's own time. For
// each call that raised the signal before that look's answer:
//
//	(a) L is not before the call's time.
//	(b) F is not 0 and not after the call's end, unless an L of an earlier look is not before the call's time.
//	(c) F is not of the call, if the call raised the signal before look n-1 answered.
//
// So each call counts at some time between its beginning and its end, and none is lost. From F, edges.go sees whether a
// burst was over. By (b) a burst is not over if a call has bridged the gap. By (c) a call that was counted before does
// not prolong the burst. From L, edges.go sees when the last call came.
//
// Proof. (a) The call raised last before the signal, last never goes back, and look loads last, and reads the clock,
// after its answer. (b) At the call's third step there is a moment at which first is not 0. If an earlier look swaps
// after that moment, it loads last after that too, when last has been raised: its L is not before the call. If not,
// first stays as it was at that moment until look n swaps, because the swap follows the answer, and the answer follows
// the signal. The goroutine that set first had read the clock by then. (c) The value that look n finds was set after
// look n-1 swapped, so after it answered, and a goroutine that sets first has not raised the signal.
//
// The order matters. With first before last, a call that found first set just before a swap, and stored last just after
// the load, would be in neither. The same holds for a call between the look's reading of the clock and its swap. If
// last were stored and not raised, a goroutine that is interrupted after reading the clock would put last back.
//
// Two effects are left. L may be of a call that has not raised the signal yet: that call is counted again later, and
// may cause one run more. A Cancel clears the wish of a call, so first may stay as it was: then no burst is open, and F
// is not used.
type pulse struct {
	s      *scheduler.Scheduler
	signal signal
	first  atomic.Int64 // the first call since look took it, an Instant; 0 if none
	last   atomic.Int64 // the last call of all; it never goes back
	e      edges
	armed  bool // the timer is queued, for when the edges are due or earlier
	timer  scheduler.Task

	queued bool // the run was submitted, and has not begun since
	run    scheduler.Task
}

// The wishes, in the order in which look handles them. A Cancel drops all earlier wishes, so it comes first. A call
// counts as before or after the last Flush; many calls count as one.
const (
	wantCancel = 1 << iota
	wantCall   // before the last Flush
	wantFlush
	wantLater // calls after that
	wantCalls = wantCall | wantLater
)

func (p *pulse) init(verb string, s *scheduler.Scheduler, prio deadline.Priority, f func(), e edges) {
	mustNotBeNil(s, verb)
	if f == nil {
		panic("flow: " + verb + " with a nil function")
	}
	if e.wait <= 0 {
		panic("flow: " + verb + " with a wait that is not positive: " + e.wait.String())
	}
	mustBeValid(prio)
	p.s, p.e = s, e
	p.last.Store(math.MinInt64) // in virtual time the clock may be below 0
	// look and expire take no time, and if they waited for their turn the function would wait twice.
	p.signal.task = scheduler.Task{Priority: deadline.Immediate, Func: p.look}
	p.timer = scheduler.Task{Priority: deadline.Immediate, Func: p.expire}
	p.run = scheduler.Task{Priority: prio, Func: p.unlessCanceled(f)}
	bridge.Of(s).Wraps(&p.run, f)
}

func (p *pulse) call() { p.callAt(int64(p.s.Now()), wishCall) }

// callAt is call at the time now, which the clock has just said. It raises the signal by wish.
func (p *pulse) callAt(now int64, wish func(uint32) uint32) {
	for last := p.last.Load(); last < now && !p.last.CompareAndSwap(last, now); {
		last = p.last.Load()
	}
	if p.first.Load() == 0 {
		p.first.CompareAndSwap(0, now|1)
	}
	p.signal.raise(p.s, wish)
}

// wishCall adds a call to the wishes.
func wishCall(w uint32) uint32 {
	if w&wantFlush != 0 {
		return w | wantLater
	}
	return w | wantCall
}

func (p *pulse) flush() {
	p.signal.raise(p.s, func(w uint32) uint32 {
		if w&wantLater != 0 {
			w = w&^wantLater | wantCall
		}
		return w | wantFlush
	})
}

// cancel raises the signal, and no more.
//
// S38. After a Cancel the function does not begin without a later call. When a run begins it looks at the word, and
// does nothing if a Cancel is wanted. If a Cancel was answered, look has canceled the queued run, so this run is of a
// later call. Only another Cancel takes that run back. (If Cancel itself took back the queued run, it could hit the run
// of a later call, or come before look has queued the run.)
func (p *pulse) cancel() {
	p.signal.raise(p.s, func(uint32) uint32 { return wantCancel })
}

// unlessCanceled returns the run's function: f, unless a Cancel is wanted.
func (p *pulse) unlessCanceled(f func()) func() {
	return func() {
		p.queued = false
		if p.signal.word.Load()&wantCancel == 0 {
			f()
		}
	}
}

// hear answers the signal. It returns the wishes, F and L of S36, and the time.
func (p *pulse) hear() (w uint32, first, last, now deadline.Instant) {
	w = p.signal.answer()
	if w&wantCalls != 0 {
		first, last = deadline.Instant(p.first.Swap(0)), deadline.Instant(p.last.Load())
	}
	now = p.s.Now()
	return w, first, min(last, now), now // the clock may have been ahead for a moment that no slice saw
}

// look is the function of the signal's task: it handles the wishes.
func (p *pulse) look() {
	w, first, last, now := p.hear()
	if first == 0 || first > last { // without a first, the calls are not new
		first = last
	}
	if w&wantCancel != 0 {
		p.e.cancel()
		p.run.Cancel()
		p.queued = false
	}
	if w&wantCall != 0 && p.e.call(first, last, now) {
		p.start()
	}
	if w&wantFlush != 0 && p.e.flush() {
		p.start()
	}
	if w&wantLater != 0 && p.e.call(first, last, now) {
		p.start()
	}
	if p.e.expire(now) {
		p.start()
	}
	p.arm(now)
}

// expire is the timer's function. Calls that look has not handled yet belong to the burst: if there are any, look does
// this.
func (p *pulse) expire() {
	p.armed = false
	if p.signal.word.Load() != 0 {
		return
	}
	now := p.s.Now()
	if p.e.expire(now) {
		p.start()
	}
	p.arm(now)
}

// start submits the run, unless it is queued already.
func (p *pulse) start() {
	if !p.queued {
		p.queued = true
		p.s.Submit(&p.run)
	}
}

// arm sets the timer. A timer that is set stays: it looks again when it expires, and edges are never due earlier than
// they were when it was set.
func (p *pulse) arm(now deadline.Instant) {
	if p.armed || !p.e.open {
		return
	}
	p.armed = true
	p.timer.Delay = p.e.due().Sub(now)
	p.s.Submit(&p.timer)
}
