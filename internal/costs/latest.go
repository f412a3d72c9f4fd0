package costs

import (
	"sync/atomic"
	"time"
)

// Latest keeps the longest of the latest runs of a kind: of the latest memory runs at least, and of twice as many at
// most. An Estimate ignores a run that is long once in a while, because a task has nowhere else to run. Latest ignores
// none. Its memory is constant. Any goroutine may call its methods, and the zero Latest is ready.
//
// LR1. The n-th run belongs to the window n/memory. There are two words, for the even and the odd windows. A word has
// the low bits of the number of its window beside the longest run. Note replaces a word of an older window, and raises
// a word of its own window or a newer one. So nothing has to be cleared, and a goroutine that stands still in Note
// loses nothing.
type Latest struct {
	runs    atomic.Uint64
	windows [2]atomic.Uint64
}

// memory is how many runs a window has. A kind of which one run in 1000 is long shows one in each window. A kind of
// 0.3 ms forgets a long run after one to two seconds of work.
const memory = 4096

// Forever stands for a run that has waited: nobody knows how long the next one will.
const Forever = time.Duration(1<<longBits - 1)

const longBits = 48 // 78 hours of nanoseconds; the rest of a word is for the window

// Note notes a run that took d. It takes about 10 ns.
func (l *Latest) Note(d time.Duration) {
	window := (l.runs.Add(1) - 1) / memory
	long := uint64(min(max(d, 0), Forever))
	word := &l.windows[window&1]
	for {
		old := word.Load()
		next := window<<longBits | long
		if newer := int16(uint16(old>>longBits) - uint16(window)); newer >= 0 {
			if old&uint64(Forever) >= long {
				return
			}
			next = old&^uint64(Forever) | long
		}
		if word.CompareAndSwap(old, next) {
			return
		}
	}
}

// Longest returns the longest of the latest runs.
func (l *Latest) Longest() (d time.Duration) {
	window := l.runs.Load() / memory
	for i := range l.windows {
		word := l.windows[i].Load()
		if age := uint16(window) - uint16(word>>longBits); age <= 1 || int16(age) < 0 {
			d = max(d, time.Duration(word&uint64(Forever)))
		}
	}
	return d
}

// Runs returns how many runs have been noted.
func (l *Latest) Runs() uint64 { return l.runs.Load() }
