package scheduler

import (
	"github.com/frameslice/frameslice/deadline"
)

// drain reads what is in the inbox when it begins: the bundles, and then the list. It stops early if the deadline of
// the slice passes. One swap takes the list and empties it, so the next push finds an empty list and wakes the host.
// Bundles and list have the newest message first. drain turns them around, so the order of each producer is the order
// of reading (S4).
//
// New work is stamped with now, so Post need not read the clock. Work that waited in the inbox looks younger than it
// is, by at most the time since the frame goroutine last looked.
func (s *Scheduler) drain(now deadline.Instant) {
	if s.telling || s.slicing && s.messagesRead >= drainLeast && s.now >= s.until {
		return
	}
	oldest := s.unread
	s.unread = nil
	lists := s.inbox.bundled.Load() + 1 // lists that come meanwhile wait: producers may be quicker than this loop
	for n := 1; ; n++ {
		if oldest == nil && lists > 0 {
			oldest = turned(s.inbox.take())
			lists--
		}
		if oldest == nil {
			break
		}
		s.messagesRead++
		it := oldest
		oldest = it.next
		it.next = nil // before the drain gives up the link
		if w := it.word.Load(); w&^(generationMask|laneMask|endMask) == stateReady|flagNew|flagInbox && it.isPlain(w) &&
			it.word.CompareAndSwap(w, w&^(flagInbox|flagNew)) {
			s.queue(it, lanePriority(w), now, 0, 0) // by far the most: a posted function that nobody has touched
			s.note(Queued, it)
		} else if w&^(generationMask|laneMask|endMask) == stateReady|flagNew|flagInbox|flagDelay &&
			it.word.CompareAndSwap(w, w&^(flagInbox|flagNew|flagDelay)) {
			s.queueDue(it, lanePriority(w), now, it.node.Stamped(), 0)
			s.note(Queued, it)
		} else if w&^(generationMask|endMask|laneMask) == flagCancel|flagInbox && it.isPlain(w) && s.watch == nil &&
			it.word.CompareAndSwap(w, w&^(flagInbox|flagCancel)) {
			it.fn = nil // cancelled before it was read, or just before claimNextSlow would have claimed it
			s.arena.put(it)
		} else {
			s.receive(it, now)
		}
		if n%drainChunk != 0 || oldest == nil && (lists == 0 || s.inbox.isEmpty()) || n < drainLeast && !s.slicing {
			continue
		}
		var over bool
		now, over = s.portion(now)
		if over && (s.messagesRead >= drainLeast || s.ran > 0 || !s.slicing || s.stopped()) {
			s.unread, s.slowPath = oldest, true
			return
		}
	}
	if s.readAgain {
		s.readAgain = false
		s.drain(max(now, s.now)) // what the cancellations of members have left
	}
}

// receive handles the requests in the word of one item that was in the inbox.
func (s *Scheduler) receive(it *item, now deadline.Instant) {
	if it.index != 0 && it.task != nil {
		s.openEnvelope(it, now)
		return
	}
	for {
		w := it.word.Load()
		done := flagInbox | flagPrio | flagResume
		if w&stateMask == stateIdle {
			done |= flagCancel
		} else if w&flagEnvelope == 0 {
			done |= flagNew
		}
		if !it.word.CompareAndSwap(w, w&^done) {
			continue
		}
		// From here on the item can be pushed again by others.
		if w&(stateMask|flagNew|flagEnvelope|flagMember) == stateReady|flagNew && it.where == nowhere {
			s.enqueue(it, lanePriority(w), now)
			return
		}
		s.receiveSlow(it, w, now)
		return
	}
}

// isPlain reports whether an item whose word is w is a posted function, and not a callback.
func (it *item) isPlain(w word) bool {
	return it.task == nil && w&laneMask < phaseLane<<laneShift && it.where == nowhere
}

func (s *Scheduler) receiveSlow(it *item, w word, now deadline.Instant) {
	state := w & stateMask
	switch {
	case state == stateIdle && it == &s.draw:
		s.drawAsked, s.slowPath = true, true
	case state == stateIdle && it.where == isGroupRequest:
		s.handleGroupRequest(it, now)
	case state == stateIdle:
		s.forget(it, w)
		if it.index != 0 {
			it.fn, it.fore = nil, nil
			s.arena.put(it)
		}
	case w&flagNew != 0:
		// The item is still linked for a generation that was cancelled, and its next generation has been submitted
		// since.
		s.forget(it, w)
		if w&flagEnvelope == 0 {
			if w&flagMember != 0 {
				s.join(it, generationOf(w))
			}
			s.enqueue(it, lanePriority(w), now)
		}
	case state == stateRun:
		if w&flagPrio != 0 {
			s.reprioritise(it, lanePriority(w), now)
		}
	case w&flagCancel != 0: // a coroutine that has to unwind
		if !it.fatal {
			s.unlink(it)
			it.fatal = true
			it.forceState(stateReady)
			s.queue(it, deadline.Immediate, now, 0, 0)
		}
	default:
		if w&flagPrio != 0 {
			s.reprioritise(it, lanePriority(w), now)
		}
		if w&flagResume != 0 && it.where == inAwait {
			s.total.Resumed++
			s.wakeUp(it, now)
		}
	}
}

// handleGroupRequest carries out a group request.
func (s *Scheduler) handleGroupRequest(it *item, now deadline.Instant) {
	of, what, arg, f := it.fore.task, it.number, it.order, it.fn
	it.where, it.fore, it.fn = nowhere, nil, nil
	it.word.And(^flagGroupRequest)
	s.arena.put(it)
	switch g := of.Group; {
	case what == requestExpect:
		s.noteJoin(of, arg)
	case what == requestCancel:
		s.cancelMembers(g)
	case what == requestPriority:
		s.reprioritiseMembers(g, deadline.Immediate-deadline.Priority(arg), now)
	case g.isEmpty():
		s.tellEnded(f)
	default:
		g.ended = append(g.ended, f)
	}
}

// reprioritiseMembers gives the members of g, and of the groups within g, the priority p.
func (ws *waits) reprioritiseMembers(g *Group, p deadline.Priority, now deadline.Instant) {
	for _, it := range g.members {
		if !it.fatal {
			ws.reprioritise(it, p, now)
		}
	}
	for _, child := range g.children {
		ws.reprioritiseMembers(child, p, now)
	}
}

// forget takes out of all lists what is left of a generation that another goroutine ended.
func (s *Scheduler) forget(it *item, w word) {
	t := it.task
	if t != nil {
		s.watch.tellEnds(t, endedBefore(w))
	} else if it.where != isSpent && (w&flagCancel != 0 || it.where != nowhere) {
		s.note(Canceled, it)
	}
	s.unlink(it)
	s.leaveGroup(it)
	if t == nil || t.waiters.head == nil {
		return
	}
	if t.awaitedGeneration != generationOf(w) || w&stateMask == stateIdle { // otherwise they wait for the next one
		err := ErrCanceled
		if ended(w) == endClosed {
			err = ErrClosed
		}
		s.releaseWaiters(t, err)
	}
}

// endedBefore returns the last generation that has ended, of a task whose word is w.
func endedBefore(w word) uint32 {
	if w&stateMask == stateIdle {
		return generationOf(w)
	}
	return generationOf(w) - 1
}

// openEnvelope queues the submission that an envelope carries.
func (s *Scheduler) openEnvelope(e *item, now deadline.Instant) {
	t, generation := e.task, e.number
	e.task = nil
	s.arena.put(e)
	it := &t.item
	for {
		w := it.word.Load()
		if generationOf(w) != generation || w&stateMask != stateReady || w&flagEnvelope == 0 {
			return // cancelled meanwhile
		}
		if !it.word.CompareAndSwap(w, w&^(flagNew|flagEnvelope|flagPrio)) {
			continue
		}
		if it.where != nowhere {
			s.forget(it, w)
		}
		if w&flagMember != 0 {
			s.join(it, generation)
		}
		s.enqueue(it, lanePriority(w), now)
		return
	}
}

// sweepInbox takes everything that is in the inbox, and cancels the submissions. Any goroutine, after Close.
func (in *intake) sweepInbox(w *watch) {
	for list := in.inbox.take(); list != nil; list = in.inbox.take() {
		in.sweep(list, w)
	}
}

// sweep cancels the submissions in a list that was taken from the inbox. Any goroutine: closed is set, so nobody queues
// anything. Each item belongs to the goroutine that took the list. In Close, on the frame goroutine, where events are
// told, w is the watch. Elsewhere w is nil.
func (in *intake) sweep(it *item, w *watch) {
	for it != nil {
		next := it.next
		it.next = nil
		if it.word.Load()&flagGroupRequest != 0 {
			it.refused()
		}
		target, generation := it, generationOf(it.word.Load())
		if it.index != 0 && it.task != nil {
			target, generation = &it.task.item, it.number
		}
		var ended bool
		if w == nil {
			ended = target.endNew(generation)
		} else if ended = target.claimNew(generation); ended {
			if t := target.task; t != nil {
				w.tellEnds(t, generation)
			} else {
				w.note(Canceled, target)
			}
			target.markEnded(endClosed)
		} else {
			w.noteSwept(it)
		}
		it.swept()
		if ended {
			in.canceled.Add(1)
			in.dropped.Add(1)
			if t := target.task; t != nil {
				t.closeDone(generation)
			}
		}
		it = next
	}
}

// noteSwept notes the end that the message of an item was about, which is not its submission. The item is not given
// away yet. closeOff notes the end of an item that is in a list.
func (w *watch) noteSwept(it *item) {
	state := it.word.Load()
	switch t := it.task; {
	case t == nil:
		if state&(stateMask|flagCancel) == stateIdle|flagCancel && it.where == nowhere {
			w.note(Canceled, it)
		}
	case it.index == 0:
		w.tellEnds(t, endedBefore(state))
	}
}

// swept clears flagInbox, and with that gives the item away: it can be pushed and swept again (RequestDraw), or be
// submitted to another scheduler. So swept lets go of the function before. If the generation has not ended, the
// function belongs to the frame goroutine. Then it goes when the message about the end is swept.
func (it *item) swept() {
	for {
		w := it.word.Load()
		if w&stateMask == stateIdle {
			it.fn = nil
		}
		if it.word.CompareAndSwap(w, w&^flagInbox) {
			return
		}
	}
}
