// Package where tells in which job, task or frame the calling goroutine is.
//
// A goroutine that runs functions of others enters a Record when it begins, and leaves the Record, deferred, when it
// ends. Here returns the innermost Record of the calling goroutine. Here takes a few nanoseconds, however deep the
// stack is, and allocates nothing.
//
//	defer where.Enter(where.Worker, pool).Leave()
//
// A coroutine has a goroutine of its own, and so records of its own. Nothing is known of a goroutine that a job or a
// task starts, nor of a coroutine that a job or a task makes by iter.Pull.
//
// # Numbers
//
// A goroutine is known by its number, the address of the runtime's g. Two goroutines that live at the same time have
// different numbers. The runtime never frees a g: it uses the g of a goroutine that has ended for a new goroutine. The
// old goroutine has left its records by then, as Leave is deferred. So there are no more numbers than goroutines have
// lived at a time.
//
// So a number that is kept beyond the life of its goroutine may be another goroutine's. Each place that keeps a number
// says why the goroutine lives meanwhile. Package carrier has numbers that are never used again, but takes some µs for
// each.
//
// # The table
//
// The table maps the number of a goroutine to its cell. The cell has the innermost Record.
//
//	N1. A key goes from 0 to a number once, under the lock, and its cell is set before. Keys are never removed.
//	N2. Only the goroutine with the number of a cell loads from the cell and stores into the cell.
//	N3. A table that grows has all keys of the old one, with the same cells, before anybody can see it. No key is put
//	    into the old one after that.
//
// A goroutine that has entered a Record finds its cell in each table that it loads afterwards. It loads the table into
// which it has put the key, or a newer one, as the loads of one goroutine never go back. That table has the key by N3.
// The search does not end at an empty slot before the key: the slots on the way were full when the key was put in, and
// keys stay (N1). The explorer runs three goroutines that enter, and finds eight mutants (protocol_test.go).
package where

import "github.com/frameslice/frameslice/internal/atomic"

// Kind is what a goroutine does.
type Kind uint8

const (
	Worker Kind = iota + 1 // runs jobs as a worker of a pool, or as a coroutine on one
	Job                    // runs jobs as another goroutine, which may be the frame's, or as a coroutine on one
	Task                   // runs tasks and callbacks of a scheduler
	Frame                  // runs frames of a loop
)

// A Record is one thing that a goroutine is in. Kind and Owner are set before Enter. It must not be copied after that.
type Record struct {
	Kind  Kind
	Owner any // the pool, the scheduler or the loop

	id    atomic.Uintptr // of the goroutine that has entered; 0 outside
	outer *Record        // around it, on the same goroutine
}

// Enter makes r the innermost record of the calling goroutine. If r is entered already, r stays where it is, and Enter
// returns false: then Leave must not be called.
func (r *Record) Enter() bool {
	id := ID()
	if !r.id.CompareAndSwap(0, id) {
		return false
	}
	c := known.make(id)
	r.outer = c.Load()
	c.Store(r)
	return true
}

// Enter enters a new record, for a goroutine that keeps none.
func Enter(k Kind, owner any) *Record {
	r := &Record{Kind: k, Owner: owner}
	r.Enter()
	return r
}

// Leave undoes Enter, on the same goroutine. The records within r have been left before.
func (r *Record) Leave() {
	known.find(r.id.Load()).Store(r.outer)
	r.outer = nil
	r.id.Store(0)
}

// Here returns the innermost record of the calling goroutine, or nil.
func Here() *Record {
	if c := known.find(ID()); c != nil {
		return c.Load()
	}
	return nil
}

// Outer returns the record around r on the same goroutine, or nil. Only that goroutine may ask.
func (r *Record) Outer() *Record { return r.outer }

// In reports whether the calling goroutine is in a record of one of the kinds, and if owner is not nil of that owner.
func In(owner any, kinds ...Kind) bool {
	for r := Here(); r != nil; r = r.outer {
		if owner != nil && r.Owner != owner {
			continue
		}
		for _, k := range kinds {
			if r.Kind == k {
				return true
			}
		}
	}
	return false
}
