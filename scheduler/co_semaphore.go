package scheduler

import (
	"fmt"
	"slices"
)

// A Semaphore limits how many coroutines do a thing at a time, over their Yields and waits: one door, two requests to a
// server. The zero Semaphore is a mutex:
//
//	var door scheduler.Semaphore
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
	waiting []*waker // the first one waits longest
}

// Acquire suspends the coroutine until it holds m. Coroutines get m in the order of their calls, whatever their
// priorities. A coroutine that is canceled while it waits gives its place up. Acquire allocates nothing, and takes some
// ns if it need not wait.
func (m *Semaphore) Acquire(co *Co) {
	c := co.begin()
	if m.Limit < 0 {
		panic(fmt.Sprintf("scheduler: Acquire of a Semaphore with a Limit of %d, less than 0", m.Limit))
	}
	if m.held < max(m.Limit, 1) {
		m.held++
		return
	}
	w := c.arm()
	m.waiting = append(m.waiting, w)
	holds := false
	defer func() {
		if !holds { // the coroutine unwinds
			m.giveUp(w)
		}
	}()
	c.awaits = m
	c.await(w)
	holds = true
}

// giveUp is for a coroutine that does not wait any more. Release may have passed m to it meanwhile.
func (m *Semaphore) giveUp(w *waker) {
	if i := slices.Index(m.waiting, w); i >= 0 {
		m.waiting = slices.Delete(m.waiting, i, i+1)
		return
	}
	m.Release()
}

// Release passes m to the coroutine that has waited longest, if one waits. It panics if nobody holds m. The frame
// goroutine, in a task or not.
func (m *Semaphore) Release() {
	if m.held == 0 {
		panic("scheduler: Release of a Semaphore that nobody holds")
	}
	if len(m.waiting) == 0 {
		m.held--
		return
	}
	w := m.waiting[0]
	m.waiting = slices.Delete(m.waiting, 0, 1)
	w.fire()
}
