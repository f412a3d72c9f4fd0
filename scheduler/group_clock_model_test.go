package scheduler_test

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// shownState: the frame goroutine changes a clock twice, and two goroutines read its copy (S47). Two of the three
// values are enough: both have the number of the change.
type shownState struct {
	version int8
	at, was int8
	frame   int8
	r       [2]shownReader
	torn    bool
	old     bool // a reader found a change that was over before its look began undone
}

type shownReader struct{ pc, version, at, was, since int8 }

func shownModel(mutant string) explore.Model[shownState] {
	put := func(s *shownState) bool { // shown.put, twice
		k := s.frame/4 + 1
		switch s.frame % 4 {
		case 0:
			if mutant != "only the last step counts" {
				s.version++
			}
		case 1:
			s.at = k
		case 2:
			s.was = k
		case 3:
			if s.version++; mutant == "only the first step counts" {
				s.version--
			}
		}
		s.frame++
		return true
	}
	reader := func(i int) explore.Thread[shownState] {
		return explore.Thread[shownState]{Name: "reader", Step: func(s *shownState) bool {
			r := &s.r[i]
			switch r.pc {
			case 0:
				r.version, r.since = s.version, s.frame/4
			case 1:
				r.at = s.at
			case 2:
				r.was = s.was
			case 3:
				again := s.version != r.version && mutant != "no second look"
				if r.version&1 != 0 && mutant != "an odd version" {
					again = true
				}
				if again {
					r.pc = 0
					return true
				}
				s.torn = s.torn || r.at != r.was
				s.old = s.old || r.at < r.since
			default:
				return false
			}
			r.pc++
			return true
		}}
	}
	return explore.Model[shownState]{
		Threads: []explore.Thread[shownState]{
			{Name: "frame", Step: func(s *shownState) bool { return s.frame < 8 && put(s) }}, reader(0), reader(1),
		},
		Invariant: func(s shownState) error {
			switch {
			case s.torn:
				return errors.New("values of two clocks")
			case s.old:
				return errors.New("a clock from before the look")
			}
			return nil
		},
	}
}

func TestS47_AReaderFindsOneClock(t *testing.T) {
	try(t, shownModel, "no second look", "an odd version", "only the last step counts", "only the first step counts")
}
