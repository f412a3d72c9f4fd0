package scheduler_test

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// joinState: a task that is in no group runs. A goroutine submits it again, into a group, may cancel that and submit it
// once more, and then asks for the group's end. The frame goroutine reads its inbox during the run and after it (S41).
type joinState struct {
	life         int8 // 1 runs in the beginning; 2 is a member
	idle         bool
	again, joins bool
	sent         bool // sent.group is the group
	asker        int8
	inbox        [6]joinMessage // the oldest first
	n            int8

	frame  int8
	member bool
	coming bool // the task is in Scheduler.coming
	waits  bool // somebody is in Group.ended
	closed bool
	early  bool
}

type joinMessage struct{ what, life int8 }

const (
	joinAsk = 1 + iota
	joinEnded
)

func (s *joinState) push(what, life int8) {
	s.inbox[s.n] = joinMessage{what, life}
	s.n++
}

// expect is Scheduler.expect.
func (s *joinState) expect(g bool, mutant string) {
	left := s.coming && !g
	s.coming = g
	if left {
		s.mayHaveEnded(mutant)
	}
}

func (s *joinState) mayHaveEnded(mutant string) {
	if s.member || s.coming || !s.waits {
		return
	}
	if s.waits = false; mutant == "told at once" {
		s.tell()
	} else {
		s.push(joinEnded, 0)
	}
}

func (s *joinState) tell() {
	s.closed = true
	s.early = s.early || s.again || s.life == 2 && !s.idle // the submission was before the question
}

func joinModel(mutant string) explore.Model[joinState] {
	again := func(s *joinState) { // the compare-and-swap of Submit; after the run it would be of a life as any other
		s.again = s.again || s.life == 1 && !s.idle
	}
	asker := explore.Thread[joinState]{Name: "asker", Step: func(s *joinState) bool {
		switch s.asker++; s.asker {
		case 1:
			if mutant == "message before send" {
				s.push(joinAsk, 1)
			}
		case 2: // send
			s.sent = true
		case 3:
			again(s)
			s.joins = true
		case 4:
			if mutant != "no message" && mutant != "message before send" {
				s.push(joinAsk, 1)
			}
		case 5: // Cancel, if the life has not ended
			s.again = false
			s.joins = s.joins && mutant != "J is taken back"
			if s.life == 2 || s.idle {
				s.asker = 7
			}
		case 6: // the group is what was sent last, so there is no message
			again(s)
		case 7, 8:
			s.push(joinEnded, 0)
			s.asker = 8
		default:
			return false
		}
		return true
	}}
	skip := explore.Thread[joinState]{Name: "no cancel", Step: func(s *joinState) bool {
		if s.asker != 4 {
			return false
		}
		s.asker = 6
		return true
	}}
	read := explore.Thread[joinState]{Name: "read", Step: func(s *joinState) bool {
		switch s.frame {
		case 0: // one message; in between the run may go on
			if s.n == 0 {
				return false
			}
			m := s.inbox[0]
			copy(s.inbox[:], s.inbox[1:])
			s.n--
			s.inbox[s.n] = joinMessage{}
			switch {
			case m.what == joinEnded && (s.member || s.coming):
				s.waits = true
			case m.what == joinEnded:
				s.tell()
			case s.life == m.life && !s.idle || mutant == "any life":
				if mutant != "only if again" || s.again {
					s.frame = 1
				}
			}
		case 1: // sent.group.Load
			s.expect(s.sent, mutant)
			s.frame = 0
		default:
			return false
		}
		return true
	}}
	end := explore.Thread[joinState]{Name: "end", Step: func(s *joinState) bool {
		switch s.frame {
		case 0: // item.end
			if s.idle || s.asker < 3 { // what is submitted after the run is no matter of S41
				return false
			}
			switch {
			case s.again:
				s.again, s.life, s.frame = false, 2, 2
			case s.life == 1 && s.joins || s.member:
				s.idle, s.frame = true, 3
			default:
				s.idle = true
			}
			s.joins = false
		case 2: // join
			s.expect(false, mutant)
			s.member, s.frame = true, 0
		case 3: // part
			s.expect(false, mutant)
			if s.member {
				s.member = false
				s.mayHaveEnded(mutant)
			}
			s.frame = 0
		default:
			return false
		}
		return true
	}}
	return explore.Model[joinState]{
		Init:    joinState{life: 1},
		Threads: []explore.Thread[joinState]{asker, skip, read, end},
		Invariant: func(s joinState) error {
			if s.early {
				return errors.New("the group has ended before what was submitted into it")
			}
			return nil
		},
		Final: func(s joinState) error {
			if !s.closed || s.coming || !s.idle {
				return errors.New("nobody was told of the group's end")
			}
			return nil
		},
	}
}

func TestProtocolJoin(t *testing.T) {
	stats, err := explore.Run(joinModel(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", stats)
	for _, mutant := range []string{
		"no message", "message before send", "any life", "only if again", "J is taken back", "told at once",
	} {
		if _, err := explore.Run(joinModel(mutant)); err == nil {
			t.Errorf("%s: not found", mutant)
		}
	}
}
