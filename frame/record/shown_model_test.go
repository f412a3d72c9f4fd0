package record

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// RC7 to RC9 as a model: the loop adds frames, two hosts tell each its frames' times, and a reader has copied a record
// and looks for the time. The time of a frame is its number, so a wrong one shows. A host may sleep between its look
// and its store, but not for as long as all frames are kept: RC9 has the time of such a host refused by its order.
type shownState struct {
	words  [4 * shownKept]int8
	latest int8
	writer int8 // pc
	hosts  [2]shownHost
	reader shownReader
}

type shownHost struct {
	pc, frame, saw int8
	told           int8
}

type shownReader struct{ pc, frame, word int8 }

const (
	shownKept  = 2
	shownMost  = 9
	shownEnded = 3 // the reader's pc
)

type shownMutant int

const (
	shownSound     shownMutant = iota
	shownUncleared             // Add clears nothing
	shownFuture                // Presented takes any later frame
	shownPast                  // and any earlier one
	shownUnasked               // a reader does not look at latest
	shownBefore                // nor after it has loaded the word
)

func (s *shownState) add(m shownMutant) bool {
	next := s.latest + 1
	word := &s.words[(next+2*shownKept)%(4*shownKept)]
	switch {
	case s.writer == 0 && next > shownMost:
		return false
	case s.writer == 1:
		s.latest = next
	case m != shownUncleared:
		*word = 0
	}
	s.writer ^= 1
	return true
}

// tell is Presented, of frames that are begun. For a mutant also of those that are not.
func (s *shownState) tell(m shownMutant, h *shownHost, wants int8) bool {
	switch h.pc {
	case 0:
		if h.told == wants || s.latest+1 < h.told+1 && m != shownFuture {
			return false
		}
		h.frame, h.saw, h.pc = h.told+1, s.latest, 1
		h.told++
		if m != shownFuture && h.frame > h.saw+1 || m != shownPast && h.frame+shownKept <= h.saw {
			h.pc = 0 // refused
		}
	case 1:
		if s.latest >= h.saw+shownKept && m != shownPast {
			h.pc = 0 // it slept for too long
			return true
		}
		s.words[h.frame%(4*shownKept)] = h.frame
		h.pc = 0
	}
	return true
}

func (s *shownState) read(m shownMutant) bool {
	r := &s.reader
	switch r.pc {
	case 0:
		if s.latest == 0 {
			return false
		}
		r.frame, r.pc = s.latest, 1 // the record
		if m == shownBefore && s.latest >= r.frame+2*shownKept {
			r.pc = shownEnded
		}
	case 1:
		r.word, r.pc = s.words[r.frame%(4*shownKept)], 2
	case 2:
		if s.latest >= r.frame+2*shownKept && m != shownUnasked && m != shownBefore {
			r.word = 0
		}
		r.pc = shownEnded
	case shownEnded:
		return false
	}
	return true
}

func shownModel(m shownMutant) explore.Model[shownState] {
	return explore.Model[shownState]{
		Threads: []explore.Thread[shownState]{
			{Name: "loop", Step: func(s *shownState) bool { return s.add(m) }},
			{Name: "host", Step: func(s *shownState) bool { return s.tell(m, &s.hosts[0], shownMost) }},
			{Name: "second host", Step: func(s *shownState) bool { return s.tell(m, &s.hosts[1], 1) }},
			{Name: "reader", Step: func(s *shownState) bool { return s.read(m) }},
		},
		Invariant: func(s shownState) error {
			if r := &s.reader; r.pc == shownEnded && r.word != 0 && r.word != r.frame {
				return fmt.Errorf("the time of frame %d for frame %d", r.word, r.frame)
			}
			// A time that was told in time is there for as long as the frame is kept.
			for _, h := range s.hosts {
				if n := h.told; h.pc == 0 && n > 0 && n == h.frame && n+shownKept > s.latest && h.saw < n+shownKept-1 &&
					s.latest < h.saw+shownKept && s.words[n%(4*shownKept)] != n {
					return fmt.Errorf("the time of frame %d is lost, after %d", n, s.latest)
				}
			}
			return nil
		},
	}
}

func TestModelAFrameHasItsOwnDisplayTime(t *testing.T) {
	if testing.Short() {
		t.Skip("a large model, and the same everywhere")
	}
	explore.Try(t, shownSound, explore.Span(shownUncleared, shownBefore), shownModel)
}
