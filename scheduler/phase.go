package scheduler

import (
	"fmt"

	"github.com/frameslice/frameslice/deadline"
)

// Phase is a point of a frame at which callbacks run: see [Scheduler.Once].
type Phase uint8

const (
	BeforeUpdate Phase = iota // the frame has begun
	BeforeDraw                // between the host's update and its drawing
	AfterDraw                 // the host has drawn, perhaps not yet visibly; wakes coroutines in Co.AfterDraw

	numPhases = iota
)

// Phases returns all phases, in the order of a frame.
func Phases() [3]Phase { return [numPhases]Phase{BeforeUpdate, BeforeDraw, AfterDraw} }

// String returns the constant's name in words.
func (p Phase) String() string {
	if p >= numPhases {
		return "invalid phase"
	}
	return [...]string{"before update", "before draw", "after draw"}[p]
}

// phaseLane is added to a callback's phase in the lane bits of an item's word: smaller numbers are priorities.
// Microtasks have phaseLane as well, but never go through the inbox.
const phaseLane = deadline.NumPriorities

// phases is the part of a Scheduler that runs callbacks. The frame goroutine's.
//
// A callback of Once or Each is an item, as a posted function is. Its word has a phase in place of the lane, and
// flagSteps if it is a callback of Each. Its submission, cancellation and end follow S1 to S8. Only the list differs.
//
// A phase is a pass over its callbacks (S13). A callback is out of the list while it runs, and a callback of Each goes
// back to its old place. A callback whose group is paused is skipped, and stays in its place.
type phases struct {
	callbacks [numPhases]round
	hosted    [numPhases]bool // RunPhase was called with the phase, ever
	phaseNow  *round          // of the phase that runs
	phaseRan  int             // callbacks of that phase
}

// Once registers f to run once, in the next phase p that begins. It asks for a frame: see DrawRequested. The Handle
// cancels f, but has no priority to set. Any goroutine. Otherwise Once is as [Scheduler.Post].
func (s *Scheduler) Once(p Phase, f func()) Handle { return s.register("Once", p, f, nil, 0) }

// Each registers f to run in every phase p from the next that begins, until its Handle is cancelled or f fails. It does
// not ask for a frame. Otherwise it is as [Scheduler.Once].
func (s *Scheduler) Each(p Phase, f func()) Handle { return s.register("Each", p, f, nil, flagSteps) }

// register is Once and Each, also for a group.
func (s *Scheduler) register(verb string, p Phase, f func(), g *Group, flags word) Handle {
	if f == nil {
		panic("scheduler: " + verb + " with a nil function")
	}
	mustBePhase(p)
	if s.closed.Load() {
		return s.drop()
	}
	it := s.arena.get(noLane)
	if it.fn = f; g != nil {
		it.fore = &g.groupEntry.item
		flags |= flagMember
	}
	h := s.launch(it, flags|(phaseLane+word(p))<<laneShift)
	if g.isCanceled() {
		h.Cancel()
	}
	return h
}

// addCallback puts a callback that was read from the inbox into its list. lane is the lane in its word.
func (f *phases) addCallback(it *item, lane int) {
	p := lane - phaseLane
	it.where = inOnce + place(2*p)
	if it.word.Load()&flagSteps != 0 {
		it.where++
	}
	f.callbacks[p].push(it)
}

func (f *phases) hasPhase(p Phase, d *drawing) bool {
	return f.callbacks[p].head != nil || p == AfterDraw && d.draws.head != nil
}

// awaitsOnce reports whether a callback of Once waits that is in no paused group.
func (f *phases) awaitsOnce(m *memberships) bool {
	for p := range f.callbacks {
		for it := f.callbacks[p].head; it != nil; it = it.fore {
			if it.where == inOnce+place(2*p) && !m.isStopped(it) {
				return true
			}
		}
	}
	return false
}

func mustBePhase(p Phase) {
	if p >= numPhases {
		panic(fmt.Sprintf("scheduler: invalid Phase(%d)", uint8(p)))
	}
}
