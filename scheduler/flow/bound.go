package flow

import (
	"context"
	"fmt"
	"sync"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/where"
	"github.com/frameslice/frameslice/scheduler"
)

// Bound limits the work that waits behind Post, and so the memory of a fast producer. Other work of the scheduler does
// not count.
type Bound struct {
	s        *scheduler.Scheduler
	lanes    [deadline.NumPriorities]slots
	messages sync.Pool     // *boundMessage
	last     *boundMessage // the one that ran last; frame goroutine
}

// slots is a channel with an element for each function that waits or runs. A full channel makes senders wait in their
// order.
type slots chan struct{}

// boundMessage carries a function through the scheduler. It belongs to its producer until Submit, then to the frame
// goroutine.
type boundMessage struct {
	task scheduler.Task
	b    *Bound
	lane slots
	f    func()
}

// NewBound returns a Bound in front of s. At most limit functions of one priority may wait or run; 0 means 1,024. Take
// less where functions keep much memory. NewBound panics if s is nil or limit is negative.
func NewBound(s *scheduler.Scheduler, limit int) *Bound {
	mustNotBeNil(s, "NewBound")
	if limit < 0 {
		panic(fmt.Sprintf("flow: NewBound with a limit of %d, less than 0", limit))
	}
	if limit == 0 {
		limit = mostWaiting
	}
	b := &Bound{s: s}
	for i := range b.lanes {
		b.lanes[i] = make(slots, limit)
	}
	return b
}

// Post queues f with priority p. It returns ErrFull if there is no room, or scheduler.ErrClosed, and then f does not
// run. Post allocates nothing as a rule. It panics if f is nil or p is invalid.
func (b *Bound) Post(p deadline.Priority, f func()) error {
	l, err := b.check("Post", p, f)
	if err != nil {
		return err
	}
	select {
	case l <- struct{}{}:
		b.submit(l, p, f)
		return nil
	default:
		return ErrFull
	}
}

// PostWait is Post for a goroutine that can wait, in turn. It returns when there is room, when ctx (nil is
// context.Background) is done, with its cause, or when the scheduler closes (scheduler.ErrClosed).
//
// In a task, in a job that runs in a slice, and in the update of a loop of package frame PostWait does not wait, but
// returns ErrFull. On a host's own frame goroutine between slices use Post: PostWait may hang there.
func (b *Bound) PostWait(ctx context.Context, p deadline.Priority, f func()) error {
	l, err := b.check("PostWait", p, f)
	if err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case l <- struct{}{}:
		b.submit(l, p, f)
		return nil
	default:
	}
	if where.In(nil, where.Task, where.Job, where.Frame) {
		return ErrFull // a wait would be for its own goroutine to make room
	}
	select {
	case l <- struct{}{}:
		b.submit(l, p, f)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-b.s.Context().Done():
		return scheduler.ErrClosed
	}
}

func (b *Bound) check(verb string, p deadline.Priority, f func()) (slots, error) {
	if f == nil {
		panic("flow: Bound." + verb + " of a nil function")
	}
	mustBeValid(p)
	if b.s.Context().Err() != nil {
		return nil, scheduler.ErrClosed
	}
	return b.lanes[p.Lane()], nil
}

func (b *Bound) submit(l slots, p deadline.Priority, f func()) {
	m, _ := b.messages.Get().(*boundMessage)
	if m == nil {
		m = &boundMessage{b: b}
		m.task.Func = m.run
	}
	m.task.Priority = p
	bridge.Of(b.s).Wraps(&m.task, f)
	m.lane, m.f = l, f
	b.s.Submit(&m.task)
}

// run is the task's function. A message is free once the scheduler has ended its run too. That is so when the next
// message runs.
func (m *boundMessage) run() {
	b, l, f := m.b, m.lane, m.f
	if b.last != nil {
		b.messages.Put(b.last)
	}
	b.last, m.f = m, nil
	defer func() { <-l }() // deferred: f may panic, or call Goexit
	f()
}
