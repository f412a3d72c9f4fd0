package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// E2 as a model: a class loses its last worker, gets one, and loses it again; a job waits, and a goroutine for its
// end. The worker may take the job or not, as others may have kept it busy, and leaves when it is told to.

type eraMutant int

const (
	eraSound     eraMutant = iota
	eraStays               // the channel is not closed
	eraEarly               // the channel is replaced before want changes
	eraWantFirst           // the sleeper takes the channel after it has found want not zero
	eraDownOnly            // only the loss of the last worker begins an era, and without one there is no channel
	eraUnheard             // who sleeps does not wait for the channel
)

type eraState struct {
	want, era, closed int8 // channels below closed are closed
	job               int8 // 0: queued, 1: run
	waiter, class     int8 // pcs
	saw               int8 // the channel that the waiter has taken, -1: none
	lazy              bool // the worker leaves the job alone
}

// eraWaiter takes the channel at 0, looks at want at 1, sleeps at 2, and is gone at 9.
func eraWaiter(s *eraState, m eraMutant) bool {
	take := func() {
		s.saw = s.era
		if m == eraDownOnly && s.want == 0 {
			s.saw = -1
		}
	}
	switch s.waiter {
	case 0:
		if m != eraWantFirst {
			take()
		}
		s.waiter = 1
	case 1:
		s.waiter = 2
		switch {
		case s.job != 0:
			s.waiter = 9
		case s.want == 0:
			s.job, s.waiter = 1, 9
		case m == eraWantFirst:
			s.waiter = 3
		}
	case 3:
		take()
		s.waiter = 2
	case 2:
		switch {
		case s.job != 0:
			s.waiter = 9
		case s.saw >= 0 && s.saw < s.closed && m != eraUnheard:
			s.waiter = 0
		default:
			return false
		}
	default:
		return false
	}
	return true
}

// eraCrew is setWant three times: to 0, to 1, to 0.
func eraCrew(s *eraState, m eraMutant) bool {
	if s.class >= 9 {
		return false
	}
	change, replace, end := int8(0), int8(1), int8(2)
	if m == eraEarly {
		change, replace, end = 2, 0, 1
	}
	up := s.class/3 == 1
	switch s.class % 3 {
	case change:
		s.want = 0
		if up {
			s.want = 1
		}
	case replace:
		if m != eraDownOnly || !up {
			s.era++
		}
	case end:
		if m != eraStays {
			s.closed = s.era
		}
	}
	s.class++
	return true
}

func TestModelNobodySleepsOverWhatNobodyBegins(t *testing.T) {
	model := func(m eraMutant) explore.Model[eraState] {
		return explore.Model[eraState]{
			Init: eraState{want: 1},
			Threads: []explore.Thread[eraState]{
				{Name: "waiter", Step: func(s *eraState) bool { return eraWaiter(s, m) }},
				{Name: "class", Step: func(s *eraState) bool { return eraCrew(s, m) }},
				{Name: "worker", Step: func(s *eraState) bool {
					if s.want == 0 || s.job != 0 || s.lazy {
						return false
					}
					s.job = 1
					return true
				}},
				{Name: "others", Step: func(s *eraState) bool {
					was := s.lazy
					s.lazy = true
					return !was
				}},
			},
			Final: func(s eraState) error {
				if s.job == 0 || s.waiter != 9 {
					return errors.New("it sleeps over what nobody begins")
				}
				return nil
			},
		}
	}
	explore.Try(t, eraSound, explore.Span(eraStays, eraUnheard), model)
}

// E3 as a model: somebody makes an item visible and then makes want zero; a worker has another item, which it alone
// knows, and publishes it when it is to leave; both workers leave when they may.

type owesMutant int

const (
	owesSound    owesMutant = iota
	owesNothing             // nobody looks
	owesFirst               // only the first worker stays
	owesEarly               // a worker looks at what is visible, and then at want
	owesUnposted            // a worker looks before it has published its own
)

type owesState struct {
	want, visible, ran int8
	private            [2]int8
	pc                 [2]int8 // 9: gone
	saw                [2]bool
	out                int8
}

func owesWorker(i int, m owesMutant) func(s *owesState) bool {
	return func(s *owesState) bool {
		pc := &s.pc[i]
		look := func() { s.saw[i] = s.visible > 0 && m != owesNothing && (m != owesFirst || i == 0) }
		switch *pc {
		case 0: // between two jobs
			switch {
			case m == owesEarly:
				look()
				*pc = 1
			case s.want > 0 && s.visible > 0:
				s.visible--
				s.ran++
			case s.want > 0:
				return false
			default:
				*pc = 2
			}
		case 1: // owesEarly: want
			switch {
			case s.want == 0:
				*pc = 2
			case s.visible > 0:
				s.visible--
				s.ran++
				*pc = 0
			default:
				return false
			}
		case 2: // retire: publish, or look
			if m == owesUnposted {
				look()
			} else {
				s.visible += s.private[i]
				s.private[i] = 0
			}
			*pc = 3
		case 3:
			if m == owesUnposted {
				s.visible += s.private[i]
				s.private[i] = 0
			} else if m != owesEarly {
				look()
			}
			*pc = 9
			if s.saw[i] {
				*pc = 4
			}
		case 4:
			if s.visible > 0 {
				s.visible--
				s.ran++
			}
			*pc = 0
		default:
			return false
		}
		return true
	}
}

func TestModelLeavingWorkersLeaveNothing(t *testing.T) {
	model := func(m owesMutant) explore.Model[owesState] {
		return explore.Model[owesState]{
			Init: owesState{want: 2, private: [2]int8{0, 1}},
			Threads: []explore.Thread[owesState]{
				{Name: "worker 0", Step: owesWorker(0, m)}, {Name: "worker 1", Step: owesWorker(1, m)},
				{Name: "outside", Step: func(s *owesState) bool {
					switch s.out++; s.out {
					case 1:
						s.visible++
					case 2:
						s.want = 0
					default:
						return false
					}
					return true
				}},
			},
			Final: func(s owesState) error {
				if s.ran != 2 || s.visible != 0 {
					return errors.New("something is left behind")
				}
				return nil
			},
		}
	}
	explore.Try(t, owesSound, []owesMutant{owesNothing, owesFirst, owesEarly, owesUnposted}, model)
}
