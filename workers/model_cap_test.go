package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/testkit"
)

// H1 to H3 as a model: three workers, of whom two are to be there besides spares, or three and then two, and jobs of a
// capped lane. Worker 0 may be within one that blocks with a spare, and what it waits for may be another job of that
// lane. Who notifies wakes the first who is in idle: that nobody does who searches is W1's to prove.
type capState struct {
	base, want, capped int8
	low, started       int8 // jobs of the lane that are visible, and how many have begun
	idle, token, alive [3]bool
	again              [3]bool // the look comes after idle
	inJob              [3]bool // of the lane, and does not block
	blocks             bool    // worker 0
	pc, most, n        [3]int8
	outside            int8
}

type capMutant int

const (
	capSound     capMutant = iota
	capBySpares            // the limit is one less than all, spares too, and who blocks keeps its place
	capKept                // who blocks keeps its place
	capUntold              // who gives its place back notifies nobody
	capResumes             // who goes on adds itself when its spare may have left
	capLooksOnce           // who has added itself does not look at the limit again
	capLeaves              // who has no place any more leaves without a look at capped
	capLooksLate           // it looks at capped first
	capStays               // who takes capped back to the limit posts to nobody
)

// A capCase is what begins: worker 2 may be gone, or kept by a job of another lane until worker 0 goes on.
type capCase struct {
	init          capState
	waits, shrink bool
	publish       int8
}

// Where a worker is: the look, the job, the end of it, sleep and leaving, and Blocking in worker 0.
const (
	capTop int8 = iota
	capHas
	capLoad
	capSwap
	capRecheck
	capPop
	capRun
	capRelease
	capCross
	capPost
	capNotify
	capIdle
	capWait
	capWant // surplus: want, the limit, capped
	capMost
	capFull
	capGoing
	capLeft
	capRewant
	capGone
	capKeptBusy
	capBlock
	capStart
	capWithin
	capResume
	capUnwant
	capTell
	capEnd
)

func (s *capState) limit(m capMutant) int8 {
	if m == capBySpares {
		return s.want - 1
	}
	return s.base - 1
}

func (s *capState) notify() {
	for i, idle := range s.idle {
		if idle {
			s.token[i] = true
			return
		}
	}
}

func (s *capState) worker(i int, m capMutant, c *capCase) bool {
	pc := &s.pc[i]
	// Who must not leave looks for work, or sleeps.
	goOn := capTop
	if s.again[i] {
		goOn = capWait
	}
	next := *pc + 1
	switch *pc {
	case capTop:
		s.most[i] = s.limit(m)
	case capHas:
		if s.low == 0 {
			next = capIdle
		}
	case capLoad:
		if s.n[i] = s.capped; s.n[i] >= s.most[i] {
			next = capIdle
		}
	case capSwap:
		if s.capped != s.n[i] {
			next = capLoad
			break
		}
		s.capped++
		if m == capLooksOnce {
			next = capPop
		}
	case capRecheck:
		if s.n[i] >= s.limit(m) {
			next = capRelease
		}
	case capPop:
		if next = capRelease; s.low > 0 {
			s.low--
			s.started++
			s.inJob[i], s.idle[i], s.again[i] = true, false, false
			next = capRun
		}
	case capRun, capEnd:
		s.inJob[i] = false
		next = capRelease
	case capRelease:
		s.capped--
		s.n[i] = s.capped
	case capCross:
		if s.n[i] != s.limit(m) || m == capStays {
			next = capNotify
		}
	case capPost:
		for k := int(s.want); k < 3; k++ {
			s.token[k] = true
		}
	case capNotify:
		if s.low > 0 && m != capUntold {
			s.notify()
		}
		switch {
		case i == 0 && s.blocks:
			next = capWithin
		case !s.again[i]:
			next = capWant
		}
	case capIdle:
		if next = capWant; !s.again[i] {
			s.idle[i], s.again[i] = true, true
			next = capTop
		}
	case capWait:
		if !s.token[i] {
			return false
		}
		s.token[i], s.idle[i], s.again[i] = false, false, false
		next = capTop
	case capWant:
		switch {
		case m == capLooksLate && s.capped > s.limit(m), m != capLooksLate && int8(i) < s.want:
			next = goOn
		case m == capLeaves:
			next = capGoing
		}
	case capMost:
		s.most[i] = s.limit(m)
	case capFull:
		if m == capLooksLate && int8(i) < s.want || m != capLooksLate && s.capped > s.most[i] {
			next = goOn
		}
	case capGoing: // it tells the others of what it leaves
		s.idle[i], s.again[i] = false, false
		if s.low > 0 {
			s.notify()
		}
	case capLeft:
		s.alive[i] = false
	case capRewant:
		if int8(i) < s.want && !s.alive[i] {
			s.alive[i] = true
			next = capTop
		}
	case capKeptBusy:
		if s.started == 0 {
			return false
		}
		next = capWant
	case capBlock:
		s.want++
	case capStart:
		if !s.alive[2] {
			s.alive[2], s.pc[2] = true, capTop
		}
		s.blocks, s.inJob[0] = true, false
		if next = capRelease; m == capBySpares || m == capKept {
			next = capWithin
		}
	case capWithin:
		if c.waits && s.started == 0 {
			return false
		}
		if m == capResumes {
			next = capUnwant
		}
	case capResume:
		if m != capBySpares && m != capKept {
			s.capped++
		}
		s.blocks, s.inJob[0] = false, true
		if m == capResumes {
			next = capEnd
		}
	case capUnwant:
		s.want--
	case capTell:
		s.token[2] = true
		if m == capResumes {
			next = capResume
		}
	default:
		return false
	}
	*pc = next
	if next != capHas && next != capLoad && next != capSwap && next != capFull {
		s.most[i] = 0 // what nobody reads any more makes no difference
	}
	if next != capSwap && next != capRecheck && next != capCross {
		s.n[i] = 0
	}
	return true
}

func capModel(m capMutant, c capCase) explore.Model[capState] {
	threads := []explore.Thread[capState]{{Name: "outside", Step: func(s *capState) bool {
		switch {
		case s.outside < 2*c.publish && s.outside%2 == 0:
			s.low++
		case s.outside < 2*c.publish:
			s.notify()
		case !c.shrink:
			return false
		case s.outside == 2*c.publish:
			s.base--
		case s.outside == 2*c.publish+1:
			s.want--
		case s.outside == 2*c.publish+2:
			s.token = [3]bool{true, true, true}
		default:
			return false
		}
		s.outside++
		return true
	}}}
	for i, name := range []string{"worker 0", "worker 1", "worker 2"} {
		threads = append(threads, explore.Thread[capState]{Name: name, Step: func(s *capState) bool {
			return s.worker(i, m, &c)
		}})
	}
	return explore.Model[capState]{
		Init:    c.init,
		Threads: threads,
		Invariant: func(s capState) error {
			for i := range s.pc {
				leaves := s.pc[i] >= capGoing && s.pc[i] <= capGone && int8(i) >= s.want
				if !leaves && !s.inJob[i] && !(i == 0 && s.blocks) {
					return nil
				}
			}
			return errors.New("all workers that do not block are within jobs of a capped lane")
		},
		Final: func(s capState) error {
			switch {
			case s.low != 0:
				return errors.New("a job waits while workers sleep that might begin it")
			case s.capped != 0:
				return errors.New("a place is lost")
			case s.want < 3 && s.pc[2] != capGone:
				return errors.New("a worker without a place stays")
			}
			return nil
		},
	}
}

// capCases are: one that blocks until another job has begun, while its spare is kept by a job of another lane; one that
// blocks for a while; one that blocks in a job of another lane; and a class that is made smaller.
func capCases() []capCase {
	blocks := capState{base: 2, want: 2, capped: 1, alive: [3]bool{true, true, false},
		inJob: [3]bool{true, false, false}, pc: [3]int8{capBlock, capTop, capGone}}
	kept := blocks
	kept.alive[2], kept.pc[2] = true, capKeptBusy
	elsewhere := capState{base: 2, want: 3, alive: [3]bool{true, true, true}, blocks: true,
		pc: [3]int8{capGone, capTop, capTop}}
	return []capCase{
		{init: kept, waits: true, publish: 1},
		{init: blocks, publish: 1},
		{init: elsewhere, publish: 1},
		{init: capState{base: 3, want: 3, low: 2, alive: [3]bool{true, true, true}}, shrink: true},
	}
}

func TestModelTheCapLeavesOneWorker(t *testing.T) {
	largeModel(t)
	if testkit.UnderRace {
		t.Skip("a model has nothing to race")
	}
	explore.TryIn(t, capSound, explore.Span(capBySpares, capStays), capModel, capCases()...)
}

// largeModel skips a model that takes seconds in short runs: those are there for what differs from one machine, number
// of processors or build to the next, and a model does not.
func largeModel(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a large model, and the same everywhere")
	}
}
