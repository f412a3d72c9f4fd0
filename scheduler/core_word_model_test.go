package scheduler_test

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The protocols of the package comment, written a second time as step machines: every interleaving is
// tried, and for each protocol mutants that must fail. A step is one atomic operation of the code, which
// the comments name.

// try explores the model as it is in the code, and each mutant, which must fail.
func try[S comparable](t *testing.T, model func(mutant string) explore.Model[S], mutants ...string) {
	t.Helper()
	explore.Try(t, "", mutants, model)
}

// The lives of one item of the arena as a model (S3, S5, S6).

// lifeState: one item of the arena is posted twice; somebody cancels the first life, another changes its
// priority, the frame goroutine drains, claims, runs and recycles (S3, S5, S6).
type lifeState struct {
	life               int8
	ready, run         bool // state; neither is idle
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
	return lifeModelOf(mutant, func(s *lifeState) { s.fn, s.free = 0, true })
}

// lifeModelOf is lifeModel with what recycles an item.
func lifeModelOf(mutant string, recycle func(s *lifeState)) explore.Model[lifeState] {
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
						recycle(s)
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
						recycle(s)
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
