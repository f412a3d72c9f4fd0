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

// Go reads Windows' time from a page that the kernel writes at each interrupt of its timer: in steps of 0.5 ms while
// some program asks for fast timers, and of 15.6 ms otherwise. A slice of 4 ms cannot be measured so: a job would
// cost nothing or a whole frame. The performance counter counts 100 ns or less and never goes back, whatever
// processor it is read on; what it costs is a call of the system's library, which the runtime treats as a system call.
//
// Timers go on by Go's own clock. Nobody sees the difference, because they are set by durations.

// ticker is the performance counter. The variable is never changed after the package's initialization.
var ticker = openCounter()

type performanceCounter struct {
	query uintptr // QueryPerformanceCounter; 0 if there is no such thing
	rate  uint64  // ticks per second
	first uint64
	cells *sync.Pool // of *cell
}

// A cell is where a reading is written to. The address is taken without package unsafe, which nothing here uses: what a
// reflect.Value was made of is on the heap, where the garbage collector does not move it.
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
	lib := syscall.NewLazyDLL("kernel32.dll") // which every process has loaded: nothing is looked for in folders
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
