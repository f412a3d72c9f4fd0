package scheduler

import (
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// Group is a set of tasks that belong together, those of a scene for example: they can be cancelled, given
// another priority and waited for as one. Make one with NewGroup; submit into it with its methods, or by the
// field Group of a Task. A task belongs to its group from its submission to its end. A Group needs no
// closing: one without members is garbage as soon as nobody refers to it.
//
// The methods may be called from any goroutine, but for Wait and Len.
type Group struct {
	s        *Scheduler
	label    string
	canceled atomic.Bool
	failure  atomic.Pointer[error] // of the first member that failed
	asked    atomic.Uint32         // counts the requests for a priority; stamp those that have been read

	// anchor is never submitted. Its item stands for the group where only an item fits: in a posted function
	// that has not been read, and in a message.
	anchor Task

	// The frame goroutine's.
	members []*item
	coming  int                  // tasks that will be members when their present lives end: their coming is the group
	ended   []func()             // called when no member is left, and none is coming
	prio    deadline.Priority    // that SetPriority asked for last
	stamp   uint32               // counts those requests
	cursor  int                  // members before it are to be looked at
	busy    bool                 // in Scheduler.busy
	set     taskqueue.Set[*item] // the members that are queued
	odd     bool                 // there are, or have been, members with a timeout of their own
	waits   int                  // members in Co.Wait
}

// member is what the scheduler knows of an item's membership. The frame goroutine's.
type member struct {
	g     *Group // nil if the item is in none
	life  uint32 // of the item
	spot  uint32 // in g.members
	stamp uint32 // the request of g that its priority takes into account
}

// What is asked of a group, in a message.
const (
	askCancel uint32 = iota
	askPriority
	askEnded
	askRest // of what was asked before
	askJoin // of a task, and not of a group: it was submitted again, into another group
)

// NewGroup returns a group without members. The label is for humans. Any goroutine.
func (s *Scheduler) NewGroup(label string) *Group {
	g := &Group{s: s, label: label}
	g.anchor.Group = g
	g.anchor.item.task = &g.anchor
	return g
}

// Label returns what was passed to NewGroup.
func (g *Group) Label() string { return g.label }

// Post is Scheduler.Post into the group. If the group is cancelled, so is the function.
func (g *Group) Post(p deadline.Priority, f func()) Handle {
	if f == nil {
		panic("scheduler: Post of a nil function")
	}
	return g.After(p, 0, f)
}

// Go is Scheduler.Go into the group. If the group is cancelled, so is the task.
func (g *Group) Go(p deadline.Priority, f func(co *Co)) *Task {
	mustBeBody(f)
	t := &Task{Priority: p, Co: f, Group: g}
	g.s.Submit(t)
	return t
}

// Submit sets t.Group and submits t. If the group is cancelled, so is the task.
func (g *Group) Submit(t *Task) {
	if t == nil {
		panic("scheduler: Submit of nil")
	}
	if t.Group != g {
		g.s.mustTake(t, t.Priority, g)
		t.Group = g
	}
	g.s.Submit(t)
}

// Cancel cancels all members, in whatever state they are, as Task.Cancel does: what waits, delayed or not,
// will not run, steps that run are the last ones, coroutines are unwound. Functions that run go on to their
// end. The group stays cancelled: what is submitted into it later is cancelled at once. Cancel reports
// whether this call was the first.
//
// It takes the caller some 50 ns, whatever the number of members. No member begins a run after Cancel has
// returned, but for one that is being chosen at that moment. The frame goroutine then ends the members one by
// one, before its next task, at some 50 to 100 ns each; it stops at the deadline of the slice and goes on in
// the next one.
func (g *Group) Cancel() bool {
	if g.canceled.Swap(true) {
		return false
	}
	g.ask(askCancel, 0, nil)
	return true
}

// Canceled reports whether Cancel was called.
func (g *Group) Canceled() bool { return g.canceled.Load() }

// SetPriority changes the priority of all members, as Task.SetPriority does. What is submitted into the group
// later has the priority that it is submitted with.
//
// It takes constant time, whatever the number of members: some 50 ns of the caller's, and 150 to 200 ns of the
// frame goroutine's, which makes the change before the next task starts. In three cases the members are also
// looked at one by one, at some 20 to 100 ns each, up to the deadline of the slice and on in the next one, and
// raised members that have not been looked at wait for that: if one of them has, or had since the group was
// last empty, a Timeout of its own or is an idle task; while one of them is in Co.Wait, and may have to lift
// another; and while tasks are set aside, because they do not fit or because overdue work has used its share.
func (g *Group) SetPriority(p deadline.Priority) {
	mustBeValid(p)
	g.asked.Add(1)
	g.ask(askPriority, uint32(p.Lane()), nil)
}

// Done returns a channel that is closed once the group has no members: at the moment when the last of those
// that were submitted before the call, and of those that came since, has ended, with all its deferred calls;
// when it next reads the inbox if there are none; and when the scheduler is closed. (A task that was submitted again
// while it ran counts from there, though it is a member only when its present life has ended.) An idle task is a member
// until it has run, which without a Timeout may be never. It is the frame goroutine that closes the channel, in
// a slice: do not wait for it there. Each call allocates a channel.
func (g *Group) Done() <-chan struct{} {
	c := make(chan struct{})
	g.Notify(func() { close(c) })
	return c
}

// Notify arranges that f is called once, at the moment that Done describes: on the frame goroutine, between
// two runs or while one asks whether to yield (or for anything else that the inbox may tell), or on whatever
// goroutine finds the scheduler closed. f must not block or panic.
func (g *Group) Notify(f func()) {
	if f == nil {
		panic("scheduler: Group.Notify with a nil function")
	}
	g.ask(askEnded, 0, f)
}

// Wait suspends the coroutine until the group has no members (see Done) and returns Err. A member must not
// wait for its own group, nor a task that has submitted itself into it: that panics. Unlike Co.Wait it raises nobody:
// SetPriority does.
func (g *Group) Wait(co *Co) error {
	it := co.running().it
	if it.task.member.g == g || it.word.Load()&flagAgain != 0 && it.task.sent.group.Load() == g {
		panic("scheduler: a task that waits for its own group")
	}
	Await(co, emptiness{g}) // its error is nil
	return g.Err()
}

// emptiness makes a group something to await.
type emptiness struct{ *Group }

// Result of nothing.
func (emptiness) Result() (struct{}, error) { return struct{}{}, nil }

// Err returns the outcome of the first member that failed (a *PanicError or ErrGoexit), or else ErrCanceled
// if the group was cancelled, or else nil.
func (g *Group) Err() error {
	if err := g.failure.Load(); err != nil {
		return *err
	}
	if g.canceled.Load() {
		return ErrCanceled
	}
	return nil
}

// Len returns the number of members. What is in the inbox is not counted, nor what was submitted again and still runs.
// Frame goroutine, or a task.
func (g *Group) Len() int { return len(g.members) }
