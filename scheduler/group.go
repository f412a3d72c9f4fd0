package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/internal/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// Group is a set of tasks that are cancelled, paused, given another priority and waited for as one. Make one with
// [Scheduler.NewGroup], and a group within with [Group.NewGroup]. A task is a member from the group's Post, Go, After
// or Every, or a Submit with Task.Group, until it ends, and so is a callback from Once or Each. Any goroutine may call
// the methods, except Wait, Pause, Resume and SetSpeed.
//
// A group has a time of its own: the delays, periods, sleeps and timeouts of its members count in it.
type Group struct {
	s        *Scheduler
	parent   *Group // nil if it is within no other
	label    string
	canceled atomic.Bool
	failure  atomic.Pointer[error] // of the first member that failed

	// groupEntry is never submitted. Its item stands for the group where only an item fits: in a posted function
	// that has not been read, and in a group request.
	groupEntry Task

	// The frame goroutine's.
	members     []*item
	coming      int      // tasks that will be members when their present generations end
	ended       []func() // called when no member is left, and none is coming
	children    []*Group // the groups within that have members (S48)
	childNumber int      // from 1, in children of the parent; 0 if it is not there
	groupClock
}

// member is what the scheduler knows of an item's membership. The frame goroutine's.
type member struct {
	g           *Group        // nil if the item is in none
	generation  uint32        // of the item
	memberIndex uint32        // in g.members
	age         time.Duration // of a parked item: the time from its start to the pause (S46); later how long that was

	// parkedAt is when the item was last parked, by base; Never if it has been delayed since, or joined.
	parkedAt deadline.Instant
}

// The kinds of group requests.
const (
	requestCancel uint32 = iota
	requestPriority
	requestNotify
	requestExpect // about a task, not a group: it was submitted again, into another group, which is to wait for it
)

// NewGroup returns an empty group, with a label for Why. Any goroutine.
func (s *Scheduler) NewGroup(label string) *Group { return newGroup(s, nil, label) }

// NewGroup returns an empty group within g. Pause and Cancel of g are also pause and cancellation of the group within,
// and so are SetPriority, and the speeds of both multiply. Wait, Done and Err of g include its members. Any goroutine.
func (g *Group) NewGroup(label string) *Group { return newGroup(g.s, g, label) }

func newGroup(s *Scheduler, parent *Group, label string) *Group {
	g := &Group{s: s, parent: parent, label: label}
	it := &g.groupEntry.item
	g.groupEntry.Group = g
	it.task, it.where, it.node.Value = &g.groupEntry, isGroupEntry, it
	g.speed, g.alarm = 1, deadline.Never
	g.times = clock{minTime, minTime, 1}
	g.shown.put(g.times)
	return g
}

// Post is Scheduler.Post into the group.
func (g *Group) Post(p deadline.Priority, f func()) Handle {
	h := g.s.post("Post of", p, 0, f, &g.groupEntry.item, flagMember)
	if g.isCanceled() {
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

// After is [Scheduler.After] into the group: d counts by the group's time, so a pause stops it. It allocates the Task.
func (g *Group) After(p deadline.Priority, d time.Duration, f func()) *Task {
	if f == nil {
		panic("scheduler: After of a nil function")
	}
	t := &Task{Priority: p, Func: f, Delay: d, Group: g}
	g.s.Submit(t)
	return t
}

// Every is [Scheduler.Every] into the group: the period counts by the group's time.
func (g *Group) Every(p deadline.Priority, period time.Duration, f func()) *Task {
	t := newPeriodic(g, p, period, f)
	g.s.Submit(t)
	return t
}

// Once is [Scheduler.Once] into the group. While the group is paused, f does not run, and no frame is asked for.
func (g *Group) Once(p Phase, f func()) Handle { return g.s.register("Once", p, f, g, 0) }

// Each is [Scheduler.Each] into the group: f runs in every phase p until the group or its Handle is cancelled, but not
// while the group is paused. So a Wait for the group does not end before that.
func (g *Group) Each(p Phase, f func()) Handle { return g.s.register("Each", p, f, g, flagSteps) }

// Cancel cancels all members, as [Task.Cancel] does, and reports whether this call was the first. Later members are
// cancelled at once. No member begins a run after Cancel, except one that is chosen at that moment. Cancel takes about
// 50 ns. When the frame goroutine reads the request, each member takes 50 to 100 ns.
func (g *Group) Cancel() bool {
	if g.canceled.Swap(true) {
		return false
	}
	g.sendRequest(requestCancel, 0, nil)
	return true
}

// SetPriority changes the priority of all members, as [Task.SetPriority] does, and costs what Cancel costs. Later
// members keep their own.
func (g *Group) SetPriority(p deadline.Priority) {
	mustBeValid(p)
	g.sendRequest(requestPriority, uint32(p.Lane()), nil)
}

// Done returns a channel that is closed, in a slice, once the group has no members, or the scheduler is closed. Members
// that come meanwhile count. In a coroutine use Wait. Each call allocates.
func (g *Group) Done() <-chan struct{} {
	c := make(chan struct{})
	g.notify(func() { close(c) })
	return c
}

// notify has f called once, when the group has no members. Any goroutine. f must not block or panic.
func (g *Group) notify(f func()) { g.sendRequest(requestNotify, 0, f) }

// Wait suspends the coroutine until the group has no members and returns Err. It panics if the coroutine is a member,
// or has submitted itself into the group. It raises no priority.
func (g *Group) Wait(co *Co) error {
	it := co.running().it
	if it.task.member.g.isWithin(g) || it.word.Load()&flagAgain != 0 && it.task.sent.group.Load().isWithin(g) {
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
	if g.isCanceled() {
		return ErrCanceled
	}
	return nil
}
