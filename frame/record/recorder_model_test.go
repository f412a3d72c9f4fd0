package record

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// RC4 to RC6 as a model: a writer of some records, one who takes a Snapshot or has a Report, and another who calls
// Reset twice, or takes a Snapshot first. Of the ring only how many records it has had is left, as ring_explore_test.go
// has the rest, and of a set of sums and histograms how many frames it has. To write one is two steps, between which
// nobody may read or clear it.
type tallyState struct {
	order, base int8 // the ring's
	phase       int8
	active      int8
	sets        [2]int8

	pc, set int8 // the writer's
	adds    int8

	held        bool // mu, and what it guards
	idle        int8
	total, gone int8
	resets      int8 // so many
	since       int8 // and what Report counts from, which the last of them has noted

	people [2]tallyReader
	shared bool // somebody has read or cleared what was being written
	left   bool // a Reset has left what was recorded when it was called
}

type tallyReader struct {
	pc, old, odd  int8
	calls         int8
	had           int8 // the records when it was called
	base, order   int8 // of the records
	gone, frames  int8 // of the totals
	since, resets int8
	seen          bool
}

type tallyMutant int

const (
	tallySound       tallyMutant = iota
	tallyHurried                 // a reader does not wait for an odd phase to end
	tallyEvenEarly               // the writer makes the phase even before it has written
	tallyActiveOld               // it loads active before it makes the phase odd
	tallyUnguarded               // readers do not take mu
	tallyUncleared               // what was collected is not cleared
	tallyUncollected             // Reset does not collect
	tallyByOrder                 // it forgets all records, and not those that it has collected
	tallyApart                   // a Snapshot has its records before it has mu
	tallySinceApart              // and a Report what it counts from
)

// add is Add.
func (s *tallyState) add(m tallyMutant) bool {
	const record, odd, load, write, written, even = 0, 1, 2, 3, 4, 5
	switch s.pc {
	case record:
		if s.adds == 0 {
			return false
		}
		s.adds--
		s.order++
		if s.pc = odd; m == tallyActiveOld {
			s.pc = load
		}
	case odd:
		s.phase++
		if s.pc = load; m == tallyActiveOld {
			s.pc = write
		}
	case load:
		s.set = s.active
		switch s.pc = write; m {
		case tallyActiveOld:
			s.pc = odd
		case tallyEvenEarly:
			s.pc = even
		}
	case write:
		s.pc = written
	case written:
		s.sets[s.set]++
		if s.pc = even; m == tallyEvenEarly {
			s.pc = record
		}
	case even:
		s.phase++
		if s.pc = record; m == tallyEvenEarly {
			s.pc = write
		}
	}
	return true
}

const (
	tallyStart = iota
	tallyEarly // mutants: what is read before mu is taken
	tallyLock
	tallyBase
	tallyOrder
	tallySwap
	tallyPhase
	tallyWait
	tallyMerge
	tallyClear
	tallyTotals
	tallyForget
	tallyNote
	tallyUnlock
	tallyEnded
)

// call is Snapshot, and what Report asks before, or Reset.
func (s *tallyState) call(r *tallyReader, m tallyMutant, reset bool) bool {
	switch r.pc {
	case tallyStart:
		r.pc = tallyLock
		if r.had = s.order; s.pc != 0 {
			r.had-- // one is being recorded
		}
		if m == tallySinceApart && !reset {
			r.since = s.since
		}
		if m == tallyApart && !reset {
			r.base, r.pc = s.base, tallyEarly
		}
	case tallyEarly:
		r.order, r.pc = s.order, tallyLock
	case tallyLock:
		if s.held && m != tallyUnguarded {
			return false
		}
		s.held = true
		switch r.pc = tallyBase; {
		case reset && m == tallyUncollected:
			r.pc = tallyForget
		case reset:
			r.pc = tallySwap
		case m == tallyApart:
			r.pc, r.since = tallySwap, s.since
		case m != tallySinceApart:
			r.since = s.since
		}
	case tallyBase:
		r.base, r.pc = s.base, tallyOrder
	case tallyOrder:
		r.order, r.pc = s.order, tallySwap
	case tallySwap:
		r.old, s.active = s.active, s.idle
		r.pc = tallyPhase
	case tallyPhase:
		r.odd = s.phase
		r.pc = tallyMerge
		if s.phase&1 == 1 && m != tallyHurried {
			r.pc = tallyWait
		}
	case tallyWait:
		if s.phase == r.odd {
			return false
		}
		r.pc = tallyMerge
	case tallyMerge, tallyClear:
		s.shared = s.shared || s.pc == 4 && s.set == r.old
		if r.pc == tallyMerge {
			s.total += s.sets[r.old]
			r.pc = tallyClear
			break
		}
		if m != tallyUncleared {
			s.sets[r.old] = 0
		}
		s.idle = r.old
		if r.pc = tallyTotals; reset {
			r.pc = tallyForget
		}
	case tallyTotals:
		r.frames, r.gone, r.resets, r.seen = s.total, s.gone, s.resets, true
		r.pc = tallyUnlock
	case tallyForget:
		s.gone += s.total
		if s.total = 0; m == tallyByOrder {
			s.gone = s.order
		}
		s.base = s.gone
		s.left = s.left || s.base < r.had
		s.resets++
		r.pc = tallyNote
	case tallyNote:
		s.since = s.resets
		r.pc = tallyUnlock
	case tallyUnlock:
		s.held = false
		r.calls--
		r.pc, r.old, r.odd, r.had = tallyStart, 0, 0, 0
		if r.calls == 0 {
			r.pc = tallyEnded
		}
	default:
		return false
	}
	return true
}

func tallyModel(m tallyMutant, both bool) explore.Model[tallyState] {
	init := tallyState{adds: 3, idle: 1}
	init.people[0].calls, init.people[1].calls = 1, 2
	return explore.Model[tallyState]{
		Init: init,
		Threads: []explore.Thread[tallyState]{
			{Name: "writer", Step: func(s *tallyState) bool { return s.add(m) }},
			{Name: "report", Step: func(s *tallyState) bool { return s.call(&s.people[0], m, false) }},
			{Name: "reset", Step: func(s *tallyState) bool {
				r := &s.people[1]
				return s.call(r, m, !both || r.calls == 1)
			}},
		},
		Invariant: func(s tallyState) error {
			if s.shared {
				return errors.New("a set is read, or cleared, while it is written")
			}
			if s.left {
				return errors.New("a Reset has left what was recorded before")
			}
			for _, r := range s.people {
				switch {
				case !r.seen:
				case r.base != r.gone || r.since != r.resets:
					return errors.New("records, totals, and what a Report counts from are of two sides of a Reset")
				case r.order-r.base > r.frames+1 || r.gone+r.frames > s.order:
					return fmt.Errorf("%d records of %d frames", r.order-r.base, r.frames)
				}
			}
			return nil
		},
		Final: func(s tallyState) error {
			if s.adds > 0 || s.people[0].pc != tallyEnded || s.people[1].pc != tallyEnded {
				return errors.New("somebody waits")
			}
			if n := s.gone + s.total + s.sets[0] + s.sets[1]; n != s.order || s.base != s.gone {
				return fmt.Errorf("%d frames counted of %d, and records from %d on", n, s.order, s.base)
			}
			return nil
		},
	}
}

func TestModelTheTotalsAreOneCut(t *testing.T) {
	explore.TryIn(t, tallySound, explore.Span(tallyHurried, tallySinceApart), tallyModel, false, true)
}
