package where

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The table's protocol in steps: three goroutines make their cells, and then find them. The first table has two slots,
// so the second goroutine and the third one let it grow. All numbers begin the search at the same slot.

const modelGoroutines = 3

type modelSlot struct{ id, cell int8 }

type modelGoroutine struct {
	pc   int8
	size int8 // of the table that the goroutine has loaded; 0 is none
	at   int8 // a slot
	got  int8 // the cell that it has found; -1 is none
}

type tableState struct {
	tables [3][8]modelSlot // of 2, 4 and 8 slots
	size   int8            // of the table in force; 0 is none
	used   int8
	locked bool
	moved  int8 // slots copied, in the mutant that copies in public
	g      [modelGoroutines]modelGoroutine
}

func (s *tableState) slots(size int8) []modelSlot {
	return s.tables[map[int8]int{2: 0, 4: 1, 8: 2}[size]][:size]
}

// free returns the slot for a new key.
func free(slots []modelSlot) (i int8) {
	for slots[i].id != 0 {
		i++
	}
	return i
}

func tableModel(mutant string) explore.Model[tableState] {
	m := explore.Model[tableState]{
		Invariant: func(s tableState) error {
			for i, g := range s.g {
				if g.got != 0 && g.got != int8(i+1) {
					return fmt.Errorf("goroutine %d has found the cell of %d", i+1, g.got)
				}
			}
			return nil
		},
		Final: func(s tableState) error {
			for _, g := range s.g {
				if g.got == 0 {
					return errors.New("a goroutine has not found its cell")
				}
			}
			return nil
		},
	}
	for i := range modelGoroutines {
		id := int8(i + 1)
		m.Threads = append(m.Threads, explore.Thread[tableState]{
			Name: fmt.Sprint("goroutine ", id),
			Step: func(s *tableState) bool { return s.step(id, mutant) },
		})
	}
	return m
}

// step is the next atomic step of the goroutine with that number.
func (s *tableState) step(id int8, mutant string) bool {
	g := &s.g[id-1]
	g.pc++
	switch g.pc {
	case 1, 8: // find: at.Load
		g.size, g.at = s.size, 0
		if g.size == 0 {
			g.pc++ // nothing to search
		}
	case 2, 9: // find: id.Load, slot by slot
		switch k := s.slots(g.size)[g.at]; {
		case k.id == id:
			g.got = k.cell
		case k.id != 0:
			g.at++
			g.pc-- // the next slot
		case g.pc == 9:
			g.got = -1
		}
	case 3: // make: Lock, at.Load
		if s.locked {
			return false
		}
		s.locked = mutant != "no lock"
		if mutant != "the table from before the lock" || g.size == 0 {
			g.size = s.size
		}
	case 4: // make: the grown table
		if g.size > 0 && 2*s.used < g.size {
			return true
		}
		old := g.size
		g.size = min(max(2, 2*old), 8)
		if mutant == "the old keys stay behind" || old == 0 {
			s.size = g.size
			break
		}
		if mutant == "the table is seen before its keys" {
			if s.size = g.size; s.moved < old {
				s.moved++
				s.slots(g.size)[s.moved-1] = s.slots(old)[s.moved-1]
				g.size = old
				g.pc--
				if s.moved == old {
					g.pc, g.size, s.moved = 4, 2*old, 0
				}
			}
			break
		}
		keys, more := s.tables, s.slots(g.size)
		clear(more)
		for _, k := range (&tableState{tables: keys}).slots(old) {
			if k.id != 0 {
				more[free(more)] = k
			}
		}
		s.size = g.size // at.Store
	case 5: // put: the free slot, and its cell
		s.used++
		slots := s.slots(g.size)
		if slots[len(slots)-1].id != 0 {
			g.pc = 100 // full, so the search would not end
			g.got = -1
			return true
		}
		g.at = free(slots)
		slots[g.at].cell = id
	case 6: // put: id.Store
		s.slots(g.size)[g.at].id = id
	case 7: // Unlock
		s.locked = false
	case 10:
		if mutant != "a key is removed" {
			return false
		}
		s.slots(g.size)[g.at].id = 0
	default:
		return false
	}
	return true
}

// N1 to N3 hold in every interleaving of three goroutines, and each step of the protocol is needed.
func TestTableInEveryInterleaving(t *testing.T) {
	stats, err := explore.Run(tableModel(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d states", stats.States)
	for _, mutant := range []string{
		"no lock", "the table from before the lock", "the old keys stay behind", "the table is seen before its keys",
		"a key is removed",
	} {
		if _, err := explore.Run(tableModel(mutant)); err == nil || errors.Is(err, explore.ErrTooLarge) {
			t.Errorf("%s: %v", mutant, err)
		}
	}
}
