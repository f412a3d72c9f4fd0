package scheduler

import "github.com/frameslice/frameslice/deadline"

// LocalHandle is a Handle for the frame goroutine: it refers to one function that was posted by Local. It is a small
// value to be copied at will; its methods stay harmless after the function has ended, however often its storage was
// used again since. They are for the frame goroutine, and for tasks, as those of Local are. The zero LocalHandle refers
// to nothing: it is Unsubmitted and cannot be cancelled.
type LocalHandle struct {
	s    *Scheduler
	it   *item
	life uint64 // the number of its Push or, if it went by the inbox, what a Handle has
}

// localHandle is that of what went by the inbox after all.
func localHandle(h Handle) LocalHandle { return LocalHandle{h.s, h.it, uint64(h.life)} }

// handle is the opposite.
func (h LocalHandle) handle() Handle { return Handle{h.s, h.it, uint32(h.life)} }

// byInbox reports whether it is a Handle's life, if it is any.
func (h LocalHandle) byInbox() bool { return h.it == nil || !h.it.isLocal() }

// Cancel is Handle.Cancel, but what waits is forgotten at once. Some 6 ns.
func (h LocalHandle) Cancel() bool {
	if h.byInbox() {
		return h.handle().Cancel()
	}
	if !h.waits() {
		return false
	}
	h.s.cancelLocal(h.it)
	return true
}

// SetPriority is Handle.SetPriority, but it takes effect at once.
func (h LocalHandle) SetPriority(p deadline.Priority) bool {
	if h.byInbox() {
		return h.handle().SetPriority(p)
	}
	mustBeValid(p)
	if h.it.node.Order() != h.life || h.it.hasEnded() {
		return false
	}
	h.s.reprioritise(h.it, p, h.s.lastRead)
	return true
}

// State is Handle.State.
func (h LocalHandle) State() State {
	if h.byInbox() {
		return h.handle().State()
	}
	switch {
	case h.it.node.Order() != h.life:
		return Unsubmitted
	case h.it.where == nowhere:
		return Running
	case h.it.where == wasDone:
		return Done
	case h.it.where == wasFailed:
		return Failed
	case h.it.where == wasCanceled:
		return Canceled
	}
	return Queued
}

// waits reports whether the function has not begun, nor ended.
func (h LocalHandle) waits() bool {
	return h.it.node.Order() == h.life && h.it.where != nowhere && !h.it.hasEnded()
}

// isLocal reports whether the item is the frame goroutine's alone.
func (it *item) isLocal() bool { return it.index >= localIndex }

// hasEnded is for items of Local.
func (it *item) hasEnded() bool { return it.where >= wasDone && it.where <= wasCanceled }

// cancelLocal ends the life of an item of Local that waits.
func (s *Scheduler) cancelLocal(it *item) {
	s.total.canceled++
	s.note(EventCanceled, it)
	if it.where == inQueue && it.skips == 0 {
		s.q.Remove(&it.node) // as unlink does for most
	} else {
		s.unlink(it)
	}
	s.forgetLocal(it, wasCanceled)
}

// forgetLocal gives back an item of Local whose life has ended.
func (s *Scheduler) forgetLocal(it *item, how place) {
	it.where = how
	it.fn = nil
	s.local.items.put(it)
}
