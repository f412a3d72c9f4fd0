package flow_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// ringState: producers put functions into two places; the frame goroutine takes (S23, S40). A function is its ticket
// plus 1.
type ringState struct {
	places   [2]int8
	tail     int8
	requests int8
	p        [2]struct{ pc, sent, ticket, old int8 }

	pc, head, i, f int8 // of take
	last           int8 // that was taken
	taken, dropped int8
	bad            string
}

// take is what the frame goroutine does for a request. ordered says that one producer puts, whose order is kept.
func (s *ringState) take(mutant string, ordered bool) bool {
	const idle, load, swap = 0, 1, 2
	n := s.head + s.i
	at := &s.places[n%2]
	switch s.pc {
	case idle:
		if s.requests == 0 {
			return false
		}
		s.requests--
		s.pc = load
		if mutant == "from the last ticket" {
			s.head = max(s.head, s.tail-2)
		}
	case load:
		switch s.f = *at; {
		case s.f == 0 && s.i == 1:
			s.bad = "a whole round, and nothing found"
		case s.f == 0:
			s.i++
		case s.f-1 > n && mutant != "no look at the ticket":
			s.head, s.i, s.f = s.f-2, 0, 0
			if mutant == "behind what is found" {
				s.head++
			}
		default:
			s.pc = swap
		}
	case swap: // CompareAndSwap(f, nil)
		if *at != s.f && mutant != "whoever came between" {
			s.i, s.f, s.pc = 0, 0, load
			break
		}
		if *at <= s.last && ordered {
			s.bad = "a function runs behind one that its producer put in later"
		}
		s.head = max(s.head, *at)
		s.last, *at, s.i, s.f, s.pc = *at, 0, 0, 0, idle
		s.taken++
	}
	return true
}

func (s *ringState) put(i int, puts int8, mutant string) bool {
	p := &s.p[i]
	switch p.pc {
	case 0: // tail.Add(1)
		if p.sent == puts {
			return false
		}
		p.sent++
		p.ticket, p.pc = s.tail, 1
		s.tail++
	case 1: // Swap(&f)
		at := &s.places[p.ticket%2]
		p.old = *at
		if mutant == "load, then store" {
			p.pc = 3
			break
		}
		*at, p.pc = p.ticket+1, 2
	case 3:
		s.places[p.ticket%2], p.pc = p.ticket+1, 2
	case 2: // submit, if the place was empty
		if p.old == 0 || mutant == "always a request" {
			s.requests++
		}
		if p.old != 0 {
			s.dropped++
		}
		p.pc = 0
	}
	return true
}

// ringModel is of one producer that puts five functions in, or of two with two each.
func ringModel(producers int) func(mutant string) explore.Model[ringState] {
	return func(mutant string) explore.Model[ringState] {
		puts := int8(5)
		if producers > 1 {
			puts = 2
		}
		threads := []explore.Thread[ringState]{
			{Name: "frame", Step: func(s *ringState) bool { return s.take(mutant, producers == 1) }},
		}
		for i := range producers {
			threads = append(threads, explore.Thread[ringState]{
				Name: fmt.Sprint("producer", i),
				Step: func(s *ringState) bool { return s.put(i, puts, mutant) },
			})
		}
		return explore.Model[ringState]{
			Threads: threads,
			Invariant: func(s ringState) error {
				if s.bad != "" {
					return errors.New(s.bad)
				}
				if s.requests > 2 {
					return errors.New("more requests than places")
				}
				return nil
			},
			Final: func(s ringState) error {
				if s.places != [2]int8{} || s.taken+s.dropped != puts*int8(producers) {
					return errors.New("something is left, or lost")
				}
				return nil
			},
		}
	}
}

func TestS23S40_ARequestFindsTheOldest(t *testing.T) {
	try(t, ringModel(2), "load, then store", "always a request")
	try(t, ringModel(1), "load, then store", "always a request", "from the last ticket", "no look at the ticket",
		"behind what is found", "whoever came between")
}

func TestStressDropOldestKeepsTheOrder(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	posts := 300_000
	if testing.Short() {
		posts = 30_000
	}
	b := flow.NewBound(s, flow.BoundOptions{Limit: 3, Full: flow.DropOldest})
	var ran []int
	var over atomic.Bool
	go func() {
		for i := range posts {
			b.Post(deadline.Normal, func() { ran = append(ran, i) })
		}
		over.Store(true)
	}()
	for !over.Load() {
		s.RunUntil(deadline.In(ms))
		runtime.Gosched()
	}
	s.RunUntil(deadline.Deadline{})
	if !slices.IsSorted(ran) || ran[len(ran)-1] != posts-1 || uint64(len(ran))+b.Stats().Dropped != uint64(posts) {
		t.Errorf("of %d functions of one goroutine %d ran, and %d were dropped; in order: %v, the last one: %d", posts,
			len(ran), b.Stats().Dropped, slices.IsSorted(ran), ran[len(ran)-1])
	}
}
