package flow_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// latestState: a Latest for one key at a time, whose two keys share a bucket. Two goroutines post the first key and a
// third one the second; the frame goroutine runs what is asked for (S24, S42).
type latestState struct {
	bucket   [2]latestKey
	used     int8
	requests [2]int8 // on their way
	post     [3]latestPost
	frame    [2]int8 // steps of the run of each key
	found    [2][2]latestKey

	counts  [2]bool // the key has a slot
	fate    [3]int8 // of each value
	refused [3]bool // its Post returned ErrFull
	failure int8
}

// latestKey is a key in the bucket: its value, from 1, 0 if it is not there.
type latestKey struct {
	value int8
	first bool
}

type latestPost struct {
	pc   int8
	head [2]latestKey
	slot bool // mutant: taken before the key is put in
}

const (
	latestWaits = iota
	latestRan
	latestReplaced
	latestDropped
)

// The failures that are seen at once.
const (
	latestRefusedItself = 1 + iota
	latestTwice
)

func (s *latestState) admitted(key int) {
	if s.counts[key] {
		s.failure = latestTwice
	}
	s.counts[key] = true
}

// put is the compare-and-swap of the bucket, by which key becomes k.
func (s *latestState) put(head [2]latestKey, key int, k latestKey, fate int8) bool {
	if s.bucket != head {
		return false
	}
	if old := s.bucket[key]; old.value > 0 {
		s.fate[old.value-1] = fate
	}
	s.bucket[key] = k
	return true
}

func latestPoster(i int, mutant string) explore.Thread[latestState] {
	key, value := i/2, int8(i+1)
	return explore.Thread[latestState]{Name: fmt.Sprint("post ", i), Step: func(s *latestState) bool {
		p := &s.post[i]
		take := func() bool {
			if s.used > 0 {
				if s.counts[key] {
					s.failure = latestRefusedItself
				}
				return false
			}
			s.used++
			return true
		}
		const over = 9
		switch p.pc {
		case 0: // head
			p.head, p.pc = s.bucket, 1
			if mutant == "slot first" && s.bucket[key].value == 0 && !p.slot {
				p.pc = 2
			}
		case 1: // the value is put in
			switch there := p.head[key].value > 0; {
			case !s.put(p.head, key, latestKey{value: value, first: !there}, latestReplaced):
				p.pc = 0
			case there && p.slot:
				s.used--
				p.pc = over
			case there:
				p.pc = over
			case p.slot:
				s.admitted(key)
				p.pc = 6
			default:
				p.pc = 3
			}
		case 2: // mutant
			if p.pc = 0; take() {
				p.slot = true
			} else {
				p.pc, s.refused[i] = over, true
				for _, c := range s.counts {
					if !c {
						continue
					}
					return true
				}
				s.failure = latestRefusedItself // nothing waits
			}
		case 3: // take
			if p.pc = 4; take() {
				s.admitted(key)
				p.pc = 6
			}
		case 4: // head
			p.head, p.pc = s.bucket, 5
			if n := s.bucket[key]; !n.first && mutant != "newer values go too" {
				p.pc = 7
			}
		case 5: // it goes
			n := p.head[key]
			if p.pc = 3; s.put(p.head, key, latestKey{}, latestDropped) {
				p.pc, s.refused[i] = over, n.first
			}
		case 7: // one too many
			if mutant != "uncounted" {
				s.used++
			}
			s.admitted(key)
			p.pc = 6
		case 6: // submit
			s.requests[key]++
			p.pc = over
		default:
			return false
		}
		if p.pc == over {
			p.head, p.slot = [2]latestKey{}, false
		}
		return true
	}}
}

func latestModel(mutant string) explore.Model[latestState] {
	run := func(key int) explore.Thread[latestState] {
		return explore.Thread[latestState]{Name: fmt.Sprint("run ", key), Step: func(s *latestState) bool {
			give := func() {
				s.used--
				s.counts[key] = false
			}
			switch s.frame[key] {
			case 0:
				if s.requests[key] == 0 || s.frame[1-key] > 0 { // one at a time
					return false
				}
				if s.requests[key]--; mutant != "slot last" {
					give()
				}
				s.frame[key] = 1
			case 1:
				s.found[key], s.frame[key] = s.bucket, 2
			case 2:
				s.frame[key] = 1
				if s.put(s.found[key], key, latestKey{}, latestRan) {
					if s.frame[key] = 0; mutant == "slot last" {
						s.frame[key] = 3
					}
					s.found[key] = [2]latestKey{}
				}
			case 3:
				give()
				s.frame[key] = 0
			}
			return true
		}}
	}
	return explore.Model[latestState]{
		Threads: []explore.Thread[latestState]{
			latestPoster(0, mutant), latestPoster(1, mutant), latestPoster(2, mutant), run(0), run(1),
		},
		Invariant: func(s latestState) error {
			n := int8(0)
			for _, c := range s.counts {
				if c {
					n++
				}
			}
			switch {
			case s.failure == latestRefusedItself:
				return errors.New("ErrFull for a key because it waits, or is posted, itself")
			case s.failure == latestTwice || s.requests[0] > 1 || s.requests[1] > 1:
				return errors.New("two requests for a key")
			case mutant != "slot first" && s.used != n:
				return fmt.Errorf("%d keys count, and %d are there", s.used, n)
			}
			return nil
		},
		Final: func(s latestState) error {
			for i, f := range s.fate {
				if s.refused[i] != (f == latestDropped) || f == latestWaits {
					return fmt.Errorf("value %d: refused: %v, fate %d", i, s.refused[i], f)
				}
			}
			if s.used != 0 || s.bucket != [2]latestKey{} {
				return errors.New("a key is left")
			}
			return nil
		},
	}
}

func TestS42_NoKeyIsRefusedBecauseOfItself(t *testing.T) {
	try(t, latestModel, "slot first", "slot last", "newer values go too", "uncounted")
}
