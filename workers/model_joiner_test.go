package workers

// The joiner's side of the model in model_fork_test.go.

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
