package where

import (
	"math/bits"

	"github.com/frameslice/frameslice/internal/atomic"
)

// cell has the innermost record of a goroutine.
type cell = atomic.Pointer[Record]

// table has the cells by the numbers of goroutines: open addressing, at most half full.
type table struct {
	mu   atomic.Mutex // to put a key in
	used int
	at   atomic.Pointer[slots]
}

type slots struct {
	shift uint
	keys  []slot
}

type slot struct {
	id   atomic.Uintptr
	cell *cell // set before id, and never changed
}

const firstSlots = 256 // a power of two

func newSlots(n int) *slots {
	return &slots{shift: uint(64 - bits.TrailingZeros(uint(n))), keys: make([]slot, n)}
}

// first is the slot at which the search for a number begins.
func (s *slots) first(id uintptr) int { return int(uint64(id) * 0x9e3779b97f4a7c15 >> s.shift) }

// find returns the cell of the goroutine, or nil if there is none. Only that goroutine may ask.
func (t *table) find(id uintptr) *cell {
	s := t.at.Load()
	if s == nil {
		return nil
	}
	for i := s.first(id); ; i++ {
		k := &s.keys[i&(len(s.keys)-1)]
		switch k.id.Load() {
		case id:
			return k.cell
		case 0:
			return nil
		}
	}
}

// make is find that makes the cell if there is none.
func (t *table) make(id uintptr) *cell {
	if c := t.find(id); c != nil {
		return c
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.at.Load()
	if s == nil || 2*t.used >= len(s.keys) {
		s = s.grown()
		t.at.Store(s)
	}
	t.used++
	c := new(cell)
	s.put(id, c)
	return c
}

// grown returns slots of twice the number with the same cells.
func (s *slots) grown() *slots {
	if s == nil {
		return newSlots(firstSlots)
	}
	more := newSlots(2 * len(s.keys))
	for i := range s.keys {
		if k := &s.keys[i]; k.id.Load() != 0 {
			more.put(k.id.Load(), k.cell)
		}
	}
	return more
}

// put puts in a number that is not there yet. The lock is held.
func (s *slots) put(id uintptr, c *cell) {
	i := s.first(id)
	for s.keys[i].id.Load() != 0 {
		i = (i + 1) & (len(s.keys) - 1)
	}
	s.keys[i].cell = c
	s.keys[i].id.Store(id)
}
