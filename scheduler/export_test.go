package scheduler

import (
	"math/bits"
	"slices"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/costs"
)

// SetClock replaces the clock, before the first use of s.
func SetClock(s *Scheduler, read func() deadline.Instant) { s.read, s.exact = read, true }

// ShareReadings makes brief runs share readings of a clock that SetClock has set, as they do with the system's.
func ShareReadings(s *Scheduler) { s.exact = false }

// SetMicrotaskLimit replaces how many microtasks a frame runs at most.
func SetMicrotaskLimit(s *Scheduler, n int) { s.microLimit = n }

// SetPatience replaces the number of frames in which a task may be passed over.
func SetPatience(s *Scheduler, frames int) { s.patience = uint8(frames) }

// SetShare replaces the part of a slice for overdue work.
func SetShare(s *Scheduler, share float64) { s.share = max(share, 0) }

// OverdueAside returns how much overdue work is set aside, and whether it is in the order of expiration, and has the
// item that was added last.
func OverdueAside(s *Scheduler) (n int, sorted bool) {
	sorted, last := true, s.overdueAside.last == nil
	for it := s.overdueAside.head; it != nil; it = it.fore {
		sorted = sorted && (it.back == nil || !s.sooner(it, it.back))
		last = last || it == s.overdueAside.last
		n++
	}
	return n, sorted && last
}

// Work returns the kind of work that an event is about.
func Work(e Event) string { return e.work.String() }

// The limits that tests count up to, and how many phases there are.
const (
	NumPhases = numPhases
	PassLimit = passLimit
	FlatLimit = flatLimit
	ContSteps = contSteps
	KindLimit = costs.Limit
	IdleLimit = idleLimit
	ShareRuns = shareRuns
)

// Kinds returns how many kinds have an estimate.
func Kinds(s *Scheduler) int { return len(slices.Collect(s.kinds.All())) }

// ArenaSize returns how many items the arena has, and how many of them are free. Nobody may post meanwhile.
func ArenaSize(s *Scheduler) (size, free int) {
	for k := range s.arena.chunks {
		if c := s.arena.chunks[k].Load(); c != nil {
			size += 64 * len(c.blocks)
			for i := range c.blocks {
				free += bits.OnesCount64(c.blocks[i].free.Load())
			}
		}
	}
	return size, free
}

// Age makes the next generation of a task that has ended the one after 2^32.
func Age(t *Task) { t.item.word.Or(generationMask) }

// Coming returns how many tasks will be members of a group when their present generations have ended.
func Coming(s *Scheduler) int { return len(s.coming) }

// Members returns how many members of g the frame goroutine has read of.
func Members(g *Group) int { return len(g.members) }

// OnEnd has f called when g has no members: what Done does.
func OnEnd(g *Group, f func()) { g.notify(f) }

// SubmitTo submits t into g.
func SubmitTo(g *Group, t *Task) {
	t.Group = g
	g.s.Submit(t)
}

// Generations returns how many generations a task has begun, and Closed whether Close has taken effect.
func Generations(t *Task) int  { return int(generationOf(t.item.word.Load())) }
func Closed(s *Scheduler) bool { return s.closed.Load() }

// Kept returns how many groups the scheduler knows of because they have delayed or parked members.
func Kept(s *Scheduler) int { return len(s.kept) }
