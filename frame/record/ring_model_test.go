package record

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// RC1 to RC3 as a model: one writer, who laps the ring, a reader, which may stay anywhere for as long as it likes, and
// another one, of which is seen that it holds some chunk for some time. A record is its order number, and is being
// written for one step, in which nobody may copy it.
type ringState struct {
	chunks  [modelChunks]modelChunk
	current int8

	// The writer's.
	pc, n, k int8
	order    int8
	adds     int8

	reader  ringReader
	another int8 // 1 + the chunk that it holds
	has     bool
}

type modelChunk struct {
	holders, n, first int8
	records           [2]int8
}

type ringReader struct {
	pc, at, k, n int8
	first, want  int8
	newest       bool
	lo, hi       int8 // what it has copied
	begun        bool
	began        int8 // the records that there were
	lapped       bool // a chunk was taken over since
	torn         bool
}

const (
	modelChunks = 3
	ringEnded   = 6 // the reader's pc
)

type ringMutant int

const (
	ringSound      ringMutant = iota
	ringUnheld                // a reader does not hold the chunk
	ringLetGo                 // it lets go before it has copied
	ringUntaken               // the writer looks at holders, and then stores
	ringEarly                 // it counts a record before it is written
	ringFree                  // it lets go of a chunk before first is written
	ringStale                 // it does not empty the chunk
	ringUnordered             // a reader does not look at the order numbers
	ringPassesBack            // nor at current again when it cannot hold what was current
)

// add is add and take, with chunks of so many records.
func (s *ringState) add(m ringMutant, size, most int8) bool {
	const idle, try, claim, first, empty, free, name, write, count = 0, 1, 2, 3, 4, 5, 6, 7, 8
	c := &s.chunks[s.current]
	other := &s.chunks[(s.current+s.k)%modelChunks]
	switch s.pc {
	case idle:
		if s.adds == most {
			return false
		}
		s.adds++
		s.n, s.pc = c.n, write
		if m == ringEarly {
			s.pc = count
		}
		if s.n == size {
			s.k, s.pc = 1, try
		}
	case try:
		switch {
		case other.holders == 0 && m == ringUntaken:
			s.pc = claim
		case other.holders == 0:
			other.holders = -1
			s.lap()
			s.pc = first
		default:
			if s.k++; s.k == modelChunks {
				s.pc = idle // lost
			}
		}
	case claim:
		other.holders = -1
		s.lap()
		s.pc = first
	case first:
		if m == ringFree {
			other.holders = 0
			s.pc = free
			break
		}
		other.first = s.order
		s.pc = empty
		if m == ringStale {
			s.pc = free
		}
	case empty:
		other.n = 0
		s.pc = free
		if m == ringFree {
			s.pc = name
		}
	case free:
		if m == ringFree {
			other.first = s.order
			s.pc = empty
			break
		}
		other.holders = 0
		s.pc = name
	case name:
		s.current = (s.current + s.k) % modelChunks
		s.n, s.pc = 0, write
		if m == ringEarly {
			s.pc = count
		}
	case write:
		c.records[s.n] = s.order
		s.pc = count
		if m == ringEarly {
			s.order++
			s.pc = idle
		}
	case count:
		c.n = s.n + 1
		if m == ringEarly {
			s.pc = write
			break
		}
		s.order++
		s.pc = idle
	}
	return true
}

func (s *ringState) lap() { s.reader.lapped = s.reader.begun }

// holds has the other reader hold the chunk i, once.
func (s *ringState) holds(i int8) bool {
	switch c := &s.chunks[i]; {
	case s.another == 0 && c.holders >= 0:
		c.holders++
		s.another, s.has = i+1, true
	case s.another == i+1 && s.has:
		c.holders--
		s.has = false
	default:
		return false
	}
	return true
}

// tail is tail, with room for all records.
func (s *ringState) tail(m ringMutant) bool {
	const start, hold, look, copies, release, next = 0, 1, 2, 3, 4, 5
	r := &s.reader
	i := (r.at - r.k + modelChunks) % modelChunks
	c := &s.chunks[i]
	switch r.pc {
	case start:
		if !r.begun {
			r.begun, r.newest, r.began, r.lapped = true, true, s.order, false
		}
		r.at, r.k, r.pc = s.current, 0, hold
	case hold, next:
		switch {
		case c.holders >= 0 || m == ringUnheld:
			if m != ringUnheld {
				c.holders++
			}
			r.pc = look
		case r.newest && m != ringPassesBack:
			r.pc = start
		default:
			r.further()
		}
	case look:
		r.n, r.first = c.n, c.first
		r.pc = release
		if r.newest || r.first+r.n == r.want || m == ringUnordered {
			r.pc = copies
		}
		if m == ringLetGo {
			c.holders--
		}
	case copies:
		for k := range r.n {
			writing := s.pc == 7 && s.current == i && s.n == k
			r.torn = r.torn || writing || c.records[k] != r.first+k
		}
		if r.newest {
			r.hi = r.first + r.n
		}
		r.torn = r.torn || !r.newest && r.first+r.n != r.lo
		r.newest, r.want, r.lo = false, r.first, r.first
		r.pc = release
	case release:
		if m != ringUnheld && m != ringLetGo {
			c.holders--
		}
		r.further()
	default:
		return false
	}
	return true
}

func (r *ringReader) further() {
	const next = 5
	r.pc = next
	if r.k++; r.k == modelChunks {
		r.pc = ringEnded
	}
}

func ringModel(m ringMutant, size, adds int8) explore.Model[ringState] {
	threads := []explore.Thread[ringState]{
		{Name: "writer", Step: func(s *ringState) bool { return s.add(m, size, adds) }},
		{Name: "reader", Step: func(s *ringState) bool { return s.tail(m) }},
	}
	for i := range int8(modelChunks) {
		threads = append(threads, explore.Thread[ringState]{
			Name: "another", Step: func(s *ringState) bool { return s.holds(i) },
		})
	}
	return explore.Model[ringState]{
		Threads: threads,
		Invariant: func(s ringState) error {
			switch r := &s.reader; {
			case r.torn:
				return errors.New("a record is torn, or not the next one")
			case r.pc != ringEnded:
			case r.hi > r.lo && r.hi < r.began:
				return fmt.Errorf("the latest is %d, though there were %d when the call began", r.hi-1, r.began)
			case !r.lapped && r.hi-r.lo < min(r.began, (modelChunks-2)*size):
				return fmt.Errorf("%d records of %d", r.hi-r.lo, r.began)
			}
			return nil
		},
		Final: func(s ringState) error {
			for _, c := range s.chunks {
				if c.holders != 0 {
					return errors.New("a chunk stays held")
				}
			}
			if s.adds != adds || s.reader.pc != ringEnded {
				return errors.New("somebody waits")
			}
			return nil
		},
	}
}

func TestModelTheRingGivesTheLatestRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("a large model, and the same everywhere")
	}
	model := func(m ringMutant, c [2]int8) explore.Model[ringState] { return ringModel(m, c[0], c[1]) }
	explore.TryIn(t, ringSound, explore.Span(ringUnheld, ringPassesBack), model, [2]int8{1, 6}, [2]int8{2, 9})
}
