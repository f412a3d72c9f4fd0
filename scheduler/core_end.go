package scheduler

import (
	"fmt"
	"os"

	"github.com/frameslice/frameslice/deadline"
)

// endGeneration ends the generation of an item that ran.
func (s *Scheduler) endGeneration(it *item, how word) {
	t := it.task
	if t != nil && how != endFailed {
		if w := it.word.Load(); w&flagCancel != 0 {
			how = endCanceled
		}
	}
	if how == endCanceled && s.closed.Load() {
		how = endClosed
	}
	switch how {
	case endDone:
		s.total.Done++
	case endFailed:
		s.total.Failed++
	default:
		s.canceled.Add(1)
	}
	s.note(stateOf(how<<endShift), it)
	again, w := it.markEnded(how)
	if t == nil {
		if w&flagMember != 0 {
			s.leaveGroup(it)
		}
		it.fn = nil
		if w&flagInbox == 0 {
			s.arena.put(it)
		}
		return
	}
	t.closeDone(generationOf(w))
	if t.awaitedGeneration == generationOf(w) && t.waiters.head != nil {
		s.releaseWaiters(t, t.errOf(how))
	}
	if again {
		if t.member.g != nil || w&flagJoins != 0 || t.sent.group.Load() != nil {
			s.join(it, generationOf(w)+1)
		}
		s.enqueue(it, deadline.Priority(t.sent.prio.Load()), s.now)
	} else if w&(flagMember|flagJoins) != 0 {
		s.leaveGroup(it)
	}
}

// endPosted ends a posted function that has returned, in fewer steps than endGeneration. A Cancel during the run has
// returned false.
func (s *Scheduler) endPosted(it *item) {
	s.total.Done++
	if s.watch != nil {
		s.watch.note(Done, it)
	}
	w := it.word.Load()
	if !it.word.CompareAndSwap(w, w&(generationMask|flagInbox)|endDone<<endShift) {
		_, w = it.markEnded(endDone)
	}
	it.fn = nil
	if w&flagMember != 0 {
		s.leaveGroup(it)
	}
	if w&flagInbox == 0 {
		s.arena.put(it)
	}
}

// failures is the part of a Scheduler that reports panics. The frame goroutine's.
type failures struct {
	coroutines // on which OnPanic runs: see co_coroutine.go
	onPanic    func(*PanicError)
	rethrow    bool
	reports    []*PanicError // not yet reported
	firstPanic *PanicError   // of this slice
}

// add notes a failure, for reportAll.
func (f *failures) add(pe *PanicError) {
	if f.firstPanic == nil {
		f.firstPanic = pe
	}
	f.reports = append(f.reports, pe)
}

// reportAll calls OnPanic for what failed since the last time.
func (f *failures) reportAll() {
	for i := 0; i < len(f.reports); i++ {
		pe := f.reports[i]
		if f.onPanic == nil {
			complain(pe)
			continue
		}
		c := f.getCoroutine()
		c.report = pe
		c.turn(jobReport)
		c.report = nil
		f.putCoroutine(c)
	}
	clear(f.reports)
	f.reports = f.reports[:0]
}

// complain prints a failure for which there is no OnPanic.
func complain(pe *PanicError) {
	fmt.Fprintf(os.Stderr, "scheduler: %v\n\n%s\n", pe, pe.Stack)
}
