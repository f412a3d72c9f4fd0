package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The sleep of a joiner (F1 to F4) as a model: a thief, which says that it has the fork, within it shares forks of its
// own, and does not go on before each has been taken, as if all the work were in them; and the joiner, the only one who
// could. A joiner that sleeps over shared forks is a deadlock, which the search finds as a terminal state.

type forkMutant int

const (
	forkSound        forkMutant = iota
	announceLate                // F1: the joiner looks, then sets its bit
	forkNoSecondLook            // F1: it does not look again at the thief's forks
	forkNoStateLook             // F1 and F3: it does not look again at the state, nor does enlisting
	offerTooEarly               // F2: joining is looked at before the forks are shared
	awaitsLate                  // F1: whose fork it is becomes known after the second look
	bitWithout                  // F2: the bit is taken out without a post
	forkLossyPost               // W4: a post to one who does not wait yet is lost
	unknownSilent               // F2: no post to one who does not know yet who has its fork
	storedLate                  // F4: the thief begins, and then says that it has the fork
	calledForGood               // F3: the joiner does not enlist again when a late call has taken its waiter
	calledLate                  // F3: the waiter posts, and then says that it has been called
	forkPostTwice               // no fault: the bit is not taken out, so there are more posts
)

const forkItems = 2

// What a joiner says in awaits.
const (
	awaitsNone int8 = iota // of another sleep
	awaitsUnknown
	awaitsThief
)

type forkState struct {
	shared, taken, published          int8
	joining, enlisted, told, stored   bool
	finished, token, waits, strayPost bool
	awaits                            int8
	saw                               bool // whose fork it is, at the last jAwaits
	thief, joiner, late               int8
}

// wake takes the bit out and goes to the pc of a post, or to the other.
func (s *forkState) wake(m forkMutant, post, not int8) int8 {
	if !s.joining || m == bitWithout {
		s.joining = s.joining && m != bitWithout
		return not
	}
	s.joining = m == forkPostTwice
	return post
}

func (s *forkState) post(m forkMutant) {
	if m != forkLossyPost || s.waits {
		s.token = true
	}
}

// The thief: share, tell, wait for the taker, and in the end finish.
const (
	tShare int8 = iota
	tLook
	tWhose
	tBit
	tPost
	tTaken
	tFinish
	tNotify
	tGone
	tStore
)

func forkThief(s *forkState, m forkMutant) bool {
	switch s.thief {
	case tStore: // F4
		s.stored = m != storedLate
		s.thief = tShare
		if m == offerTooEarly {
			s.thief = tLook
		}
	case tShare:
		s.shared++
		s.published++
		s.thief = tLook
		if m == offerTooEarly {
			s.thief = tTaken
		}
	case tLook:
		s.thief = tTaken
		if s.joining {
			s.thief = tWhose
		} else if m == offerTooEarly {
			s.thief = tShare
		}
	case tWhose:
		s.thief = tBit
		if s.awaits == awaitsNone || s.awaits == awaitsUnknown && m == unknownSilent {
			s.thief = tTaken
		}
	case tBit:
		s.thief = s.wake(m, tPost, tTaken)
	case tPost:
		s.post(m)
		s.thief = tTaken
		if m == offerTooEarly {
			s.thief = tShare
		}
	case tTaken:
		s.stored = true
		if s.taken < s.published {
			return false
		}
		s.thief = tShare
		if m == offerTooEarly {
			s.thief = tLook
		}
		if s.published == forkItems {
			s.thief = tFinish
		}
	case tFinish:
		s.finished = true
		s.thief = tNotify
	case tNotify:
		if s.enlisted {
			s.enlisted = false
			s.post(m)
		}
		s.thief = tGone
	default:
		return false
	}
	return true
}

// forkLate is the end of an earlier run of the same Job, which has stored its state, and comes to the waiters only now.
func forkLate(s *forkState, m forkMutant) bool {
	say, post := int8(1), int8(2)
	if m == calledLate {
		say, post = 2, 1
	}
	switch s.late {
	case 0:
		if !s.enlisted {
			s.late = 3 // it finds none
			return true
		}
		s.enlisted = false
	case say:
		if m != calledForGood {
			s.told = false
		}
	case post:
		s.post(m)
	default:
		return false
	}
	s.late++
	return true
}

// forkStray is the wait that returns for no reason, if there is one.
func forkStray(s *forkState, posts bool, m forkMutant) bool {
	if s.strayPost {
		return false
	}
	s.strayPost = true
	if posts {
		s.post(m)
	}
	return true
}

func forkModel(m forkMutant) explore.Model[forkState] {
	return explore.Model[forkState]{
		Init: forkState{thief: tStore},
		Threads: []explore.Thread[forkState]{
			{Name: "thief", Step: func(s *forkState) bool { return forkThief(s, m) }},
			{Name: "joiner", Step: func(s *forkState) bool { return forkJoiner(s, m) }},
			{Name: "late", Step: func(s *forkState) bool { return forkLate(s, m) }},
			{Name: "stray", Step: func(s *forkState) bool { return forkStray(s, true, m) }},
			{Name: "no stray", Step: func(s *forkState) bool { return forkStray(s, false, m) }},
		},
		Final: func(s forkState) error {
			if s.joiner != jGone || s.taken != forkItems {
				return fmt.Errorf("joiner at %d, thief at %d, %d forks shared", s.joiner, s.thief, s.shared)
			}
			return nil
		},
	}
}

func TestModelJoinersWakeForForks(t *testing.T) {
	explore.Try(t, forkSound, explore.Span(announceLate, calledLate), forkModel)
	if _, err := explore.Run(forkModel(forkPostTwice)); err != nil {
		t.Error(err)
	}
}

// The joiner's side.

// The joiner: awaitFork and joinSleep.
const (
	jLoop int8 = iota
	jSteal
	jEnlist
	jEnlisted
	jAwaits
	jBit
	jAgain
	jState
	jWait
	jClear
	jGone
	jLateBit
	jLateAwaits
)

func (s *forkState) steal() bool {
	if s.shared == 0 || !s.stored {
		return false
	}
	s.shared--
	s.taken++
	return true
}

func forkJoiner(s *forkState, m forkMutant) bool {
	next := s.joiner + 1
	switch s.joiner {
	case jLoop:
		if s.finished {
			next = jGone
		}
	case jSteal:
		switch {
		case s.steal():
			next = jLoop
		case s.told:
			next = jAwaits
		}
	case jEnlist:
		s.enlisted, s.told = true, true
	case jEnlisted:
		if s.finished && m != forkNoStateLook {
			s.token = true // notify calls at once
		}
	case jAwaits:
		s.saw = s.stored
		if m != awaitsLate {
			s.sayWhose()
		}
	case jBit:
		s.joining = m != announceLate
	case jAgain:
		if m != forkNoSecondLook && s.steal() {
			next = jClear
		}
	case jState:
		switch {
		case s.finished && m != forkNoStateLook:
			next = jClear
		case m == announceLate:
			next = jLateBit
		case m == awaitsLate:
			next = jLateAwaits
		}
		s.waits = next == jWait
	case jLateBit:
		s.joining, s.waits, next = true, true, jWait
	case jLateAwaits:
		s.sayWhose()
		s.waits, next = true, jWait
	case jWait:
		if !s.token {
			return false
		}
		s.token, s.waits = false, false
	case jClear:
		s.joining, s.awaits, s.saw, next = false, awaitsNone, false, jLoop
	default:
		return false
	}
	s.joiner = next
	return true
}

// sayWhose says over whose fork the joiner sleeps, as far as it knew.
func (s *forkState) sayWhose() {
	s.awaits = awaitsUnknown
	if s.saw {
		s.awaits = awaitsThief
	}
}
