package flow

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/where"
	"github.com/frameslice/frameslice/scheduler"
)

// Full is what a Bound does with work for which there is no room. See workers.Overflow for why a pool has other ways.
type Full uint8

const (
	// Reject refuses it, with ErrFull. It is the default.
	Reject Full = iota
	// DropOldest takes it and drops the oldest work that waits in the same priority, which never runs. It is
	// for what is worth less with age: sounds, particles, messages on the screen. What is dropped leaves its turn to
	// those after it: until that begins, events, and the cost by which it is admitted, are those of what was dropped.
	DropOldest
	// CallerRuns runs it at once, in Post, on the calling goroutine: for work that may run anywhere. It slows
	// down who produces too much.
	CallerRuns
)

// String returns the constant's name in lower case.
func (f Full) String() string {
	switch f {
	case Reject:
		return "reject"
	case DropOldest:
		return "drop-oldest"
	case CallerRuns:
		return "caller-runs"
	}
	return fmt.Sprintf("Full(%d)", uint8(f))
}

const (
	// defaultBound is the default of BoundOptions.Limit and of LatestOptions.Keys.
	defaultBound = 1024
	// maxRing is the greatest BoundOptions.Limit with DropOldest.
	maxRing = 1 << 24
)

// BoundOptions configure a Bound.
type BoundOptions struct {
	// Limit is how many functions of one priority may wait or run at a time; with DropOldest, may wait. The default
	// (zero) value is 1,024. NewBound panics if it is negative or, with DropOldest, which makes room for all at once,
	// more than 1<<24.
	Limit int

	// Limits, by Priority.Lane, replace Limit where they are not zero.
	Limits [deadline.NumPriorities]int

	// Full is what becomes of work beyond the limit. The default (zero) value is Reject.
	Full Full
}

// Bound stands in front of a scheduler's Post and bounds what waits behind it: a producer that is faster than
// the frames, or that goes on while the game is minimized, then costs a bounded amount of memory. Other
// work of the scheduler does not count. Make one with NewBound; its methods may be called from any goroutine.
type Bound struct {
	s     *scheduler.Scheduler
	full  Full
	lanes [deadline.NumPriorities]boundLane
	slots sync.Pool  // *boundSlot
	spent *boundSlot // whose run is over, or about to be; frame goroutine

	dropped, rejected, callerRan atomic.Uint64
}

// boundLane is one priority of a Bound.
type boundLane struct {
	credits credits
	ring    *ring // DropOldest
}

// boundSlot carries a function through the scheduler. Until Submit it is its producer's, then the frame
// goroutine's.
type boundSlot struct {
	task scheduler.Task
	b    *Bound
	lane *boundLane
	f    func() // for DropOldest what was posted first; the ring has what runs
}

// NewBound returns a Bound in front of s.
func NewBound(s *scheduler.Scheduler, o BoundOptions) *Bound {
	mustNotBeNil(s, "NewBound")
	if o.Full > CallerRuns {
		panic("flow: NewBound with an invalid " + o.Full.String())
	}
	b := &Bound{s: s, full: o.Full}
	for i := range b.lanes {
		n, name := o.Limits[i], "Limits"
		if n == 0 {
			n, name = o.Limit, "Limit"
		}
		if n == 0 {
			n = defaultBound
		}
		switch {
		case n < 0:
			panic(fmt.Sprintf("flow: NewBound with BoundOptions.%s of %d, less than 0", name, n))
		case o.Full == DropOldest && n > maxRing:
			panic(fmt.Sprintf("flow: NewBound with DropOldest and BoundOptions.%s of %d, more than 1<<24", name,
				n))
		}
		b.lanes[i].credits.init(n)
		if o.Full == DropOldest {
			b.lanes[i].ring = newRing(n)
		}
	}
	return b
}

// Post queues f with priority p if there is room, and else does what BoundOptions.Full says. If it returns ErrFull,
// which only Reject does, or ErrClosed, f does not run. If it returns nil, f runs, unless DropOldest drops it or Close
// comes before its turn, which it may even while Post runs. It never blocks, but for the time of f with
// CallerRuns. It panics if f is nil or p invalid. Without DropOldest it does not allocate, as a rule: what it reuses is
// the collector's to take.
func (b *Bound) Post(p deadline.Priority, f func()) error {
	l, err := b.check("Post", p, f)
	if err != nil {
		return err
	}
	if l.ring != nil {
		if l.ring.put(f) {
			b.dropped.Add(1)
		} else {
			b.submit(l, p, f)
		}
		return nil
	}
	if l.credits.take() {
		b.submit(l, p, f)
		return nil
	}
	if b.full == CallerRuns {
		b.callerRan.Add(1)
		f()
		return nil
	}
	b.rejected.Add(1)
	return ErrFull
}

// PostWait is Post for a goroutine that can wait: it returns when there is room, or when ctx is done, with
// its cause, or with ErrClosed when the scheduler closes. Those that wait are served in their order; a Post in
// between may be faster. A nil ctx is context.Background. With DropOldest there is always room.
//
// Where the frame goroutine would have to wait for itself (in a task, in a job that runs in a slice, in the
// Update of a wrapped game or the function of a frame.Loop's Run) it returns ErrWouldBlock instead. A host's
// own frame goroutine between two slices is not recognised: Post is for that.
func (b *Bound) PostWait(ctx context.Context, p deadline.Priority, f func()) error {
	l, err := b.check("PostWait", p, f)
	if err != nil {
		return err
	}
	if l.ring != nil {
		return b.Post(p, f)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !l.credits.take() {
		if where.In(nil, where.Task, where.Job, where.Frame) {
			return ErrWouldBlock
		}
		if err := l.credits.wait(ctx, b.s.Context().Done()); err != nil {
			return err
		}
	}
	b.submit(l, p, f)
	return nil
}

func (b *Bound) check(verb string, p deadline.Priority, f func()) (*boundLane, error) {
	if f == nil {
		panic("flow: Bound." + verb + " of a nil function")
	}
	mustBeValid(p)
	if b.s.Context().Err() != nil {
		return nil, scheduler.ErrClosed
	}
	return &b.lanes[p.Lane()], nil
}

// submit sends f on its way; with a ring, a request to run what that has.
func (b *Bound) submit(l *boundLane, p deadline.Priority, f func()) {
	c, _ := b.slots.Get().(*boundSlot)
	if c == nil {
		c = &boundSlot{b: b}
		c.task.Func = c.run
	}
	c.task.Priority = p
	c.task.Wraps(f)
	c.lane, c.f = l, f
	b.s.Submit(&c.task)
}

// run is what the scheduler runs. Its slot can be used again only when the run has ended for the scheduler
// too, which it has when the next one begins.
func (c *boundSlot) run() {
	b, l, f := c.b, c.lane, c.f
	if b.spent != nil && b.spent.task.State() != scheduler.Running { // it runs if we are in a Nest of its
		b.slots.Put(b.spent)
	}
	b.spent, c.f = c, nil
	if l.ring != nil {
		next := l.ring.take()
		c.task.Wraps(next)
		next()
		return
	}
	defer l.credits.give() // deferred: f may panic, or call Goexit
	f()
}

// Len returns how many functions of priority p wait or run, at most the limit; with DropOldest the one that runs does
// not count, nor towards the limit. A moment's value; 0 after Close.
func (b *Bound) Len(p deadline.Priority) int {
	mustBeValid(p)
	if b.s.Context().Err() != nil {
		return 0
	}
	l := &b.lanes[p.Lane()]
	if l.ring != nil {
		return l.ring.len()
	}
	return int(l.credits.used.Load())
}

// BoundStats are totals of a Bound.
type BoundStats struct {
	Dropped   uint64 // by DropOldest
	Rejected  uint64 // by Reject
	CallerRan uint64 // by CallerRuns
}

// Stats returns the totals.
func (b *Bound) Stats() BoundStats {
	return BoundStats{Dropped: b.dropped.Load(), Rejected: b.rejected.Load(), CallerRan: b.callerRan.Load()}
}
