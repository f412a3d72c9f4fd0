package scheduler_test

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// relayState: a task is submitted, cancelled and submitted again twice, and its producer posts something else in
// between each time; another goroutine changes its priority twice (S1, S3, S4, S6).
type relayState struct {
	w      relayWord
	inbox  [8]int8 // the oldest first: the task's item, another item, or a relay plus its life
	n      int8
	queued bool

	owner struct {
		pc, at int8 // at counts what it has done, by relayActs
		w      relayWord
	}
	prio struct {
		pc, n int8
		w     relayWord
	}
	frame struct {
		pc, msg int8
		w       relayWord
	}

	posted, read  int8 // of what is not the task
	before        [4]int8
	ran, canceled [4]int8 // by life
	bad           string
}

type relayWord struct {
	life                        int8
	ready, run                  bool // state; neither is idle
	inbox, fresh, kill, relayed bool
}

const relayActs = "scpscps" // submit, cancel, post another item

const relayItem, relayOther, relayRelay = 1, 2, 10

func (s *relayState) push(msg int8) {
	for _, m := range s.inbox[:s.n] {
		if m == msg && m == relayItem {
			s.bad = "the item is pushed while it is in the inbox"
		}
	}
	s.inbox[s.n] = msg
	s.n++
}

func (s *relayState) enqueue(life int8) {
	if s.queued {
		s.bad = "an item is queued twice"
	}
	if s.read < s.before[life] {
		s.bad = "a submission has overtaken what its producer posted before"
	}
	s.queued = true
}

func (s *relayState) own(mutant string) bool {
	o := &s.owner
	if int(o.at) == len(relayActs) {
		return false
	}
	const load, swap, push = 0, 1, 2
	act, done := relayActs[o.at], false
	switch {
	case act == 'p':
		s.push(relayOther)
		s.posted++
		done = true
	case act == 's' && o.pc == load:
		if s.w.ready || s.w.run {
			return false // Submit would panic, or be of the run
		}
		o.w, o.pc = s.w, swap
	case act == 'c' && o.pc == load:
		o.w, o.pc = s.w, swap
		done = !s.w.ready
	case o.pc == swap && s.w != o.w:
		o.pc = load
	case act == 's' && o.pc == swap:
		life := s.w.life + 1
		s.w = relayWord{life: life, ready: true, fresh: true, inbox: true, relayed: s.w.inbox}
		s.before[life] = s.posted
		if mutant == "no relay" {
			s.w.relayed = false
			done = o.w.inbox
		}
		o.pc = push
	case act == 'c' && o.pc == swap:
		s.canceled[s.w.life]++
		s.w.ready, s.w.fresh, s.w.kill, s.w.inbox = false, false, true, true
		s.w.relayed = false
		o.pc = push
		done = o.w.inbox
	case act == 's' && o.w.inbox:
		s.push(relayRelay + o.w.life + 1)
		done = true
	default:
		s.push(relayItem)
		done = true
	}
	if done {
		o.pc, o.w = load, relayWord{}
		o.at++
	}
	return true
}

func (s *relayState) setPriority() bool {
	p := &s.prio
	switch {
	case p.pc == 0 && p.n == 2:
		return false
	case p.pc == 0:
		p.w, p.pc = s.w, 1
		if !s.w.ready && !s.w.run {
			if s.w.life == 0 {
				return false
			}
			p.pc, p.n, p.w = 0, p.n+1, relayWord{}
		}
	case p.pc == 1 && s.w != p.w:
		p.pc = 0
	case p.pc == 1:
		s.w.inbox = true
		p.pc = 2
	case p.pc == 2:
		if !p.w.inbox {
			s.push(relayItem)
		}
		p.pc, p.n, p.w = 0, p.n+1, relayWord{}
	}
	return true
}

// turn is what the frame goroutine does: it reads a message, or runs what is queued.
func (s *relayState) turn(mutant string) bool {
	const idle, load, swap, claim, end = 0, 1, 2, 3, 4
	f := &s.frame
	relay := f.msg >= relayRelay
	switch f.pc {
	case idle:
		switch {
		case s.n > 0:
			f.msg, f.pc = s.inbox[0], load
			copy(s.inbox[:], s.inbox[1:])
			s.n--
			s.inbox[s.n] = 0
			if f.msg == relayOther {
				s.read++
				f.msg, f.pc = 0, idle
			}
		case s.queued: // unlink
			s.queued, f.pc = false, claim
		default:
			return false
		}
	case load:
		f.w, f.pc = s.w, swap
		if relay && (s.w.life != f.msg-relayRelay && mutant != "a relay of any life" || !s.w.ready || !s.w.relayed) {
			f.pc, f.msg, f.w = idle, 0, relayWord{} // cancelled meanwhile
		}
	case swap:
		if s.w != f.w {
			f.pc = load
			break
		}
		f.pc = idle
		switch {
		case relay: // receiveRelay
			s.w.fresh, s.w.relayed = false, false
			if mutant != "a relay forgets nothing" {
				s.queued = false
			}
			s.enqueue(s.w.life)
		case !s.w.ready && !s.w.run:
			s.w.inbox, s.w.kill = false, false
			s.queued = false
		default:
			s.w.inbox = false
			if !s.w.relayed || mutant == "read with the old message" {
				s.w.fresh = false
			}
			if s.w.ready && f.w.fresh {
				s.queued = false
				if !s.w.relayed || mutant == "read with the old message" {
					s.enqueue(s.w.life)
				}
			}
		}
		f.msg, f.w = 0, relayWord{}
	case claim:
		f.pc = idle
		if s.w.ready && !s.w.fresh {
			s.w.ready, s.w.run, f.pc = false, true, end
			s.ran[s.w.life]++
		}
	case end:
		s.w = relayWord{life: s.w.life, inbox: s.w.inbox}
		f.pc = idle
	}
	return true
}

func relayModel(mutant string) explore.Model[relayState] {
	return explore.Model[relayState]{
		Threads: []explore.Thread[relayState]{
			{Name: "owner", Step: func(s *relayState) bool { return s.own(mutant) }},
			{Name: "priority", Step: (*relayState).setPriority},
			{Name: "frame", Step: func(s *relayState) bool { return s.turn(mutant) }},
		},
		Invariant: func(s relayState) error {
			if s.bad != "" {
				return errors.New(s.bad)
			}
			return nil
		},
		Final: func(s relayState) error {
			for life := 1; life <= 3; life++ {
				if s.ran[life]+s.canceled[life] != 1 {
					return errors.New("a life has not one end")
				}
			}
			if s.w.inbox || s.n > 0 {
				return errors.New("a message is left")
			}
			return nil
		},
	}
}

func TestS4S6_ARelayCarriesOneSubmission(t *testing.T) {
	try(t, relayModel, "no relay", "a relay of any life", "read with the old message", "a relay forgets nothing")
}
