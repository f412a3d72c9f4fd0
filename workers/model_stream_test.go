package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// T3 as a model: two workers end the first two jobs in any order and one of them the third, whose place is that
// of the first. The consumer has itself notified of each, and once comes by itself, as when a coroutine that
// waited has been canceled, and then waits again with a new word.

type noticeMutant int

const (
	noticeSound   noticeMutant = iota
	lookThenStore              // Notify looks before it stores
	tellEarly                  // who makes news looks at notice before
	tellAnyway                 // calls though the news is not at the head
	swapAnyWord                // takes out whatever word is there
	nobodyLooks                // Notify does not look
)

type noticeState struct {
	filled      [2]bool // the places
	head        int8    // results taken out
	begun       [2]int8 // 1 + the job that a worker ends
	next        int8    // the first job that nobody ends
	pc          [3]int8
	saw         [3]int8 // the word seen, 0 for none
	word        int8    // in notice
	words       int8    // made so far
	called      int8    // the last word whose function was called
	interrupted bool
	bad         bool
}

func (s *noticeState) news() bool { return s.filled[s.head%2] }

// tell makes the next step of tellConsumer at pc 0 to 1, and reports the end.
func (s *noticeState) tell(who int, pc *int8, m noticeMutant) bool {
	if *pc == 0 {
		*pc = 1
		return !s.news() && m != tellAnyway
	}
	if s.word != 0 && (s.word == s.saw[who] || m == swapAnyWord) {
		s.called = s.word
		s.word = 0
	}
	return true
}

func noticeWorker(who int, m noticeMutant) func(s *noticeState) bool {
	return func(s *noticeState) bool {
		pc := &s.pc[who]
		switch *pc {
		case 0:
			if s.next == 3 || s.next >= s.head+2 { // the place is not free
				return false
			}
			s.next++
			s.begun[who] = s.next
		case 1:
			if m == tellEarly {
				s.saw[who] = s.word
			}
		case 2:
			s.filled[(s.begun[who]-1)%2] = true
		case 3:
			if m != tellEarly {
				s.saw[who] = s.word
			}
			if s.saw[who] == 0 {
				*pc = 0
				return true
			}
		default:
			at := *pc - 4
			end := s.tell(who, &at, m)
			*pc = at + 4
			if end {
				*pc = 0
			}
			return true
		}
		*pc++
		return true
	}
}

func noticeConsumer(m noticeMutant) func(s *noticeState) bool {
	return func(s *noticeState) bool {
		pc := &s.pc[2]
		switch *pc {
		case 0: // Notify
			if s.head == 3 {
				return false
			}
			if m == lookThenStore && s.news() {
				s.words++
				s.called = s.words
				*pc = 4
				return true
			}
		case 1:
			s.words++
			s.word, s.saw[2] = s.words, s.words
			if m == lookThenStore || m == nobodyLooks {
				*pc = 4
				return true
			}
		case 2, 3:
			at := *pc - 2
			end := s.tell(2, &at, m)
			*pc = at + 2
			if end {
				*pc = 4
			}
			return true
		case 4: // waits
			switch {
			case s.called == s.words:
				if s.bad = !s.news(); s.bad {
					return true
				}
				s.filled[s.head%2] = false
				s.head++
				*pc = 0
			case s.interrupted:
				s.interrupted = false
				if s.news() {
					s.filled[s.head%2] = false
					s.head++
				}
				*pc = 0
			default:
				return false
			}
			return true
		}
		*pc++
		return true
	}
}

func noticeModel(m noticeMutant, interrupt bool) explore.Model[noticeState] {
	return explore.Model[noticeState]{
		Init: noticeState{interrupted: interrupt},
		Threads: []explore.Thread[noticeState]{
			{Name: "worker 0", Step: noticeWorker(0, m)}, {Name: "worker 1", Step: noticeWorker(1, m)},
			{Name: "consumer", Step: noticeConsumer(m)},
		},
		Invariant: func(s noticeState) error {
			if s.bad {
				return errors.New("the consumer was called and found nothing")
			}
			return nil
		},
		Final: func(s noticeState) error {
			if s.head != 3 {
				return errors.New("the consumer waits for ever")
			}
			return nil
		},
	}
}

func TestModelAStreamCallsItsConsumer(t *testing.T) {
	mutants := []noticeMutant{lookThenStore, tellEarly, tellAnyway, swapAnyWord, nobodyLooks}
	explore.TryIn(t, noticeSound, mutants, noticeModel, false, true)
}

// T2 as a model: the consumer is a job on the only worker, a producer elsewhere submits two jobs. It is the same with
// one who waits there for room, but that others may wait before him.

type helpMutant int

const (
	helpSound     helpMutant = iota
	helpsLate                // set after the consumer has looked
	lookFirst                // the consumer looks before it enters
	submitterFast            // looks at the sleepers before the job is Queued
	noLookAtJobs             // the consumer looks at results only
	wakesTheFirst            // who is woken is another one, who waits before this one, and does not run jobs
)

type helpState struct {
	queued        [2]bool // by job
	taken         int8
	helps, asleep bool
	token, saw    bool
	pc            [2]int8 // producer, consumer
	job           int8    // the producer's
}

func helpProducer(m helpMutant) func(s *helpState) bool {
	return func(s *helpState) bool {
		pc := &s.pc[0]
		look := int8(1)
		if m == submitterFast {
			look = 0
		}
		switch {
		case s.job == 2:
			return false
		case *pc == look:
			s.saw = s.helps && s.asleep
		case *pc < 2:
			s.queued[s.job] = true
		default:
			if s.saw && s.asleep && m != wakesTheFirst {
				s.asleep, s.token = false, true
			}
			s.job++
			*pc = 0
			return true
		}
		*pc++
		return true
	}
}

func helpConsumer(m helpMutant) func(s *helpState) bool {
	return func(s *helpState) bool {
		pc := &s.pc[1]
		enter, look := int8(1), int8(2)
		if m == lookFirst {
			enter, look = 2, 1
		}
		switch {
		case s.taken == 2:
			return false
		case *pc == 0:
			s.helps = s.helps || m != helpsLate
		case *pc == enter:
			s.asleep = true
		case *pc == look:
			if s.queued[s.taken] && m != noLookAtJobs {
				s.taken++
				s.asleep, s.token = false, false
				*pc = 0
				return true
			}
		case *pc == 3:
			s.helps = true
		default:
			if !s.token {
				return false
			}
			s.token = false
			*pc = 1
			return true
		}
		*pc++
		return true
	}
}

func TestModelAStreamsConsumerHelps(t *testing.T) {
	model := func(m helpMutant) explore.Model[helpState] {
		return explore.Model[helpState]{
			Threads: []explore.Thread[helpState]{
				{Name: "producer", Step: helpProducer(m)}, {Name: "consumer", Step: helpConsumer(m)},
			},
			Final: func(s helpState) error {
				if s.taken != 2 {
					return errors.New("the only worker waits for a job that nobody else can run")
				}
				return nil
			},
		}
	}
	mutants := []helpMutant{helpsLate, lookFirst, submitterFast, noLookAtJobs, wakesTheFirst}
	explore.Try(t, helpSound, mutants, model)
}
