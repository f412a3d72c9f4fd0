package scheduler_test

import (
	"errors"
	"fmt"
	"math/bits"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/scheduler"
)

// The table of memberships of posted functions grows with what waits, not one by one.
func TestMembershipsOfPostsGrowAtOnce(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	const n = 50_000
	for range n {
		s.Post(deadline.Normal, nop)
	}
	g.Post(deadline.Normal, nop) // the last place of all
	allocs := testing.AllocsPerRun(1, func() { s.RunUntil(deadline.Deadline{}) })
	if allocs > 50 {
		t.Errorf("%v allocations", allocs)
	}
}

// The arena of posted items as a model (S7), and what was rejected for it.

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
