package frame

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Placement says where in a hosted frame the slice lies.
type Placement uint8

const (
	// PlaceAuto is the zero value. It means PlaceShadow for a game that Wrap wraps, if a P is to spare then
	// (GOMAXPROCS above the pool's ordinary workers plus one; the default pool leaves none), because that measured
	// better, with idle processors and with busy ones; and PlaceAfterDraw everywhere else. Whatever asks for
	// Loop.Host before Wrap (Once, Each, a Loader with OnHost) settles it for PlaceAfterDraw. Loop.Placement tells
	// what it came to.
	PlaceAuto Placement = iota
	// PlaceAfterDraw drains in Slice itself, on the frame goroutine. Every call of the host's library is legal
	// in a task. What follows the slice (flush, GPU, swap) cannot be measured, so time is reserved for it.
	PlaceAfterDraw
	// PlaceShadow drains on a second goroutine from Slice until the next Begin, while the host flushes and
	// waits for the display: up to twice the throughput, as nothing has to be guessed. Tasks stay exclusive
	// with the frame goroutine's own work between Begin and Slice. It wants a P to spare (GOMAXPROCS above the
	// workers plus one). On js it means PlaceAfterDraw.
	//
	// A task must not call what waits for the host's next frame (in Ebitengine: ReadPixels and At); such work goes to
	// Loop.Host. It may go well for thousands of frames, each call until the next one, but it is a deadlock where
	// that frame's Begin comes first, or no frame comes: Begin then panics after half a minute, and Close returns
	// an error after 15 s. Nor may a task call what must be on the host's own thread, as the functions for the
	// window must in Ebitengine's SingleThread mode.
	PlaceShadow
)

// String returns the constant's name in words.
func (p Placement) String() string {
	switch p {
	case PlaceAuto:
		return "auto"
	case PlaceAfterDraw:
		return "after draw"
	case PlaceShadow:
		return "shadow"
	}
	return "invalid placement"
}

// Placement returns where the slice lies: PlaceAuto as long as that is not decided, which Wrap, Host and the
// first frame do. Any goroutine.
func (l *Loop) Placement() Placement {
	switch {
	case l.choice.open.Load():
		return PlaceAuto
	case l.shadow != nil:
		return PlaceShadow
	}
	return PlaceAfterDraw
}

// choice is PlaceAuto's, which is made once: Wrap may place the slice in the shadow, and Host, the first frame and the
// loop's end settle it for the frame goroutine.
//
//   - D1. open is cleared when what was chosen has been made. Whoever finds it set takes part in once, or waits for who
//     does; and who finds it cleared sees what was made. So Host beside a Wrap has the scheduler that stays the host's.
type choice struct {
	open atomic.Bool
	once sync.Once
}

// decide makes the choice, if nobody has.
func (l *Loop) decide(wraps bool) {
	if l.choice.open.Load() {
		l.choose(wraps)
	}
}

func (l *Loop) choose(wraps bool) {
	l.choice.once.Do(func() {
		if wraps && l.hasRoom() {
			l.shade()
		}
		l.choice.open.Store(false)
	})
}

// hasRoom reports whether a slice in the shadow has a P. It runs beside the host's goroutine, so it wants one that no
// ordinary worker uses; background workers have theirs from RaiseProcs, or else are what there is to spare. What is
// raised without any is for ordinary workers.
func (l *Loop) hasRoom() bool {
	var s workers.Stats
	l.pool.Stats(&s)
	procs := runtime.GOMAXPROCS(0)
	if s.Background == 0 {
		procs -= s.Procs
	}
	return procs > s.Workers+1
}

// shade places the slice in the shadow, before the first frame.
func (l *Loop) shade() {
	l.hosted = newReserve(shadowControl)
	l.host = scheduler.New(l.o.Scheduler)
	l.shadow = newShadow(l)
}
