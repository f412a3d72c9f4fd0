package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The sleep of a joiner (F1 to F3) as a model: a thief, which within the stolen fork shares forks of its own and
// does not go on before each has been taken, as if all the work were in them; and the joiner, the only one who
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
	forkPostTwice               // no fault: the bit is not taken out, so there are more posts
)

const forkItems = 2

type forkState struct {
	shared, taken, published          int8
	joining, known, enlisted, told    bool
	finished, token, waits, strayPost bool
	thief, joiner                     int8
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
)

func forkThief(s *forkState, m forkMutant) bool {
	switch s.thief {
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
		if !s.known {
			s.thief = tTaken
		}
	case tBit:
		s.thief = tTaken
		if s.joining {
			s.thief = tPost
			s.joining = m == forkPostTwice
		}
		if m == bitWithout {
			s.thief = tTaken
		}
	case tPost:
		s.post(m)
		s.thief = tTaken
		if m == offerTooEarly {
			s.thief = tShare
		}
	case tTaken:
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
			s.post(m)
		}
		s.thief = tGone
	default:
		return false
	}
	return true
}

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
	if s.shared == 0 {
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
		s.known = m != awaitsLate
	case jBit:
		s.joining = m != announceLate
	case jAgain:
		if m != forkNoSecondLook && s.steal() {
			next = jClear
		}
	case jState:
		if s.finished && m != forkNoStateLook {
			next = jClear
		} else if m == announceLate {
			next = jLateBit
		} else if m == awaitsLate {
			next = jLateAwaits
		}
		s.waits = next == jWait
	case jLateBit:
		s.joining, s.waits, next = true, true, jWait
	case jLateAwaits:
		s.known, s.waits, next = true, true, jWait
	case jWait:
		if !s.token {
			return false
		}
		s.token, s.waits = false, false
	case jClear:
		s.joining, s.known, next = false, false, jLoop
	default:
		return false
	}
	s.joiner = next
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
	start := forkState{}
	if m == offerTooEarly {
		start.thief = tLook
	}
	return explore.Model[forkState]{
		Init: start,
		Threads: []explore.Thread[forkState]{
			{Name: "thief", Step: func(s *forkState) bool { return forkThief(s, m) }},
			{Name: "joiner", Step: func(s *forkState) bool { return forkJoiner(s, m) }},
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
	for _, m := range []forkMutant{forkSound, forkPostTwice} {
		stats, err := explore.Run(forkModel(m))
		if err != nil {
			t.Fatalf("variant %d: %v", m, err)
		}
		t.Logf("variant %d: %+v", m, stats)
	}
}

func TestModelForkMutantsDie(t *testing.T) {
	for m := announceLate; m < forkPostTwice; m++ {
		if _, err := explore.Run(forkModel(m)); err == nil {
			t.Errorf("the explorer did not catch mutant %d", m)
		}
	}
}
