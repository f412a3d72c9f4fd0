package scheduler

import (
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// Group is a set of tasks that are cancelled, given another priority and waited for as one. Make one with
// [Scheduler.NewGroup]. A task is a member from the group's Post or Go, or a Submit with Task.Group, until it ends. Any
// goroutine may call the methods, except Wait.
type Group struct {
	s        *Scheduler
	label    string
	canceled atomic.Bool
	failure  atomic.Pointer[error] // of the first member that failed
	asked    atomic.Uint32         // counts the requests for a priority; stamp counts the ones that were read

	// anchor is never submitted. Its item stands for the group where only an item fits: in a posted function
	// that has not been read, and in a message.
	anchor Task

	// The frame goroutine's.
	members []*item
	coming  int               // tasks that will be members when their present lives end
	ended   []func()          // called when no member is left, and none is coming
	prio    deadline.Priority // that SetPriority asked for last
	stamp   uint32            // counts the requests that were read
	cursor  int               // members before it are to be looked at
	busy    bool              // in Scheduler.busy
}

// member is what the scheduler knows of an item's membership. The frame goroutine's.
type member struct {
	g     *Group // nil if the item is in none
	life  uint32 // of the item
	spot  uint32 // in g.members
	stamp uint32 // the request of g that its priority takes into account
}

// The requests of a message.
const (
	askCancel uint32 = iota
	askPriority
	askEnded
	askRest // to go on with earlier requests
	askJoin // about a task, not a group: it was submitted again, into another group
)

// NewGroup returns an empty group, with a label for Why. Any goroutine.
func (s *Scheduler) NewGroup(label string) *Group {
	g := &Group{s: s, label: label}
	g.anchor.Group = g
	g.anchor.item.task = &g.anchor
	return g
}

// Post is Scheduler.Post into the group.
func (g *Group) Post(p deadline.Priority, f func()) Handle {
	h := g.s.post("Post of", p, 0, f, &g.anchor.item, flagMember)
	if g.canceled.Load() {
		h.Cancel()
	}
	return h
}

// Go is Scheduler.Go into the group.
func (g *Group) Go(p deadline.Priority, f func(co *Co)) *Task {
	mustBeBody(f)
	t := &Task{Priority: p, Co: f, Group: g}
	g.s.Submit(t)
	return t
}

// Cancel cancels all members, as [Task.Cancel] does, and reports whether this call was the first. Later members are
// cancelled at once. No member begins a run after Cancel, except one that is chosen at that moment. Cancel takes some
// 50 ns, and each member later 50 to 100 ns.
func (g *Group) Cancel() bool {
	if g.canceled.Swap(true) {
		return false
	}
	g.ask(askCancel, 0, nil)
	return true
}

// SetPriority changes the priority of all members, as [Task.SetPriority] does, at the cost of Cancel. Later members
// keep their own.
func (g *Group) SetPriority(p deadline.Priority) {
	mustBeValid(p)
	g.asked.Add(1)
	g.ask(askPriority, uint32(p.Lane()), nil)
}

// Done returns a channel that is closed, in a slice, once the group has no members, or the scheduler is closed. Members
// that come meanwhile count. In a coroutine use Wait. Each call allocates.
func (g *Group) Done() <-chan struct{} {
	c := make(chan struct{})
	g.notify(func() { close(c) })
	return c
}

// notify has f called once, when the group has no members. Any goroutine. f must not block or panic.
func (g *Group) notify(f func()) { g.ask(askEnded, 0, f) }

// Wait suspends the coroutine until the group has no members and returns Err. It panics if the coroutine is a member,
// or has submitted itself into the group. It raises no priority.
func (g *Group) Wait(co *Co) error {
	it := co.running().it
	if it.task.member.g == g || it.word.Load()&flagAgain != 0 && it.task.sent.group.Load() == g {
		panic("scheduler: a task that waits for its own group")
	}
	Await(co, groupEnd{g}) // its error is nil
	return g.Err()
}

// groupEnd is the end of a group, to await.
type groupEnd struct{ g *Group }

// Notify is part of Awaitable.
func (e groupEnd) Notify(f func()) { e.g.notify(f) }

// Result is part of Awaitable.
func (groupEnd) Result() (struct{}, error) { return struct{}{}, nil }

// Err returns the outcome of the first member that failed (a *PanicError or [ErrGoexit]), or else [ErrCanceled] after
// Cancel, or else nil.
func (g *Group) Err() error {
	if err := g.failure.Load(); err != nil {
		return *err
	}
	if g.canceled.Load() {
		return ErrCanceled
	}
	return nil
}
