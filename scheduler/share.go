package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// S27. Groups with a weight (Group.SetWeight), and all other work together (Options.CommonWeight), are the classes
// among which the time of each priority is shared: by deficit round robin on measured time. Each class has a credit
// for each priority. Of the classes that have work of the priority whose turn it is by the policy and that have
// credit, the one runs whose first task is the first in the order of the policy. The run is subtracted from its
// credit; what it costs is known only then, so a credit may become a debt. If no class has credit left a new round
// begins: each gets u * weight, where u is 1 ms by the sum of all weights, as often as it takes for one of them to
// have credit; but not in what is left of a slice in which work was passed over, as that would give those a share
// whose work is the last to be looked at: there the policy chooses. A debt is never more than the shares of 32
// rounds, and credit that was left by a class without work is lost. Immediate work, overdue work (under ByPriority:
// a slice's first task) and under ByExpiration work with a timeout of its own are outside of it: neither held back
// nor counted. (Under ByPriority that is of the common class.) A task that has its turn because it was passed over too
// often is not held back either, but counted. None of this changes S11.
//
// While two classes i and j both have work of one priority, and no run of it takes longer than a class may owe,
// the times S that they get differ by at most
//
//	| S(i)/w(i) - S(j)/w(j) |  <=  2u + L(i)/w(i) + L(j)/w(j),    L being the longest run of a class
//
// because both get the same number R of rounds: S(i) is R*u*w(i) and what the credit has changed, and a credit
// lies between -L(i) and u*w(i), as a round is given only if no class has credit, and ends with the first that
// has. (A run that is longer than a class may owe counts as what it may owe: 32 rounds make up for it.) A class that
// owes may have a task forced, by Options.Patience, and then it owes more than L, up to 32 rounds: in its term of the
// bound 32u stands for L/w. Were forced tasks not counted, a class of which one task is forced every fourth frame
// would get that beside its share, without end; so they are, and what lasts is that its other work waits the longer.
//
// Why a common share, and not expiration order for what has no weight: old work without a weight would go
// before all weighted work of its priority, or behind it, so a share would be of whatever that left. And why
// within a priority: across them the order of the policy says what is urgent, and weights would argue with it.
// With no weight given a pick asks one field, which it asks anyway.
//
// S28. Low and Idle work does not starve. ByExpiration makes Low work overdue in the end (S11); for Idle work,
// and under ByPriority for both, there is Options.MinShare, m (1/20). Each of the two priorities has an account. At the
// end of a slice behind which no work of the priority is ready and waits, the account is set to -G, a debt of one
// second. At the end of any other slice what others have used of it is added (work of that priority itself, in whatever
// turn it ran, is not counted), but to no more than 20 ms. A slice that begins with an account that is not in debt runs
// work of that priority (by the shares of S27, too), behind Immediate work and the slice's first overdue task, and the
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
	// shareRound is about what the classes of one priority get together in one round.
	shareRound = time.Millisecond
	// debtRounds bounds the debt of a class: the shares of so many rounds.
	debtRounds = 32
	// maxWeight bounds weights, so that a share of a round is some ns at least.
	maxWeight = 1000
)

// account is what a class of work has left of its share, in each lane: a group with a weight, or all work that
// is in none. See S27.
type account struct {
	weight int
	credit [deadline.NumPriorities]time.Duration
}

// shares is the part of a Scheduler that divides time among groups. The frame goroutine's.
type shares struct {
	weighted []*Group      // those that have a weight and members
	common   account       // of all other work
	unit     time.Duration // the share of a weight of 1 in a round

	// Who pays for the run that is in progress; nil if nobody does.
	charging *time.Duration
	atMost   time.Duration  // the debt
	owedBy   *time.Duration // who pays, too, for what a share was owed to; nil if none was
}

// SetWeight gives the group a share of its own of the time that its members' priority gets: in each slice,
// tasks of one priority run in proportion to the weights of their groups, as long as there is work of all of
// them, and whatever was submitted first. A weight is relative to those of the other groups and to that of all
// work that is in no group with a weight (Options.CommonWeight, which is 1 by default). Zero, which a group
// begins with, or less, is no weight: its work is part of that. More than 1,000 counts as 1,000.
//
// Shares are of measured time: a task that takes longer than its group has left is not interrupted, and the
// group pays for it in the next rounds, up to 32 of them. Within a group the order stays as it is. Immediate
// and overdue work, and work with a Timeout of its own under deadline.ByExpiration, is not held back and not
// counted. See S27 for the bound. Any goroutine; the change is made before the next
// task starts.
func (g *Group) SetWeight(weight int) {
	g.ask(askWeight, uint32(min(max(weight, 0), maxWeight)), nil)
}

// reweigh takes note of a group's weight or of whether it has members.
func (s *Scheduler) reweigh(g *Group, weight int) {
	counts := weight > 0 && len(g.members) > 0
	if counts && !g.counts {
		for i, c := range g.account.credit {
			g.account.credit[i] = min(c, 0) // a debt outlives the moment in which nothing waits
		}
		s.weighted = append(s.weighted, g)
	}
	if !counts && g.counts {
		for i, other := range s.weighted {
			if other == g {
				last := len(s.weighted) - 1
				s.weighted[i] = s.weighted[last]
				s.weighted[last] = nil
				s.weighted = s.weighted[:last]
				break
			}
		}
	}
	g.account.weight, g.counts = weight, counts
	g.set.Apart = weight > 0
	sum := s.common.weight
	for _, g := range s.weighted {
		sum += g.account.weight
	}
	s.unit = max(shareRound/time.Duration(sum), 1)
	s.special = true
}

// accountOf returns the account of an item's class.
func (s *Scheduler) accountOf(it *item) *account {
	m := s.memberOf(it)
	if m != nil && m.g != nil && m.g.counts && !it.fatal && (it.task == nil || it.timeout() == 0) {
		return &m.g.account
	}
	return &s.common
}

// isShared reports whether n, the first in order, is subject to the shares of its priority.
func (s *Scheduler) isShared(n *node) bool {
	it := n.Value
	if n.Priority() == deadline.Immediate || it.fatal {
		return false
	}
	if s.q.Policy == deadline.ByPriority {
		return s.ran > 0 || !s.overdue(n)
	}
	return (it.task == nil || it.timeout() == 0) && !s.overdue(n)
}

// shareOf returns the node that runs in the place of n, the first in order: the first one of n's priority whose
// class has credit. If none has, a new round begins.
func (s *Scheduler) shareOf(n *node) *node {
	p := n.Priority()
	if s.accountOf(n.Value).credit[p.Lane()] > 0 {
		return n
	}
	first := s.q.FirstOutside(p, s.now)
	best := s.withCredit(p, first)
	if best == nil && len(s.passed) > 0 {
		return n // a round now would leave out those whose work is only set aside
	}
	if best == nil {
		s.newRound(p, first)
		best = s.withCredit(p, first)
	}
	return best
}

// withCredit returns the first node of priority p whose class has credit; nil if none has. first is the first
// one of the common class.
func (s *Scheduler) withCredit(p deadline.Priority, first *node) *node {
	best := first
	if first == nil || s.common.credit[p.Lane()] <= 0 {
		best = nil
	}
	for _, g := range s.weighted {
		if g.account.credit[p.Lane()] <= 0 {
			continue
		}
		if n := s.q.FirstOf(&g.set, p, s.now); n != nil && (best == nil || s.q.Before(n, best)) {
			best = n
		}
	}
	return best
}

// newRound gives all classes that have work of priority p their shares, as often as it takes for one of them
// to have credit. Credit of those that have none does not outlive the round.
func (s *Scheduler) newRound(p deadline.Priority, first *node) {
	lane := p.Lane()
	rounds := time.Duration(1<<63 - 1)
	each := func(a *account, n *node) {
		if n == nil {
			a.credit[lane] = min(a.credit[lane], 0)
			return
		}
		rounds = min(rounds, -a.credit[lane]/(s.unit*time.Duration(a.weight))+1)
	}
	each(&s.common, first)
	for _, g := range s.weighted {
		each(&g.account, s.q.FirstOf(&g.set, p, s.now))
	}
	if first != nil {
		s.common.credit[lane] += rounds * s.unit * time.Duration(s.common.weight)
	}
	for _, g := range s.weighted {
		if s.q.FirstOf(&g.set, p, s.now) != nil {
			g.account.credit[lane] += rounds * s.unit * time.Duration(g.account.weight)
		}
	}
}

// charge notes the accounts that will pay for the run of n, which has been chosen and is still queued.
func (s *Scheduler) charge(n *node) {
	s.charging, s.owedBy = nil, nil
	lane := n.Priority().Lane()
	if n == s.owed {
		s.owedBy = &s.owe[owedIndex(n.Priority())]
		s.charging = s.owedBy
	}
	if len(s.weighted) > 0 && s.isShared(n) {
		a := s.accountOf(n.Value)
		s.charging, s.atMost = &a.credit[lane], debtRounds*s.unit*time.Duration(a.weight)
	}
}

// pay takes the cost of the run that has just ended from the accounts that charge noted.
func (s *Scheduler) pay(cost time.Duration) {
	if s.owedBy != nil {
		*s.owedBy = max(*s.owedBy-time.Duration(float64(max(cost, owedLeast))/s.minShare), -s.grace)
	}
	if s.charging != s.owedBy {
		*s.charging = max(*s.charging-cost, -s.atMost)
	}
}
