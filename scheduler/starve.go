package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

const (
	// starveAfter is how much time others use before work of Low or Idle priority that waits for them begins to
	// get its minimum share.
	starveAfter = time.Second
	// owedMost bounds what is owed to it, so that it does not come all at once.
	owedMost = 20 * time.Millisecond
	// owedLeast is what a run of it costs at least.
	owedLeast = time.Microsecond
)

// starvation is the part of a Scheduler that sees to it that Low and Idle work does not wait for ever (S28).
// The frame goroutine's.
type starvation struct {
	minShare float64
	grace    time.Duration    // starveAfter, but for tests
	owe      [2]time.Duration // how long others have used that is not paid for; first Low, then Idle
}

func owedIndex(p deadline.Priority) int { return int(deadline.Low - p) }

// owes notes at the beginning of a slice to whom a share is owed.
func (s *Scheduler) owes() {
	if s.minShare <= 0 {
		return
	}
	for i := range s.owe {
		if s.owe[i] >= 0 {
			s.owing |= 1 << i
		}
	}
}

// owedTo returns what runs in the place of n, the first in order, because a share is owed to it; nil if n may
// run. Each priority tries one task that does not fit, at most.
func (s *Scheduler) owedTo(n *node) *node {
	if n == nil || n.Priority() == deadline.Immediate || s.ran == 0 && s.overdue(n) {
		return nil
	}
	for i := range s.owe {
		if s.owing&(1<<i) == 0 {
			continue
		}
		var m *node
		if s.owe[i] >= 0 {
			m = s.q.FirstAt(deadline.Low-deadline.Priority(i), s.now)
		}
		if m != nil && len(s.weighted) > 0 && s.isShared(m) {
			m = s.shareOf(m) // it is shared as the rest is
		}
		if m == nil || !s.fits(m) {
			s.owing &^= 1 << i
		}
		if m != nil {
			s.owed = m
			return m
		}
	}
	return nil
}

// useOwn counts what work of Low or Idle priority itself has used. Microtasks have no priority, and what a node says
// of one is that of the function which had it before; idle callbacks run in time that nobody else wants.
func (s *Scheduler) useOwn(it *item, p deadline.Priority, cost time.Duration) {
	if it.word.Load()&flagMicro == 0 && (it.task == nil || it.task.Idle == nil) {
		s.ownUsed[owedIndex(p)] += cost
	}
}

// starve counts at the end of a slice what others have used while Low or Idle work waited. Under ByExpiration
// Low work has its timeout.
func (s *Scheduler) starve(used time.Duration) {
	if s.minShare <= 0 {
		return
	}
	for i, p := range [...]deadline.Priority{deadline.Low, deadline.Idle} {
		if p == deadline.Low && s.q.Policy == deadline.ByExpiration {
			continue
		}
		if s.q.LenOf(p) == 0 || s.q.FirstAt(p, s.now) == nil {
			s.owe[i] = -s.grace
			continue
		}
		s.owe[i] = min(s.owe[i]+used-s.ownUsed[i], owedMost)
	}
}
