package frame

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/heaplook"
	"github.com/frameslice/frameslice/workers"
)

// idleGC begins the process's collections when a frame's own work is done: see Options.GCBetweenFrames.
//
// The runtime begins a collection in the goroutine that allocates past a mark. It stops the world there, and again at
// the end. Either stop may come when a frame wants to begin. If that goroutine is a background worker, the system may
// suspend its thread, and the world waits for the thread. The wait is 1.3 ms at the 90th percentile and 4.2 ms at the
// 99th. On a thread of ordinary priority it is 0.12 and 0.46 ms (two busy processors). So the loop begins a collection
// first, on a goroutine of its own, while nobody waits for a frame. The idea is Chrome's: Degenbaev, Eisinger, Ernst,
// McIlroy, Payer, "Idle Time Garbage Collection Scheduling", PLDI 2016.
//
// There is one token in the channel turn. The goroutine that has taken the token may touch the fields, look at the heap
// and collect. The frame goroutine puts the token back at once, or leaves that to run when it is time for a look.
// noLooks puts it back when it has set GOGC, and close never does. So the loop has one collection at a time. After
// close it has none, and only Close changes GOGC. Nobody waits for another goroutine, except close for a run in
// progress.
//
// Only run reads the heap, never the frame goroutine. metrics.Read spins until no P changes the statistics of the heap.
// Where the frame's thread had displaced a background worker in such a change, one frame in 2,000 took 15 ms.
// metrics.Read also holds a lock that the Recorder wants. So the Recorder leaves its own reading to a later frame
// (package heaplook).
//
// While a collection marks, background workers begin no job: see StandBack in package workers.
//
// The runtime's own mark is further away while there are looks (apart). When both marks were near 0.8 of the way, one
// collection in twelve was the runtime's, at any time of a frame. With twice the distance none was, except while the
// demo loads: then the world stood for up to 290 ms. When nobody has looked for a second, the runtime's mark is where
// the program wants it.
//
// Rejected:
//
//   - To collect on the frame goroutine, which would wait until all is marked.
//   - Ordinary priority for background workers meanwhile. It made five times as many late frames.
//   - To ask how much objects take ("/memory/classes/heap/objects:bytes"). That number falls only as the dead are
//     swept, so a collection would seem near right after one.
//   - To wait until no background worker is within a job. Collections were shorter, as many frames were late, and 2 to
//     3 % fewer jobs were done.
type idleGC struct {
	pool    *workers.Pool
	percent uint64 // the GOGC that is wanted, or 0 where none is
	gogc    int    // the GOGC that the loops had set, at the last look
	ours    bool   // GOGC had that value at the last look
	read    func() heap
	collect func()               // runtime.GC
	move    func(int) bool       // sharedGOGC.move
	held    func() (int, uint64) // sharedGOGC.held
	body    func()               // run, made once
	turn    chan struct{}
	lull    *time.Timer // for noLooks
	closed  atomic.Bool
	begun   atomic.Uint64

	until  deadline.Instant // when it is too late to begin, in this frame
	frames uint64           // since the last look
	seen   uint64           // the value of frames when lull last ended
	pause  uint64           // frames from the last look to the next
	last   heap             // as of the last look
	base   uint64           // allocs when a look first saw that the last collection had ended
	growth uint64           // the most that a frame allocated lately
}

// A heap has numbers of package runtime/metrics.
type heap struct {
	cycles uint64 // collections so far
	allocs uint64 // bytes that were ever allocated
	live   uint64 // bytes that were alive after the last collection
	goal   uint64 // bytes at which the next collection is to end
	gogc   uint64 // in percent
}

// maxPause is the most frames between two looks. The demo's jobs allocate now more and now less: with 16 frames most of
// its collections were the runtime's.
const maxPause = 5

// markTime is the longest time for which the pool stands back. Marking takes 1 to 3 ms if nothing holds it up. 2, 4 and
// 10 ms made no difference.
const markTime = 3 * time.Millisecond

// lull is the longest time without a look. The heap of a program that loads before its next frame must not grow as if
// there were looks.
const lull = time.Second

func newIdleGC(p *workers.Pool, s *sharedGOGC, percent uint64) *idleGC {
	g := &idleGC{
		pool: p, percent: percent, read: heapReader(), collect: runtime.GC, move: s.move, held: s.held,
		turn: make(chan struct{}, 1),
	}
	g.gogc = int(percent)
	g.body = g.run
	g.lull = time.AfterFunc(lull, g.noLooks)
	g.turn <- struct{}{}
	return g
}

// heapReader returns a function that reads the heap, in 0.2 µs, or 4 µs with cold caches.
func heapReader() func() heap {
	s := []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"}, {Name: "/gc/gogc:percent"},
	}
	return func() heap {
		metrics.Read(s)
		n := heaplook.Count
		return heap{n(&s[0]), n(&s[1]), n(&s[2]), n(&s[3]), n(&s[4])}
	}
}

// frame is called in each frame, when its own work is done. After until it is too late to begin. Frame goroutine; about
// 50 ns, or 3 µs if a look begins.
func (g *idleGC) frame(until deadline.Instant) {
	if g == nil {
		return
	}
	select {
	case <-g.turn:
	default:
		return // the last look has not ended
	}
	if g.frames++; g.frames < g.pause {
		g.turn <- struct{}{}
		return
	}
	g.until = until
	go g.body()
}

// run looks at the heap, and collects if the next collection is near. If every P is busy, run may begin late.
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
	if g.until < now {
		return
	}
	g.begun.Add(1)
	bridge.Of(g.pool).StandBack(now.Add(markTime))
	g.collect()
	bridge.Of(g.pool).StandBack(0)
	g.pause = max(g.look(), 1)
}

// keepApart changes GOGC if the live heap has changed much.
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

// noLooks runs when nobody has looked at the heap for a lull. It gives GOGC back the program's value, unless frames go
// on slowly. The next frame looks, and raises GOGC again.
func (g *idleGC) noLooks() {
	select {
	case <-g.turn:
	default: // a frame counts or looks just now, or close has the turn
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

// look reads the heap. It returns how many frames to wait until the next look, or 0 if it is time to collect.
func (g *idleGC) look() uint64 {
	h := heaplook.Do(g.read)
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

// pause is look's answer. since was allocated since the last collection, at most growth in a frame, and GOGC should be
// percent. The next look comes after half of the frames that would reach the mark, as frames differ. It comes within
// maxPause frames, as a job may begin to allocate at any time. In the first five eighths of the way to the mark there
// is no collection.
//
// The mark is the heap size that percent allows, or half of the headroom where little is alive. It is at most four
// fifths of the way to the runtime's goal. A memory limit makes the goal nearer. If GOGC is not the loop's (percent is
// zero), the mark is at these four fifths. From 19 twentieths on, the runtime has probably begun its own collection.
// The runtime begins between 0.7 and 0.95 of the way, or 4 MiB before the goal (gcController.trigger).
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
