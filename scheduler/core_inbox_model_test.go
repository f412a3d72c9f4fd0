package scheduler_test

import (
	"errors"
	"fmt"
	"math/bits"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The inbox of the scheduler as a model (S1, S2, S4).

// inboxState: two producers push two messages each, and move the list behind the bundles after their second one; the
// host drains, and sleeps when there is nothing (S1, S2, S4).
type inboxState struct {
	list  pushed // 1 and 2 are the first producer's, 3 and 4 the second's
	first int8   // pushes that found the list empty
	p     [2]struct{ pc, sent, old int8 }

	locked  bool
	counted int8 // bundles
	bundles [2]pushed
	nb      int8

	token bool // a Wake that the host has not consumed
	wakes int8
	host  int8
	local pushed
	got   [4]bool
	bad   bool
}

// pushed is a list, the newest last.
type pushed struct {
	all [4]int8
	n   int8
}

func (l pushed) top() int8 {
	if l.n == 0 {
		return 0
	}
	return l.all[l.n-1]
}

func inboxModel(mutant string) explore.Model[inboxState] {
	wake := func(s *inboxState) { s.token = true; s.wakes++ }
	producer := func(i int) explore.Thread[inboxState] {
		return explore.Thread[inboxState]{Name: fmt.Sprint("producer", i), Step: func(s *inboxState) bool {
			p := &s.p[i]
			switch p.pc {
			case 0: // old := newest.Load()
				if p.sent == 2 {
					return false
				}
				p.old = s.list.top()
				p.pc = 1
				if mutant == "wake before push" && p.old == 0 {
					p.pc = 3
				}
			case 3:
				wake(s)
				p.pc = 1
			case 1: // CompareAndSwap(old, it)
				if s.list.top() != p.old {
					p.pc = 0
					break
				}
				if s.list.n == 0 {
					s.first++
				}
				s.list.all[s.list.n] = int8(2*i) + p.sent + 1
				s.list.n++
				p.sent++
				p.pc = 4
				if p.old == 0 && mutant != "wake before push" && mutant != "no wake" {
					p.pc = 2
				}
			case 2: // wake()
				wake(s)
				p.pc = 4
			case 4: // bundle
				if p.pc = 0; p.sent < 2 {
					break
				}
				if s.locked && mutant != "no lock" {
					break // TryLock has failed
				}
				s.locked = true
				p.pc = 5
			case 5:
				if mutant != "counted too late" {
					s.counted++
				}
				p.pc = 6
			case 6: // Swap(nil)
				if s.list.n > 0 {
					s.bundles[s.nb] = s.list
					s.nb++
					s.list = pushed{}
				} else {
					s.counted--
				}
				p.pc = 7
			case 7:
				if mutant == "counted too late" {
					s.counted++
				}
				s.locked = false
				p.pc = 0
			}
			return true
		}}
	}
	host := explore.Thread[inboxState]{Name: "host", Step: func(s *inboxState) bool {
		switch s.host {
		case 0: // isEmpty, by pick and by Next: newest.Load() == nil
			s.host = 1
			if s.list.n == 0 {
				s.host = 5
			}
			if mutant == "bundles first" {
				s.host = 5
				if s.counted > 0 {
					s.host = 1
				}
			}
		case 5: // bundled.Load() == 0
			s.host = 1
			if s.counted == 0 {
				s.host = 3
			}
			if mutant == "bundles first" {
				s.host = 1
				if s.list.n == 0 {
					s.host = 3
				}
			}
		case 1: // take
			if s.locked && mutant != "no lock" {
				return false
			}
			s.locked = true
			s.host = 4
			if s.nb > 0 && mutant != "list first" {
				s.local = s.bundles[0]
				s.bundles[0], s.bundles[1] = s.bundles[1], pushed{}
				s.nb--
				s.counted--
				s.locked = false
				s.host = 2
			}
		case 4: // Swap(nil)
			if s.local = s.list; mutant != "load, then store nil" {
				s.list = pushed{}
			}
			if mutant == "list first" && s.local.n == 0 && s.nb > 0 {
				s.local = s.bundles[0]
				s.bundles[0], s.bundles[1] = s.bundles[1], pushed{}
				s.nb--
				s.counted--
			}
			s.locked = false
			s.host = 2
		case 2: // the list, the oldest first
			if mutant == "load, then store nil" {
				s.list = pushed{}
			}
			for i := range s.local.n {
				m := s.local.all[i]
				if mutant == "newest first" {
					m = s.local.all[s.local.n-1-i]
				}
				if s.got[m-1] || m%2 == 0 && !s.got[m-2] {
					s.bad = true
				}
				s.got[m-1] = true
			}
			s.local, s.host = pushed{}, 0
		case 3: // sleeps until Wake
			if !s.token {
				return false
			}
			s.token = false
			s.host = 0
		}
		return true
	}}
	return explore.Model[inboxState]{
		Threads: []explore.Thread[inboxState]{producer(0), producer(1), host},
		Invariant: func(s inboxState) error {
			if s.bad {
				return errors.New("a message was read twice or out of its producer's order")
			}
			return nil
		},
		Final: func(s inboxState) error {
			if s.got != [4]bool{true, true, true, true} {
				return errors.New("the host sleeps on a message, or lost one")
			}
			if s.wakes != s.first {
				return fmt.Errorf("%d calls of Wake for %d first messages", s.wakes, s.first)
			}
			return nil
		},
	}
}

func TestS1S2S4_InboxLosesNoMessageAndNoWake(t *testing.T) {
	try(t, inboxModel, "wake before push", "no wake", "load, then store nil", "newest first", "list first",
		"counted too late", "bundles first", "no lock")
}

// The arena of posted items as a model (S7).

// arenaState: three goroutines take items and give them back (S7). One word of the bitmap, with two items.
type arenaState struct {
	free  uint8
	owner [2]int8
	th    [3]struct {
		pc, op int8
		v      uint8
		have   int8 // 0 is none
	}
	bad bool
}

func arenaModel(mutant string) explore.Model[arenaState] {
	script := "gpgp" // get, put, get, put
	thread := func(i int) explore.Thread[arenaState] {
		return explore.Thread[arenaState]{Name: fmt.Sprint("goroutine", i), Step: func(s *arenaState) bool {
			th := &s.th[i]
			switch {
			case int(th.op) == len(script):
				return false
			case script[th.op] == 'p': // put and flush: Or, in one step, of what it owns
				if th.have != 0 {
					s.owner[th.have-1] = 0
					s.free |= 1 << (th.have - 1)
					th.have = 0
				}
				th.op++
			case th.pc == 0: // free[i].Load()
				th.v = s.free
				th.pc = 1
				if th.v == 0 { // grow: not modelled, this one goes without
					th.pc = 0
					th.op++
				}
			default: // CompareAndSwap(v, v&(v-1))
				th.pc = 0
				if s.free != th.v && mutant != "store" {
					break
				}
				got := bits.TrailingZeros8(th.v)
				s.bad = s.bad || s.owner[got] != 0
				s.free = th.v & (th.v - 1)
				s.owner[got] = int8(i) + 1
				th.have = int8(got) + 1
				th.op++
			}
			return true
		}}
	}
	return explore.Model[arenaState]{
		Init:    arenaState{free: 3},
		Threads: []explore.Thread[arenaState]{thread(0), thread(1), thread(2)},
		Invariant: func(s arenaState) error {
			if s.bad {
				return errors.New("an item was handed out twice")
			}
			return nil
		},
		Final: func(s arenaState) error {
			if s.free != 3 {
				return fmt.Errorf("free: %b in the end, want all", s.free)
			}
			return nil
		},
	}
}

func TestS7_ArenaHandsOutEachItemOnce(t *testing.T) { try(t, arenaModel, "store") }
