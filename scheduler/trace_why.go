package scheduler

import (
	"fmt"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Why says in a few words why the task does not run now. If the slice was short, frame.Loop.Stats says why. The text is
// for humans, and may change. Frame goroutine, or a task; not while a slice runs on another goroutine.
func (t *Task) Why() string {
	s := t.s.Load()
	if s == nil {
		return "never submitted"
	}
	return s.why(&t.item)
}

// Why is Task.Why for a posted function or a callback.
func (h Handle) Why() string {
	switch {
	case h.it == nil && h.generation != 0:
		return "came after Close"
	case h.State() == Unsubmitted:
		return "ended long ago, or never posted"
	}
	return h.s.why(h.it)
}

func (s *Scheduler) why(it *item) string {
	w := it.word.Load()
	switch stateOf(w) {
	case Running:
		return "running"
	case Done:
		return "has returned"
	case Failed:
		return "has failed"
	case Canceled:
		if ended(w) == endClosed {
			return "the scheduler is closed"
		}
		return "canceled"
	}
	switch {
	case s.closing.Load():
		return "the scheduler is about to close"
	case w&flagNew != 0:
		return "in the inbox, which the next slice reads"
	case w&flagCancel != 0:
		return "canceled, and runs its deferred calls next"
	}
	g := s.groupOf(it)
	if g.isCanceled() {
		return "its group " + g.label + " is canceled"
	}
	if p := g.stopped(); p != nil {
		return "the group " + p.label + " is paused"
	}
	switch it.where {
	case inFrame:
		return "waits for the next frame"
	case inDraw:
		return "waits until a frame is drawn"
	case inWait:
		return "waits for the task " + sentName(&it.task.c.waitsFor.item)
	case inAwait:
		return "waits for " + awaited(it.task.c.awaits)
	case inMicro:
		if s.microHeld {
			return "the frame has run as many microtasks as it may"
		}
		return "runs after the running task"
	case inIdle, inIdleTimed:
		return "waits for idle time"
	case inLater:
		g = s.laterOf(it)
		left := g.later.Start(&it.node).Sub(s.timeOf(g, s.clock()))
		return "delayed for another " + rounded(max(left, 0)).String() + " of the time of the group " + g.label
	}
	if it.where >= inOnce {
		return "waits for the phase " + Phase((it.where-inOnce)/2).String()
	}
	return s.whyQueued(it, s.clock())
}

// awaited names an Awaitable.
func awaited(a any) string {
	if _, ok := a.(fmt.Stringer); ok {
		return fmt.Sprint(a) // a panic in String becomes text
	}
	name, _, _ := strings.Cut(fmt.Sprintf("%T", a), "[") // without type arguments, which are long
	return "a " + strings.TrimPrefix(name, "*")
}

// sentName returns the name of an item that waits. If it is a task, its fields may be another goroutine's.
func sentName(it *item) string {
	t, label := it.task, ""
	if t == nil {
		return nameOf(it.name())
	}
	if l := t.sent.label.Load(); l != nil {
		label = l.label
	}
	return nameOf(t.sent.code.Load(), label)
}

// whyQueued says why an item does not run that waits for its turn.
func (s *Scheduler) whyQueued(it *item, now deadline.Instant) string {
	left := s.left
	if s.slicing {
		left = s.until.Sub(s.now)
	}
	predicted := s.predict(it)
	cost := rounded(predicted)
	switch delay := s.q.Start(&it.node).Sub(now); {
	case delay > 0:
		return "delayed for another " + rounded(delay).String()
	case s.n == 0:
		return "no slice has begun"
	case it.skips >= s.patience && s.leaps > 1:
		return fmt.Sprintf("does not fit (%v); more urgent work may go first in the next %d frames", cost, s.leaps-1)
	case it.skips >= s.patience:
		return fmt.Sprintf("does not fit (%v); runs first in the next frame", cost)
	case it.where == inPassed || it.skips > 0 || predicted > left && left > 0:
		return fmt.Sprintf("does not fit: expected to take %v, the slice had %v left", cost, rounded(max(left, 0)))
	case s.held(it):
		return "the frame has run enough of its kind, for the work that the kind leaves to the host"
	case it.where == inOverdue:
		return "overdue work has used its share of the slice"
	case s.drawAsked:
		return "a draw was requested"
	case s.stopped():
		return "the host wants the frame back"
	}
	return s.whyBehind(it, now)
}

// rounded leaves out digits that nobody reads.
func rounded(d time.Duration) time.Duration {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(10 * time.Microsecond)
}

// whyBehind says why an item does not run that is ready and fits, but was not first.
func (s *Scheduler) whyBehind(it *item, now deadline.Instant) string {
	first, ready := it, 0
	if n := s.q.Peek(now); n != nil {
		first = n.Value
	}
	if len(s.starved) > 0 && s.leaps <= 1 {
		first = s.starved[0]
	}
	if first == it && s.frameBegun && !s.slicing {
		return "is next: the slice of this frame has not begun"
	}
	if first == it {
		return "is next: the slice has ended"
	}
	for _, n := range s.Stats().Ready {
		ready += n
	}
	p := first.node.Priority()
	return fmt.Sprintf("one of %d that are ready; first is %s (%v)", ready, sentName(first), p)
}
