package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

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
