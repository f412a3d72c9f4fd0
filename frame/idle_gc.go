package frame

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// idleGC begins the process's collections when a frame's own work is done: see Options.IdleGC.
//
// The runtime begins one in whichever goroutine allocates past a mark, and stops the world there and then, and again at
// the end. Either may fall on the moment when a frame wants to begin; and where that goroutine is a background worker,
// whose thread the system may leave standing, the world stands with it: for 1.3 and 4.2 ms at the 90th and 99th
// percentile, where a thread of ordinary priority makes it 0.12 and 0.46 (two processors, both busy). So the loop is
// first, on a goroutine of its own, while nobody waits for a frame. The idea is Chrome's: Degenbaev, Eisinger, Ernst,
// McIlroy, Payer, "Idle Time Garbage Collection Scheduling", PLDI 2016.
//
// There is one word in turn. Whoever has taken it may touch the fields, look and collect, and puts it back: the frame
// goroutine at once, unless it is time for a look, and run when it has ended, and close never. So there is one
// collection of the loop's at most, none after close, and nobody waits for anybody but close for a run in progress.
//
// Only run reads the heap, never the frame goroutine. metrics.Read waits, in an empty loop, until no P is amid a change
// of the heap's statistics. Where the frame's thread had displaced that of a background worker there, for which it then
// waited, frames took 15 ms: one in 2,000.
//
// While it marks the pool's background workers begin no job (workers.Pool.StandBack, which says why). Of 2,000 frames
// beside jobs that allocate, one or two are then late by more than half a millisecond, and five without; as many jobs
// are done.
//
// Rejected: to collect on the frame goroutine, which would wait until all has been marked; to have the background
// workers at ordinary priority meanwhile: five times as many late frames, as they then take their share of the time
// from those who mark.
type idleGC struct {
	pool    *workers.Pool
	read    func() heap
	collect func() // runtime.GC
	body    func() // run, made once
	turn    chan struct{}
	begun   atomic.Uint64

	frames uint64 // since the last look
	pause  uint64 // how many to let go by before the next
	used   uint64 // as of the last look
	growth uint64 // of it in a frame, at most, of late
}

// A heap is what package runtime/metrics says of it, in bytes: what objects take that are not known to be dead, how
// much was alive after the last collection, and where the next one should have ended.
type heap struct{ used, live, goal uint64 }

// maxPause is after how many frames there is a look at the latest. With 16, most collections of the demo, whose jobs
// allocate now more and now less, were the runtime's.
const maxPause = 4

// markTime is for how long the pool stands back at most: marking takes 1 to 3 ms here when it is not kept from it. With
// 2, 4 and 10 ms it was the same.
const markTime = 3 * time.Millisecond

func newIdleGC(p *workers.Pool) *idleGC {
	g := &idleGC{pool: p, read: heapReader(), collect: runtime.GC, turn: make(chan struct{}, 1)}
	g.body = g.run
	g.used = g.read().used
	g.turn <- struct{}{}
	return g
}

// heapReader returns what reads the heap: 0.2 µs, or some 4 with nothing of it in the caches.
func heapReader() func() heap {
	s := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"},
	}
	return func() heap {
		metrics.Read(s)
		return heap{count(&s[0]), count(&s[1]), count(&s[2])}
	}
}

// frame is called in each frame, on the frame goroutine. Some 60 ns, and some 3 µs where a look begins.
func (g *idleGC) frame() {
	if g == nil {
		return
	}
	select {
	case <-g.turn:
	default:
		return // the last one has not ended
	}
	if g.frames++; g.frames <= g.pause {
		g.turn <- struct{}{}
		return
	}
	go g.body()
}

// run looks at the heap, and collects if the next collection is near.
func (g *idleGC) run() {
	defer func() { g.turn <- struct{}{} }()
	h := g.read()
	g.growth -= g.growth / 8
	if h.used > g.used {
		g.growth = max(g.growth, (h.used-g.used)/g.frames)
	}
	g.used, g.frames = h.used, 0
	g.pause = h.pause(g.growth)
	if g.pause > 0 {
		g.pause--
		return
	}
	g.begun.Add(1)
	g.pool.StandBack(deadline.Now().Add(markTime))
	g.collect()
	g.pool.StandBack(0)
	h = g.read()
	g.used, g.pause = h.used, h.pause(g.growth)
}

// pause returns after how many frames to look again, 0 if it is time to collect: after half of those that would reach
// the mark, as not all add as much, but soon, for what allocates may begin at any time. The mark is at four fifths of
// the way from what was alive to the goal. The runtime begins between 0.7 and 0.95 of that way (gcController.trigger),
// at 0.95 if marking is quick.
func (h heap) pause(growth uint64) uint64 {
	if h.goal < h.live+h.live/16 {
		return maxPause // the memory limit is near: the runtime collects all the time, and says when it is too much
	}
	mark := h.live + (h.goal-h.live)/5*4
	if h.used >= mark {
		return 0
	}
	return min((mark-h.used)/max(2*growth, 1), maxPause)
}

// close waits until a run in progress has ended. Once.
func (g *idleGC) close() {
	if g != nil {
		<-g.turn
	}
}
