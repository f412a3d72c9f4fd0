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
