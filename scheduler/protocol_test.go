package scheduler_test

import (
	"errors"
	"fmt"
	"math/bits"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The protocols of the package comment, written a second time as step machines: every interleaving is
// tried, and for each protocol mutants that must fail. A step is one atomic operation of the code, which
// the comments name.

// try explores the model as it is in the code, and each mutant, which must fail.
func try[S comparable](t *testing.T, model func(mutant string) explore.Model[S], mutants ...string) {
	t.Helper()
	stats, err := explore.Run(model(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d states, %d ends", stats.States, stats.Terminals)
	for _, m := range mutants {
		if _, err := explore.Run(model(m)); err == nil {
			t.Errorf("the mutant %q was not found out", m)
		} else if errors.Is(err, explore.ErrTooLarge) {
			t.Errorf("the mutant %q: %v", m, err)
		}
	}
}

// inboxState: two producers push two messages each; the host drains, and sleeps when there is nothing (S1,
// S2, S4).
type inboxState struct {
	list  [4]int8 // the newest last; 1 and 2 are the first producer's, 3 and 4 the second's
	n     int8
	first int8 // pushes that found the list empty
	p     [2]struct{ pc, sent, old int8 }

	token bool // a Wake that the host has not consumed
	wakes int8
	host  int8
	local [4]int8
	nl    int8
	got   [4]bool
	bad   bool
}

func inboxModel(mutant string) explore.Model[inboxState] {
	top := func(s *inboxState) int8 {
		if s.n == 0 {
			return 0
		}
		return s.list[s.n-1]
	}
	wake := func(s *inboxState) { s.token = true; s.wakes++ }
	producer := func(i int) explore.Thread[inboxState] {
		return explore.Thread[inboxState]{Name: fmt.Sprint("producer", i), Step: func(s *inboxState) bool {
			p := &s.p[i]
			switch p.pc {
			case 0: // old := inbox.Load()
				if p.sent == 2 {
					return false
				}
				p.old = top(s)
				p.pc = 1
				if mutant == "wake before push" && p.old == 0 {
					p.pc = 3
				}
			case 3:
				wake(s)
				p.pc = 1
			case 1: // CompareAndSwap(old, it)
				if top(s) != p.old {
					p.pc = 0
					break
				}
				if s.n == 0 {
					s.first++
				}
				s.list[s.n] = int8(2*i) + p.sent + 1
				s.n++
				p.sent++
				p.pc = 0
				if p.old == 0 && mutant != "wake before push" && mutant != "no wake" {
					p.pc = 2
				}
			case 2: // wake()
				wake(s)
				p.pc = 0
			}
			return true
		}}
	}
	host := explore.Thread[inboxState]{Name: "host", Step: func(s *inboxState) bool {
		switch s.host {
		case 0: // inbox.Load() != nil, by pick and by Next
			s.host = 1
			if s.n == 0 {
				s.host = 3
			}
		case 1: // Swap(nil)
			s.local, s.nl = s.list, s.n
			s.host = 2
			if mutant != "load, then store nil" {
				s.list, s.n = [4]int8{}, 0
			}
		case 2: // the list, the oldest first
			if mutant == "load, then store nil" {
				s.list, s.n = [4]int8{}, 0
			}
			for i := range s.nl {
				m := s.local[i]
				if mutant == "newest first" {
					m = s.local[s.nl-1-i]
				}
				if s.got[m-1] || m%2 == 0 && !s.got[m-2] {
					s.bad = true
				}
				s.got[m-1] = true
			}
			s.local, s.nl, s.host = [4]int8{}, 0, 0
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
	try(t, inboxModel, "wake before push", "no wake", "load, then store nil", "newest first")
}

// flagState: the classical way to the same end, a flag beside the list; the mutant is why the list itself
// is better.
type flagState struct {
	n, got, pc, sent, host int8
	pending, token         bool
}

func flagModel(mutant string) explore.Model[flagState] {
	return explore.Model[flagState]{
		Threads: []explore.Thread[flagState]{
			{Name: "producer", Step: func(s *flagState) bool {
				switch s.pc {
				case 0:
					if s.sent == 3 {
						return false
					}
					s.n++
					s.sent++
					s.pc = 1
				case 1: // if !pending.Swap(true) { Wake() }
					s.token = s.token || !s.pending
					s.pending = true
					s.pc = 0
				}
				return true
			}},
			{Name: "host", Step: func(s *flagState) bool {
				switch s.host {
				case 0:
					if !s.token {
						return false
					}
					s.token = false
					s.host = 1
				case 1:
					if mutant == "clear after drain" {
						s.got, s.n = s.got+s.n, 0
					} else {
						s.pending = false
					}
					s.host = 2
				case 2:
					if mutant == "clear after drain" {
						s.pending = false
					} else {
						s.got, s.n = s.got+s.n, 0
					}
					s.host = 0
				}
				return true
			}},
		},
		Final: func(s flagState) error {
			if s.got != 3 {
				return errors.New("the host sleeps on a message")
			}
			return nil
		},
	}
}

func TestRejected_FlagBesideTheInbox(t *testing.T) { try(t, flagModel, "clear after drain") }

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

// stackState: what the arena could be instead, a stack of free items. It shows why that would need the tag.
type stackState struct {
	top, tag int8
	next     [4]int8 // of items 1 to 3
	owner    [4]int8 // 0 is free
	th       [2]struct {
		pc, op       int8
		top, tag, nx int8
		have         [2]int8
	}
	bad bool
}

func stackModel(mutant string) explore.Model[stackState] {
	// g takes an item, the digits give the first or the second back.
	scripts := [2]string{"g0g0", "gg01g0"}
	thread := func(i int) explore.Thread[stackState] {
		return explore.Thread[stackState]{Name: fmt.Sprint("goroutine", i), Step: func(s *stackState) bool {
			th := &s.th[i]
			if int(th.op) == len(scripts[i]) {
				return false
			}
			op := scripts[i][th.op]
			same := s.top == th.top && (s.tag == th.tag || mutant == "no tag")
			switch {
			case th.pc == 0:
				th.top, th.tag = s.top, s.tag
				th.pc = 1
				if op == 'g' && s.top == 0 {
					th.pc = 0
					th.op++
				}
			case op == 'g' && th.pc == 1:
				th.nx = s.next[th.top]
				th.pc = 2
			case op == 'g':
				th.pc = 0
				if !same {
					break
				}
				s.top, s.tag = th.nx, s.tag+1
				s.bad = s.bad || s.owner[th.top] != 0
				s.owner[th.top] = int8(i) + 1
				if th.have[0] == 0 {
					th.have[0] = th.top
				} else {
					th.have[1] = th.top
				}
				th.op++
			default:
				it := th.have[op-'0']
				switch {
				case it == 0:
					th.pc = 0
					th.op++
				case th.pc == 1:
					s.next[it] = th.top
					th.pc = 2
				case th.pc == 2:
					th.pc = 0
					if !same {
						break
					}
					s.owner[it] = 0
					s.top = it
					th.have[op-'0'] = 0
					th.op++
				}
			}
			return true
		}}
	}
	return explore.Model[stackState]{
		Init:    stackState{top: 1, next: [4]int8{0, 2, 3, 0}},
		Threads: []explore.Thread[stackState]{thread(0), thread(1)},
		Invariant: func(s stackState) error {
			if s.bad {
				return errors.New("an item was handed out twice")
			}
			return nil
		},
		Final: func(s stackState) error {
			free, seen := 0, [4]bool{}
			for it := s.top; it != 0; it = s.next[it] {
				if seen[it] || s.owner[it] != 0 {
					return errors.New("the stack has a circle, or an item that is in use")
				}
				seen[it] = true
				free++
			}
			if free != 3 {
				return fmt.Errorf("%d items are free in the end, want 3", free)
			}
			return nil
		},
	}
}

func TestRejected_StackOfFreeItems(t *testing.T) { try(t, stackModel, "no tag") }

// lifeState: one item of the arena is posted twice; somebody cancels the first life, another changes its
// priority, the frame goroutine drains, claims, runs and recycles (S3, S5, S6).
type lifeState struct {
	life               int8
	ready, run         bool // phase; neither is idle
	inbox, fresh, kill bool // flagInbox, flagNew, flagCancel
	fn                 int8 // whose function is in the item
	free, queued       bool
	linked             int8 // times in the inbox's list
	ran                [3]int8
	canceled           bool // what Cancel returned

	post struct{ pc, n int8 }
	can  requester
	prio requester
	f    struct {
		pc, life           int8
		ready, run         bool
		inbox, fresh, kill bool
	}
}

type requester struct {
	pc                 int8
	life               int8
	ready, run         bool
	inbox, fresh, kill bool
}

func lifeModel(mutant string) explore.Model[lifeState] {
	load := func(s *lifeState, r *requester) {
		*r = requester{r.pc, s.life, s.ready, s.run, s.inbox, s.fresh, s.kill}
	}
	same := func(s *lifeState, r *requester) bool {
		return *r == requester{r.pc, s.life, s.ready, s.run, s.inbox, s.fresh, s.kill}
	}
	return explore.Model[lifeState]{
		Init: lifeState{free: true},
		Threads: []explore.Thread[lifeState]{
			{Name: "post", Step: func(s *lifeState) bool {
				switch s.post.pc {
				case 0: // arena.get
					if s.post.n == 2 || !s.free {
						return false
					}
					s.free = false
					s.post.pc = 1
				case 1: // it.fn = f
					s.post.n++
					s.fn = s.post.n
					s.post.pc = 2
				case 2: // word.Store
					if s.life == 0 || mutant != "life is not counted" {
						s.life++
					}
					s.ready, s.run, s.inbox, s.fresh, s.kill = true, false, true, true, false
					s.post.pc = 3
				case 3: // push
					s.linked++
					s.post.pc = 0
				}
				return true
			}},
			{Name: "cancel", Step: func(s *lifeState) bool { // of life 1
				c := &s.can
				switch c.pc {
				case 0:
					if s.life == 0 {
						return false // nobody has a Handle yet
					}
					load(s, c)
					c.pc = 1
					if c.life != 1 || !c.ready {
						c.pc = 9
					}
				case 1:
					if !same(s, c) {
						c.pc = 0
						break
					}
					s.ready, s.fresh, s.kill, s.inbox = false, false, true, true
					s.canceled = true
					c.pc = 2
				case 2:
					if mutant == "drop the function here" {
						s.fn = 0
					}
					c.pc = 3
				case 3:
					if !c.inbox {
						s.linked++
					}
					c.pc = 9
				default:
					return false
				}
				return true
			}},
			{Name: "priority", Step: func(s *lifeState) bool { // of life 1
				c := &s.prio
				switch c.pc {
				case 0:
					if s.life == 0 {
						return false
					}
					load(s, c)
					c.pc = 1
					if c.life != 1 || !c.ready && !c.run {
						c.pc = 9
					}
				case 1:
					if !same(s, c) {
						c.pc = 0
						break
					}
					s.inbox = true
					c.pc = 2
				case 2:
					if !c.inbox || mutant == "push what is linked" {
						s.linked++
					}
					c.pc = 9
				default:
					return false
				}
				return true
			}},
			{Name: "frame", Step: func(s *lifeState) bool {
				f := &s.f
				recycle := func() { s.fn, s.free = 0, true }
				switch f.pc {
				case 0:
					switch {
					case s.linked > 0: // Swap, for the one message that it can hold
						s.linked--
						f.pc = 1
					case s.queued:
						s.queued = false
						f.pc = 3
					default:
						return false
					}
				case 1: // receive: word.Load
					f.life, f.ready, f.run = s.life, s.ready, s.run
					f.inbox, f.fresh, f.kill = s.inbox, s.fresh, s.kill
					f.pc = 2
				case 2: // receive: CompareAndSwap, and what follows from it
					if f.ready != s.ready || f.run != s.run || f.inbox != s.inbox || f.fresh != s.fresh ||
						f.kill != s.kill {
						f.pc = 1
						break
					}
					s.inbox, s.fresh = false, false
					f.pc = 0
					switch {
					case !s.ready && !s.run:
						s.kill = false
						s.queued = false
						recycle()
					case f.fresh:
						s.queued = true
					}
				case 3: // claim
					f.pc = 0
					if s.ready && !s.fresh {
						s.ready, s.run = false, true
						f.pc = 4
					}
				case 4: // run
					s.ran[s.fn]++
					f.pc = 5
				case 5: // end
					s.run = false
					if !s.inbox || mutant == "recycle what is linked" {
						recycle()
					}
					f.pc = 0
				}
				return true
			}},
		},
		Invariant: func(s lifeState) error {
			switch {
			case s.linked > 1:
				return errors.New("an item was pushed while it was in the inbox")
			case s.ran[0] > 0:
				return errors.New("a run without its function")
			case s.ran[1] > 1 || s.ran[2] > 1:
				return errors.New("a function ran twice")
			case s.canceled && s.ran[1] > 0:
				return errors.New("a cancelled function ran")
			case s.free && s.linked > 0:
				return errors.New("an item is free and in the inbox")
			}
			return nil
		},
		Final: func(s lifeState) error {
			switch {
			case s.post.n != 2 || !s.free:
				return errors.New("the item was not recycled")
			case s.ran[2] != 1:
				return errors.New("the second function did not run: a Handle of the first cancelled it")
			case s.ran[1] == 0 && !s.canceled:
				return errors.New("the first function neither ran nor was cancelled")
			}
			return nil
		},
	}
}

func TestS3S5S6_EachLifeEndsOnce(t *testing.T) {
	try(t, lifeModel, "life is not counted", "drop the function here", "push what is linked",
		"recycle what is linked")
}

// closeState: somebody pushes while the frame goroutine closes (S8).
type closeState struct {
	closed             bool
	inbox, got, wasted int8
	p                  [2]int8
	closer             int8
}

func closeModel(mutant string) explore.Model[closeState] {
	producer := func(i int) explore.Thread[closeState] {
		return explore.Thread[closeState]{Name: fmt.Sprint("producer", i), Step: func(s *closeState) bool {
			switch s.p[i] {
			case 0: // Post: closed.Load()
				s.p[i] = 1
				if s.closed {
					s.wasted++
					s.p[i] = 9
				}
			case 1:
				s.inbox++
				s.p[i] = 2
			case 2: // push: closed.Load()
				s.p[i] = 9
				if s.closed && mutant != "no second look" {
					s.p[i] = 3
				}
			case 3: // sweep
				s.got, s.inbox = s.got+s.inbox, 0
				s.p[i] = 9
			default:
				return false
			}
			return true
		}}
	}
	closer := explore.Thread[closeState]{Name: "close", Step: func(s *closeState) bool {
		step := s.closer
		if mutant == "sweep, then close" && step < 2 {
			step = 1 - step
		}
		switch step {
		case 0:
			s.closed = true
		case 1:
			s.got, s.inbox = s.got+s.inbox, 0
		default:
			return false
		}
		s.closer++
		return true
	}}
	return explore.Model[closeState]{
		Threads: []explore.Thread[closeState]{producer(0), producer(1), closer},
		Final: func(s closeState) error {
			if s.got+s.wasted != 2 {
				return errors.New("a submission is in the inbox for ever")
			}
			return nil
		},
	}
}

func TestS8_NothingIsLeftInAClosedInbox(t *testing.T) {
	try(t, closeModel, "no second look", "sweep, then close")
}

// awaitState: a coroutine parks while what it awaits finishes (S9).
type awaitState struct {
	waker   int8 // as in the code
	held    bool
	message bool
	co      int8
	fire    int8
	old     int8
	resumed int8
}

func awaitModel(mutant string) explore.Model[awaitState] {
	const idle, armed, parked, fired = 0, 1, 2, 3
	return explore.Model[awaitState]{
		Threads: []explore.Thread[awaitState]{
			{Name: "coroutine", Step: func(s *awaitState) bool {
				order := []string{"arm", "look", "hold", "park", "suspend"}
				if mutant == "park, then hold" {
					order = []string{"arm", "look", "park", "hold", "suspend"}
				}
				if int(s.co) >= len(order) {
					return false
				}
				switch order[s.co] {
				case "arm":
					s.waker = armed
				case "look":
					if s.waker == fired {
						s.resumed++
						s.co = 9
						return true
					}
				case "hold": // release(phaseHeld)
					s.held = true
				case "park": // CompareAndSwap(wakerArmed, wakerParked)
					if s.waker != armed && mutant != "store" {
						s.held = false
						s.resumed++
						s.co = 9
						return true
					}
					s.waker = parked
				case "suspend": // until the frame goroutine reads the message
					if !s.message || !s.held {
						return false
					}
					s.held, s.message = false, false
					s.resumed++
				}
				s.co++
				return true
			}},
			{Name: "finisher", Step: func(s *awaitState) bool {
				switch {
				case s.fire == 0 && s.waker != idle: // Swap(wakerFired)
					s.old = s.waker
					s.waker = fired
				case s.fire == 1 && s.old == parked && s.held: // resume
					s.message = true
				case s.fire != 1:
					return false
				}
				s.fire++
				return true
			}},
		},
		Final: func(s awaitState) error {
			if s.resumed != 1 {
				return fmt.Errorf("the coroutine was resumed %d times", s.resumed)
			}
			return nil
		},
	}
}

func TestS9_AwaitIsResumedOnce(t *testing.T) { try(t, awaitModel, "park, then hold", "store") }
