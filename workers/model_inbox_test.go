package workers

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The inbox beside the sleeping protocol (I1, I2), in two casts: two goroutines that deliver one item each to
// worker 0, which is alone; and one that does, beside a publisher whose item any of two workers takes, of which
// the other has no inbox. There the letter's job ends only when the publisher's has been taken. Workers run sleep's
// loop. What must not be is that nobody moves while an item lies in the inbox, or in the lane.

type inboxMutant int

const (
	inboxSound    inboxMutant = iota
	rouseFirst                // deliver looks at idle before it pushes
	unswept                   // step 3 does not look into the inbox
	byDuty                    // deliver leaves it to a searcher, as W1 does
	constantEpoch             // posted is not compared with the epoch
	anybody                   // deliver posts to the last in idle
	deafDuty                  // found does not pass the duty on when it was the inbox that had something
	unmarkedPost              // no fault: posts are not marked
	inboxDone     = 9
)

type inboxState struct {
	inbox, lane, took int8
	searching         int8
	idle, token       [2]bool
	epoch, posted     [2]int8
	pc                [2]int8
	searches          [2]bool
	all               int8    // items that there will be
	crew              int8    // workers
	letter            bool    // worker 0 runs one
	who               [3]int8 // pcs: the deliverers, then the publisher
	saw               [3]int8 // the epoch that each read
	target            [3]int8
	dutyTarget        [2]int8
	dutySaw           [2]int8
}

// post is Post and the mark, in two steps, of the worker at.
func (s *inboxState) post(pc *int8, at, saw int8, m inboxMutant, end int8) {
	switch *pc {
	case 20:
		switch {
		case m == constantEpoch && s.posted[at] != 0, m != constantEpoch && s.posted[at] == saw:
			*pc = end
		default:
			*pc = 21
		}
	case 21:
		s.token[at] = true
		*pc = 22
	case 22:
		if m != unmarkedPost {
			s.posted[at] = saw
		}
		*pc = end
	}
}

func (s *inboxState) deliver(i int, m inboxMutant) bool {
	pc := &s.who[i]
	defer s.forget(i)
	first := int8(0)
	if m == rouseFirst {
		first = 1
	}
	switch *pc {
	case inboxDone:
		return false
	case 0: // push, or under the mutant idle
		if first == 0 {
			s.inbox++
			*pc = 1
			return true
		}
		fallthrough
	case 1: // idle
		end := int8(inboxDone)
		if m == rouseFirst {
			end = 8
		}
		s.target[i] = 0
		if m == anybody && s.idle[1] {
			s.target[i] = 1
		}
		if !s.idle[s.target[i]] {
			*pc = end
			return true
		}
		*pc = 2
		if m == byDuty {
			*pc = 3
		}
	case 3:
		if s.searching != 0 {
			*pc = inboxDone
			return true
		}
		*pc = 2
	case 2:
		s.saw[i] = s.epoch[s.target[i]]
		*pc = 20
	case 8: // the late push of rouseFirst
		s.inbox++
		*pc = inboxDone
	default:
		end := int8(inboxDone)
		if m == rouseFirst {
			end = 8
		}
		s.post(pc, s.target[i], s.saw[i], m, end)
	}
	return true
}

// forget drops the locals of one who has ended, so that states which differ in nothing else are one.
func (s *inboxState) forget(i int) {
	if s.who[i] == inboxDone {
		s.saw[i], s.target[i] = 0, 0
	}
}

// publish is a push into a lane and notify (W1).
func (s *inboxState) publish(m inboxMutant) bool {
	const me = 2
	pc := &s.who[me]
	defer s.forget(me)
	switch *pc {
	case inboxDone:
		return false
	case 0:
		s.lane++
		*pc = 1
	case 1:
		switch {
		case s.idle[0]:
			s.target[me], *pc = 0, 2
		case s.idle[1]:
			s.target[me], *pc = 1, 2
		default:
			*pc = inboxDone
		}
	case 2:
		*pc = 3
		if s.searching != 0 {
			*pc = inboxDone
		}
	case 3:
		s.saw[me] = s.epoch[s.target[me]]
		*pc = 20
	default:
		s.post(pc, s.target[me], s.saw[me], m, inboxDone)
	}
	return true
}

// take is next: the inbox first, then the lane. It reports where it found something.
func (s *inboxState) take(w int, inbox bool) (found, letter bool) {
	switch {
	case w == 0 && inbox && s.inbox > 0:
		s.inbox--
		s.took++
		s.letter = true
		return true, true
	case s.lane > 0:
		s.lane--
		s.took++
		return true, false
	}
	return false, false
}

// worker is a worker's step; the names of the counters are those of the parking model.
func (s *inboxState) worker(w int, m inboxMutant) bool {
	pc := &s.pc[w]
	switch *pc {
	case wSearch:
		if !s.searches[w] {
			s.searching++
			s.searches[w] = true
		}
		*pc = wLinger
	case wLinger, wRetry:
		ok, letter := s.take(w, true)
		switch {
		case ok && letter && m == deafDuty:
			s.searching--
			s.searches[w] = false
			*pc = wRun
		case ok:
			*pc = wFound
		case *pc == wRetry:
			*pc = wSearch
		default:
			*pc = wLeave
		}
	case wLeave:
		s.searching--
		s.searches[w] = false
		*pc = wEpoch
	case wEpoch:
		s.epoch[w]++
		*pc = wIdle
	case wIdle:
		s.idle[w] = true
		*pc = wSweep
	case wSweep:
		*pc = wWait
		if ok, _ := s.take(w, m != unswept); ok {
			*pc = wUpFound1
		}
	case wWait:
		if !s.token[w] {
			return false
		}
		s.token[w] = false
		*pc = wUp1
	case wUp1, wUpFound1:
		s.searching++
		s.searches[w] = true
		*pc++
		if *pc == wUpFound1+1 {
			*pc = wUpFound2
		}
	case wUp2, wUpFound2:
		s.idle[w] = false
		if *pc == wUp2 {
			*pc = wRetry
		} else {
			*pc = wFound
		}
	case wFound:
		s.searching--
		s.searches[w] = false
		*pc = wRun
		if s.searching == 0 {
			*pc = wDuty
		}
	case wRun:
		if s.letter && w == 0 && s.took < s.crew {
			return false
		}
		if w == 0 {
			s.letter = false
		}
		*pc = wSearch
	case wDuty: // visible counts the lanes; wakeMore does not look at searching
		*pc = wRun
		for at := range s.idle {
			if s.lane > 0 && s.idle[at] {
				s.dutyTarget[w], *pc = int8(at), 19
				break
			}
		}
	case 19:
		s.dutySaw[w] = s.epoch[s.dutyTarget[w]]
		*pc = 20
	default:
		s.post(pc, s.dutyTarget[w], s.dutySaw[w], m, wRun)
		if *pc == wRun {
			s.dutyTarget[w], s.dutySaw[w] = 0, 0
		}
	}
	return true
}

func inboxModel(m inboxMutant, delivers, crew int8) explore.Model[inboxState] {
	var threads []explore.Thread[inboxState]
	for i := range delivers {
		threads = append(threads, explore.Thread[inboxState]{Name: fmt.Sprint("deliver", i),
			Step: func(s *inboxState) bool { return s.deliver(int(i), m) }})
	}
	for w := range crew {
		threads = append(threads, explore.Thread[inboxState]{Name: fmt.Sprint("worker", w),
			Step: func(s *inboxState) bool { return s.worker(int(w), m) }})
	}
	all := delivers
	if crew > 1 {
		all++
		threads = append(threads, explore.Thread[inboxState]{Name: "publish",
			Step: func(s *inboxState) bool { return s.publish(m) }})
	}
	return explore.Model[inboxState]{Threads: threads, Init: inboxState{all: all, crew: crew},
		Final: func(s inboxState) error {
			if s.inbox != 0 || s.lane != 0 || s.took != s.all {
				return fmt.Errorf("%d letters and %d items lie there, %d taken", s.inbox, s.lane, s.took)
			}
			return nil
		},
		Invariant: func(s inboxState) error {
			if s.searching < 0 {
				return errors.New("negative count")
			}
			return nil
		}}
}

func exploreInbox(t *testing.T, m inboxMutant) error {
	for _, cast := range [][2]int8{{2, 1}, {1, 2}} {
		stats, err := explore.Run(inboxModel(m, cast[0], cast[1]))
		if err != nil {
			return err
		}
		t.Logf("variant %d, cast %v: %+v", m, cast, stats)
	}
	return nil
}

func TestModelNoLetterIsStranded(t *testing.T) {
	largeModel(t)
	if underRace {
		t.Skip("a model has nothing to race")
	}
	for _, m := range []inboxMutant{inboxSound, unmarkedPost} {
		if err := exploreInbox(t, m); err != nil {
			t.Fatalf("variant %d: %v", m, err)
		}
	}
	for m, name := range map[inboxMutant]string{
		rouseFirst: "a look at idle before the push", unswept: "a sweep without the inbox",
		byDuty: "leaving it to a searcher", constantEpoch: "posted without epoch", anybody: "a post to anybody",
		deafDuty: "no duty after a letter",
	} {
		if err := exploreInbox(t, m); err == nil {
			t.Errorf("the explorer did not catch: %s", name)
		}
	}
}
