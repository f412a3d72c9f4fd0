package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// S28. Low and Idle work does not starve. ByExpiration makes Low work overdue in the end (S11); for Idle work,
// and under ByPriority for both, there is Options.MinShare, m (1/20). Each of the two priorities has an account. At the
// end of a slice behind which no work of the priority is ready and waits, the account is set to -G, a debt of one
// second. At the end of any other slice what others have used of it is added (work of that priority itself, in whatever
// turn it ran, is not counted), but to no more than 20 ms. A slice that begins with an account that is not in debt runs
// work of that priority, behind Immediate work and the slice's first overdue task, and the
// account is charged 1/m of what that takes, until it is in debt (of G at most).
//
// The bound: let a task wait with k runs ahead of it in its priority that take W together, all of which fit into
// a slice (what does not is run by Options.Patience). It starts before others have used, while it was ready,
//
//	G + W/m  in slices, not counting k+2 of them, nor those that Immediate work or the first task fill alone
//
// because it is not before the account is charged for one of those k runs, or for it, in each slice that begins
// with an account not in debt (of which there are at most k+1 then), and in the others the account grows by
// what others use, from -G, and shrinks by at most W/m; it loses what is more than 20 ms only at the end of a
// slice behind which one of those k+1 comes. With 4 ms used in each of 60 slices a second an Idle task waits
// for some 4 s, and one hundred of 1 ms each are gone 8 s later.
//
// Whoever wants the strict orders of React's Scheduler or of the web sets MinShare to -1.

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
	owedBy   *time.Duration   // the account that pays for the run in progress; nil if none does
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

// pay takes the cost of the run that has just ended from the account that a share was owed to.
func (s *Scheduler) pay(cost time.Duration) {
	*s.owedBy = max(*s.owedBy-time.Duration(float64(max(cost, owedLeast))/s.minShare), -s.grace)
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
