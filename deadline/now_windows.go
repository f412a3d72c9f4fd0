package deadline

import (
	"math/bits"
	"reflect"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/frameslice/frameslice/internal/bubble"
)

// Windows' time, as Go reads it, moves at each interrupt of the timer: in steps of 0.5 ms while some program asks for
// fast timers, and of 15.6 ms otherwise. Such a clock cannot measure a slice of 4 ms: a job would cost nothing or a
// whole frame. The performance counter moves in steps of 100 ns or less and never goes back, on any processor. A
// reading is a call of the system's library, which the runtime treats as a system call.
//
// Timers still use Go's own clock. Nobody sees the difference, because durations set the timers.

// ticker is the performance counter. It never changes.
var ticker = openCounter()

type performanceCounter struct {
	query uintptr // QueryPerformanceCounter; 0 if there is no such thing
	rate  uint64  // ticks per second
	first uint64
	cells *sync.Pool // of *cell
}

// A cell takes a reading. Package reflect gives its address, as nothing here uses package unsafe. The value of a
// reflect.Value is on the heap, where the garbage collector does not move it.
type cell struct {
	ticks int64
	at    uintptr // the address of ticks
}

func newCell() any {
	c := new(cell)
	c.at = reflect.ValueOf(&c.ticks).Pointer()
	return c
}

func openCounter() performanceCounter {
	lib := syscall.NewLazyDLL("kernel32.dll") // every process has loaded it, so no folder is searched
	query, frequency := lib.NewProc("QueryPerformanceCounter"), lib.NewProc("QueryPerformanceFrequency")
	if query.Find() != nil || frequency.Find() != nil {
		return performanceCounter{}
	}
	c := newCell().(*cell)
	ok, _, _ := syscall.SyscallN(frequency.Addr(), c.at)
	runtime.KeepAlive(c)
	if ok == 0 || c.ticks <= 0 {
		return performanceCounter{}
	}
	p := performanceCounter{query: query.Addr(), rate: uint64(c.ticks), cells: &sync.Pool{New: newCell}}
	if ticks, ok := p.read(); ok {
		p.first = ticks
		return p
	}
	return performanceCounter{}
}

// read returns the counter's ticks.
func (p *performanceCounter) read() (ticks uint64, ok bool) {
	c := p.cells.Get().(*cell)
	r, _, _ := syscall.SyscallN(p.query, c.at)
	ticks = uint64(c.ticks)
	p.cells.Put(c)
	return ticks, r != 0
}

// since returns the ns since the process began.
func (p *performanceCounter) since() (ns int64, ok bool) {
	ticks, ok := p.read()
	hi, lo := bits.Mul64(ticks-p.first, uint64(time.Second))
	if !ok || hi >= p.rate { // after 584 years
		return 0, false
	}
	quotient, _ := bits.Div64(hi, lo, p.rate)
	return int64(quotient), true
}

func now() Instant {
	if ticker.query != 0 && !bubble.Here() {
		if ns, ok := ticker.since(); ok {
			return Instant(ns)
		}
	}
	return Instant(time.Since(base))
}
