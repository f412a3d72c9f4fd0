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
// goroutine at once, unless it is time for a look, and run when it has ended, noLooks on the timer's goroutine when it
// has set GOGC, and close never. So there is one collection of the loop's at most, none after close, nor a change of
// GOGC but Close's own; and nobody waits for anybody but close for a run in progress.
//
// Only run reads the heap, never the frame goroutine. metrics.Read waits, in an empty loop, until no P is amid a change
// of the heap's statistics. Where the frame's thread had displaced that of a background worker there, for which it then
// waited, frames took 15 ms: one in 2,000. And it holds a lock meanwhile that other readers of metrics want, so the
// Recorder, which is one, leaves its own reading to a later frame (SkipGC).
//
// While it marks the pool's background workers begin no job (workers.Pool.StandBack, which says why).
//
// The runtime's own mark is further away while there are looks (apart). For as long as both were near 0.8 of the way,
// one collection in twelve was the runtime's, at any time of a frame. With twice as far none was, except while the demo
// loads: there most were, in background workers, and the world stood for up to 290 ms. Where nobody looks for a second
// it is where the program wants it.
//
// Rejected: to collect on the frame goroutine, which would wait until all has been marked; to have the background
// workers at ordinary priority meanwhile: five times as many late frames, as they then take their share of the time
// from those who mark; to ask what objects take ("/memory/classes/heap/objects:bytes"), which falls only as the dead
// are swept, so that a collection would seem near right after one. Rejected too: to gather the background workers
// before a collection begins, none within a job. Collections were shorter, as many frames were late, and 2 to 3 % fewer
// jobs were done.
type idleGC struct {
	pool    *workers.Pool
	percent uint64 // the GOGC that is wanted, or 0 where none is
	gogc    int    // what the loops have set it to, at the last look
	ours    bool   // and it was that at the last look
	read    func() heap
	collect func()               // runtime.GC
	move    func(int) bool       // sharedGOGC.move
	held    func() (int, uint64) // sharedGOGC.held
	reading func(bool)           // Recorder.SkipGC: a run has not read the heap yet, or does
	body    func()               // run, made once
	turn    chan struct{}
	lull    *time.Timer // for noLooks
	closed  atomic.Bool
	begun   atomic.Uint64

	until  deadline.Instant // when it is too late to begin, in this frame
	frames uint64           // since the last look
	seen   uint64           // frames, when lull ended last
	pause  uint64           // after how many of them is the next
	last   heap             // as of the last look
	base   uint64           // what had been allocated when the last collection was seen to have ended
	growth uint64           // in a frame, at most, of late
}

// A heap is what package runtime/metrics says of it: collections so far, and in bytes what has ever been allocated, how
// much was alive after the last collection, and where the next one should have ended by GOMEMLIMIT and GOGC, in
// percent.
type heap struct{ cycles, allocs, live, goal, gogc uint64 }

// maxPause is after how many frames there is a look at the latest. With 16, most collections of the demo, whose jobs
// allocate now more and now less, were the runtime's.
const maxPause = 5

// markTime is for how long the pool stands back at most: marking takes 1 to 3 ms here when it is not kept from it. With
// 2, 4 and 10 ms it was the same.
const markTime = 3 * time.Millisecond

// lull is for how long there may be no look: the heap of a program that loads before its next frame must not grow as if
// there were.
const lull = time.Second

func newIdleGC(p *workers.Pool, reading func(bool), s *sharedGOGC, percent uint64) *idleGC {
	g := &idleGC{
		pool: p, percent: percent, read: heapReader(), collect: runtime.GC, move: s.move, held: s.held,
		reading: reading, turn: make(chan struct{}, 1),
	}
	g.gogc = int(percent)
	g.body = g.run
	g.lull = time.AfterFunc(lull, g.noLooks)
	g.turn <- struct{}{}
	return g
}

// heapReader returns what reads the heap: 0.2 µs, or some 4 with nothing of it in the caches.
func heapReader() func() heap {
	s := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"}, {Name: "/gc/gogc:percent"},
	}
	return func() heap {
		metrics.Read(s)
		return heap{number(&s[0]), number(&s[1]), number(&s[2]), number(&s[3]), number(&s[4])}
	}
}

// number returns what a metric counts, and 0 for one that this version of Go has not.
func number(s *metrics.Sample) uint64 {
	if s.Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s.Value.Uint64()
}

// frame is called in each frame, when its own work is done, with when it is too late to begin. The frame goroutine;
// some 50 ns, and some 3 µs where a look begins.
func (g *idleGC) frame(until deadline.Instant) {
	if g == nil {
		return
	}
	select {
	case <-g.turn:
	default:
		return // the last one has not ended
	}
	if g.frames++; g.frames < g.pause {
		g.turn <- struct{}{}
		return
	}
	g.until = until
	g.reading(true)
	go g.body()
}

// run looks at the heap, and collects if the next collection is near. Where every P is busy it may begin late.
func (g *idleGC) run() {
	defer func() {
		g.keepApart()
		g.lull.Reset(lull)
		g.turn <- struct{}{}
	}()
	if g.pause = g.look(); g.pause > 0 {
		return
	}
	g.pause = 1
	now := deadline.Now()
	if g.until.Before(now) {
		return
	}
	g.begun.Add(1)
	g.pool.StandBack(now.Add(markTime))
	g.collect()
	g.pool.StandBack(0)
	g.reading(true)
	g.pause = max(g.look(), 1)
}

// keepApart sets GOGC anew where what is alive has changed much.
func (g *idleGC) keepApart() {
	if p := apart(g.percent, g.last.live); g.ours && (p > g.gogc/4*5 || p < g.gogc/5*4) {
		g.set(p)
	}
}

func (g *idleGC) set(percent int) {
	if g.ours = g.move(percent); g.ours {
		g.gogc = percent
	}
}

// noLooks sets GOGC to what the program wants, as nobody has looked at the heap for a lull, unless that is because
// frames are slow. The next frame looks, and has it changed again.
func (g *idleGC) noLooks() {
	select {
	case <-g.turn:
	default: // a frame counts just now, or looks, or close has it
		if !g.closed.Load() {
			g.lull.Reset(lull)
		}
		return
	}
	g.pause = 0
	switch {
	case g.frames > g.seen:
		g.seen = g.frames
		g.lull.Reset(lull)
	case g.ours && g.gogc != int(g.percent):
		g.set(int(g.percent))
	}
	g.turn <- struct{}{}
}

// look reads the heap and returns after how many frames to look again, 0 if it is time to collect.
func (g *idleGC) look() uint64 {
	h := g.read()
	g.reading(false)
	last := g.last
	g.last = h
	g.gogc, g.percent = g.held()
	g.ours = g.percent > 0 && h.gogc == uint64(g.gogc)
	if last == (heap{}) || h.cycles != last.cycles {
		g.base = h.allocs
	}
	g.growth -= g.growth / 8
	if last != (heap{}) {
		g.growth = max(g.growth, (h.allocs-last.allocs)/max(g.frames, 1))
	}
	g.frames, g.seen = 0, 0
	if !g.ours {
		return h.pause(h.allocs-g.base, g.growth, 0)
	}
	return h.pause(h.allocs-g.base, g.growth, g.percent)
}

// pause is look's answer for a heap to which so much has been allocated since the last collection, in a frame as much
// as growth, where GOGC should be percent: after half of the frames that would reach the mark, as not all add as much,
// but soon, as what allocates may begin at any time. Nothing is done in the first five eighths of the way to the mark.
//
// The mark is where a collection should have ended by that GOGC, or half of the headroom, which is more where little is
// alive; but at four fifths of the way to the runtime's goal at most, which is nearer where there is a memory limit,
// and there too if GOGC is not the loop's (percent is zero). From 19 twentieths on it is the runtime's collection, and
// probably has begun: that begins one between 0.7 and 0.95 of the way, or 4 MiB before the goal (gcController.trigger).
func (h heap) pause(since, growth, percent uint64) uint64 {
	if h.goal < h.live+h.live/16 {
		return maxPause // GOGC is tiny, or the memory limit near: then the runtime collects all the time
	}
	way := h.goal - h.live
	mark := way / 5 * 4
	if percent > 0 {
		mark = min(mark, max(headroom/2, h.live/100*percent))
	}
	switch {
	case since >= way/20*19:
		return 1
	case since >= mark:
		return 0
	case since < mark/8*5:
		return min(max((mark-since)/max(2*growth, 1), 1), maxPause)
	default:
		return min((mark-since)/max(2*growth, 1), maxPause)
	}
}

// close waits until a run in progress has ended. Once.
func (g *idleGC) close() {
	g.closed.Store(true)
	<-g.turn
	g.lull.Stop()
}
