package frame

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/regions"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Placement says where in a frame the slice lies.
type Placement uint8

const (
	// PlaceAuto means PlaceShadow for a wrapped game, if a P is free: GOMAXPROCS, without the P that Balanced adds,
	// above the ordinary workers plus one. Otherwise, and if Loop.Host was asked before Wrap, it means PlaceAfterDraw.
	PlaceAuto Placement = iota
	// PlaceAfterDraw runs the tasks in Slice, on the frame goroutine. They may call everything of the host's library.
	// The loop reserves time for what follows: flush, GPU, swap.
	PlaceAfterDraw
	// PlaceShadow runs the tasks on a second goroutine from Slice until the next Begin, while the host flushes and
	// waits for the display. Tasks finish up to twice as much work. Where the host's frames are late without any task,
	// the next Begin waits until tasks have had their deadline.Budget.Share. A browser has PlaceAfterDraw instead.
	//
	// Give work that must be on the host's own thread to Loop.Host. A task must not wait for the next frame (in
	// Ebitengine: ReadPixels and At): Begin panics after 30 s then, and Close returns an error after 15 s.
	PlaceShadow
	// PlaceFirst runs the tasks in Slice, which the host calls before the frame's own work: Begin, Slice, input,
	// update, draw, End. Run gives the tasks their slice before it calls its function. The slice leaves time for the
	// own work, as the frames before took it, and for the reserve. So input is as young as these allow when the frame
	// is handed over. Own work that takes longer than usual makes the frame late, where PlaceAfterDraw makes the slice
	// shorter. The first frame has no slice, because its own work is not known.
	//
	// All calls that are legal before Slice are then legal until End, except in tasks. The callbacks of AfterDraw run
	// in End, and those of BeforeUpdate in Begin as ever. Wrap panics, because its host reads the input before Begin.
	PlaceFirst
)

// Placement returns where the slice lies: PlaceAuto until Wrap, Host or the first frame has decided. Any goroutine.
func (l *Loop) Placement() Placement {
	switch {
	case l.choice.open.Load():
		return PlaceAuto
	case l.shadow != nil:
		return PlaceShadow
	case l.o.slicesFirst():
		return PlaceFirst
	}
	return PlaceAfterDraw
}

// choice is the choice of PlaceAuto, which is made once. Wrap may place the slice in the shadow. Host, the first frame
// and the loop's end settle it for the frame goroutine.
//
//   - F61. open is cleared when the choice has been made. A caller that finds open set makes the choice in once, or
//     waits there. A caller that finds it cleared sees the choice. So Host beside a Wrap returns the scheduler that
//     stays the host's.
type choice struct {
	open  atomic.Bool
	once  sync.Once
	shade func() // places the slice in the shadow, if there is room
}

// decide makes the choice, if it has not been made. wraps says that a game is being wrapped.
func (c *choice) decide(wraps bool) {
	if c.open.Load() {
		c.choose(wraps)
	}
}

func (c *choice) choose(wraps bool) {
	c.once.Do(func() {
		if wraps {
			c.shade()
		}
		c.open.Store(false)
	})
}

// hasRoom reports whether a slice in the shadow has a P. It runs beside the host's goroutine, so it needs a P that no
// ordinary worker uses. Background workers use the Ps that RaiseProcs adds, or only Ps to spare. Ps that RaiseProcs
// adds for ordinary workers do not count.
func hasRoom(pool *workers.Pool) bool {
	var s workers.Stats
	pool.Stats(&s)
	procs := runtime.GOMAXPROCS(0)
	if s.Background == 0 {
		procs -= s.Procs
	}
	return procs > s.Workers+1
}

// shade places the slice in the shadow, before the first frame.
func (l *Loop) shade() {
	l.budget.hosted = newReserve(shadowControl)
	l.tasks.add(scheduler.New(l.o.Scheduler), l.o.Profile)
	l.ends.unwind = l.host.Close
	bridge.Of(l.host).NumberApart()
	l.meter = regions.NewMeter()
	bridge.Of(l.host).Meter(l.meter)
	l.shadow = newShadow(l)
	l.shadow.drain, l.shadow.closeDrain = l.drain, l.closeDrain
	l.shadow.closeAll = func() error { return l.close(true) }
}
