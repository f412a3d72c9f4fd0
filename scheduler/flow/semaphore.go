package flow

import (
	"fmt"
	"slices"

	"github.com/frameslice/frameslice/scheduler"
)

// A Semaphore limits how many coroutines do a thing at a time, over their Yields and waits: one door, two requests to a
// server. The zero Semaphore is a mutex:
//
//	var door flow.Semaphore
//	door.Acquire(co)
//	defer door.Release()
//	co.Sleep(time.Second)
//
// All calls are on the frame goroutine: what does not suspend itself needs no Semaphore there. Defer Release, as Cancel
// and Close unwind a coroutine where it waits. A coroutine that waits for itself waits until it is canceled. In a
// paused group a coroutine keeps the Semaphore, and may be given it, until Resume: all others wait so long.
type Semaphore struct {
	// Limit is how many may hold the Semaphore. The default (zero) is 1. Set it before the first Acquire, which panics
	// if it is negative.
	Limit int

	held    int
	waiting []*turn // the first one waits longest
	free    []*turn
}

// A turn is what a coroutine awaits in Acquire.
type turn struct {
	f   func()
	has bool
}

// Notify keeps f, which Release calls.
func (t *turn) Notify(f func()) { t.f = f }

// Result returns when the turn has come.
func (t *turn) Result() (struct{}, error) { return struct{}{}, nil }

// String names the wait for Why.
func (t *turn) String() string { return "a flow.Semaphore" }

// Acquire suspends the coroutine until it holds m. Coroutines get m in the order of their calls, whatever their
// priorities. A coroutine that is canceled while it waits gives its place up. Acquire takes some ns if it need not
// wait. Beside what Await allocates, it does so only if more coroutines wait than ever before.
func (m *Semaphore) Acquire(co *scheduler.Co) {
	if m.Limit < 0 {
		panic(fmt.Sprintf("flow: Acquire of a Semaphore with a Limit of %d, less than 0", m.Limit))
	}
	co.WaitUntil(now) // a coroutine that was canceled unwinds here, and a Co that is not the caller's panics
	if m.held < max(m.Limit, 1) {
		m.held++
		return
	}
	t := m.enqueue()
	holds := false
	defer func() {
		if !holds { // the coroutine unwinds
			m.giveUp(t)
		}
		*t = turn{}
		m.free = append(m.free, t)
	}()
	_, _ = scheduler.Await(co, t) // its Result has no error
	holds = true
}

func now() bool { return true }

// enqueue puts a turn behind those that wait.
func (m *Semaphore) enqueue() *turn {
	if len(m.free) == 0 {
		m.free = append(m.free, new(turn))
	}
	n := len(m.free) - 1
	t := m.free[n]
	m.free = m.free[:n]
	m.waiting = append(m.waiting, t)
	return t
}

// giveUp is for a coroutine that does not wait any more. Release may have passed m to it meanwhile.
func (m *Semaphore) giveUp(t *turn) {
	if t.has {
		m.Release()
		return
	}
	m.waiting = slices.DeleteFunc(m.waiting, func(w *turn) bool { return w == t })
}

// Release passes m to the coroutine that has waited longest, if one waits. It panics if nobody holds m. The frame
// goroutine, in a task or not.
func (m *Semaphore) Release() {
	if m.held == 0 {
		panic("flow: Release of a Semaphore that nobody holds")
	}
	if len(m.waiting) == 0 {
		m.held--
		return
	}
	t := m.waiting[0]
	m.waiting = slices.Delete(m.waiting, 0, 1)
	t.has = true
	t.f()
}
