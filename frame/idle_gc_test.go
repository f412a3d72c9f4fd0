package frame

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/heaplook"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

const mb = 1 << 20

// idlePool has nobody who could stand back.
var idlePool = workers.New(workers.Options{Workers: -1})

// newFakeGC returns an idleGC of a heap that is the test's, and which it has looked at.
func newFakeGC(h *heap) *idleGC {
	g := newIdleGC(idlePool, new(sharedGOGC), 100)
	g.read = func() heap {
		now := *h
		now.gogc = uint64(g.gogc)
		return now
	}
	g.collect = func() { h.cycles++ }
	g.move = func(int) bool { return true }
	g.held = func() (int, uint64) { return g.gogc, g.percent }
	g.stay()
	g.looked()
	return g
}

// stay has no time without frames come to an end, however long the machine stands still.
func (g *idleGC) stay() {
	g.lull.Stop()
	g.lull = time.AfterFunc(time.Hour, func() {})
}

const never = deadline.Instant(math.MaxInt64)

// looked is frame, and waits until what it may have begun has ended.
func (g *idleGC) looked() {
	g.frame(never)
	<-g.turn
	g.turn <- struct{}{}
}

func TestIdleGCBeginsBeforeTheRuntimeWould(t *testing.T) {
	h := heap{allocs: 500 * mb, live: 100 * mb, goal: 200 * mb}
	g := newFakeGC(&h)
	for range 100 {
		g.looked()
	}
	if n := g.begun.Load(); n != 0 {
		t.Fatalf("%d collections of a heap that does not grow", n)
	}
	// 80 MB are four fifths of the way. The first time it does not know how the heap grows.
	for round := range uint64(10) {
		from := h.allocs
		for g.begun.Load() == round {
			h.allocs += 3 * mb
			g.looked()
		}
		if n := (h.allocs - from) / mb; n > 95 || n < 72 || round > 0 && n > 81 {
			t.Fatalf("round %d began after %d MB", round, n)
		}
	}
	// What the runtime has collected need not be collected again.
	h.allocs += 60 * mb
	h.cycles++
	g.pause = 0
	g.looked()
	n := g.begun.Load()
	for range 20 {
		h.allocs += mb
		g.looked()
	}
	if got := g.begun.Load(); got != n {
		t.Fatal("collected right after the runtime")
	}
}

// One frame that adds nearly all that there is room for is the runtime's, and forgotten soon.
func TestIdleGCAfterABurst(t *testing.T) {
	h := heap{live: 100 * mb, goal: 200 * mb}
	g := newFakeGC(&h)
	h.allocs += 97 * mb
	g.looked()
	h.cycles++ // by the runtime
	for range 120 {
		h.allocs += mb / 2
		g.looked()
	}
	if n := g.begun.Load(); n > 0 { // after 60 MB of 80: another burst would be in time if it were expected
		t.Fatalf("%d collections after it", n)
	}
}

func TestIdleGCThatComesLateLeavesIt(t *testing.T) {
	h := heap{live: 100 * mb, goal: 200 * mb}
	g := newFakeGC(&h)
	h.allocs += 85 * mb
	g.pause = 0
	g.frame(deadline.Now().Add(-1))
	<-g.turn
	g.turn <- struct{}{}
	if n := g.begun.Load(); n != 0 {
		t.Fatal("began although it was too late in the frame")
	}
	g.looked()
	if n := g.begun.Load(); n != 1 {
		t.Fatal("did not begin in the next frame")
	}
}

func TestIdleGCIsOneAtATime(t *testing.T) {
	h := heap{live: 100 * mb, goal: 200 * mb}
	g := newFakeGC(&h)
	gate := make(chan struct{})
	g.collect = func() {
		<-gate
		<-gate
	}
	h.allocs += 85 * mb
	g.pause = 0
	g.frame(never)
	gate <- struct{}{}
	if heaplook.InProgress() {
		t.Fatal("busy reading during a collection")
	}
	for range 100 {
		g.frame(never)
	}
	if n := g.begun.Load(); n != 1 {
		t.Fatalf("%d collections at once", n)
	}
	closed := make(chan struct{})
	go func() {
		g.close()
		close(closed)
	}()
	for range 100 {
		runtime.Gosched()
	}
	select {
	case <-closed:
		t.Fatal("closed during a collection")
	default:
	}
	gate <- struct{}{}
	<-closed
	for range 100 {
		g.frame(never)
	}
	if n := g.begun.Load(); n != 1 {
		t.Fatal("began one after close")
	}
}

// The Recorder reads metrics too, and does not wait for a look.
func TestTheRecorderDoesNotWaitForALook(t *testing.T) {
	h := heap{live: 100 * mb, goal: 200 * mb}
	g := newFakeGC(&h)
	inside, gate := make(chan struct{}), make(chan struct{})
	g.read = func() heap {
		inside <- struct{}{}
		<-gate
		return h
	}
	r := record.New(record.Options{WarmUp: -1})
	g.pause = 0
	g.frame(never)
	<-inside
	runtime.GC()
	r.Add(record.Record{Number: 1})
	gate <- struct{}{}
	g.close()
	r.Add(record.Record{Number: 2})
	records := r.Snapshot().Records
	if len(records) != 2 || records[0].GCCycles != 0 || records[1].GCCycles == 0 {
		t.Fatalf("%+v", records)
	}
}

func TestIdleGCLooksSeldom(t *testing.T) {
	for _, c := range []struct {
		live, goal, since, growth, want uint64 // the first four in MB
	}{
		{100, 200, 79, 0, maxPause},
		{100, 200, 80, 0, 0},
		{100, 200, 50, 16, 0}, // two frames will bring it there
		{100, 200, 50, 15, 1},
		{100, 200, 50, 7, 2},
		{100, 200, 49, 1000, 1}, // not in the first half
		{100, 200, 50, 0, maxPause},
		{100, 200, 95, 1000, 1},     // the runtime's
		{100, 300, 99, 0, maxPause}, // GOGC is 200, but 100 is wanted
		{100, 300, 100, 0, 0},
		{100, 300, 189, 0, 0},
		{100, 300, 190, 0, 1},
		{100, 300, 62, 1000, 1},
		{100, 300, 63, 1000, 0},
		{2, 68, 31, 0, maxPause}, // little is alive
		{2, 68, 32, 0, 0},
		{100, 250, 99, 0, maxPause}, // a memory limit
		{100, 250, 100, 0, 0},
		{1000, 1500, 399, 0, maxPause},
		{1000, 1500, 400, 0, 0},
		{200, 200, 300, 1000, maxPause}, // a memory limit that is used up
		{200, 210, 300, 1000, maxPause}, // nearly
		{300, 200, 300, 1000, maxPause}, // more than that
	} {
		h := heap{live: c.live * mb, goal: c.goal * mb}
		if got := h.pause(c.since*mb, c.growth*mb, 100); got != c.want {
			t.Errorf("%+v MB: a pause of %d", c, got)
		}
	}
	for _, c := range []struct {
		h           heap // GOGC is somebody else's
		since, want uint64
	}{
		{heap{live: 100, goal: 200}, 79, 1},
		{heap{live: 100, goal: 200}, 80, 0},
		{heap{live: 1, goal: math.MaxUint64}, 1 << 40, maxPause}, // off
		{heap{live: 1 << 40, goal: math.MaxUint64}, 0, maxPause},
	} {
		if got := c.h.pause(c.since, 0, 0); got != c.want {
			t.Errorf("%+v, %d since: a pause of %d, want %d", c.h, c.since, got, c.want)
		}
	}
	h := heap{live: 800 * mb, goal: 2400 * mb}
	g := newFakeGC(&h)
	looks, read := 0, g.read
	g.read = func() heap { looks++; return read() }
	for range 150 {
		h.allocs += 5 * mb
		g.looked()
	}
	if looks > 40 {
		t.Fatalf("%d looks in 150 frames of the 160 to the mark", looks)
	}
}

var garbage [][]byte

// The runtime's own collector and metrics, in a loop.
func TestLoopCollectsWhenIdle(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l := New(Options{GCBetweenFrames: true})
	for i := 0; l.Stats().IdleGCs < 5; i++ {
		if i == 100_000 {
			t.Fatalf("%d collections in %d frames with garbage", l.Stats().IdleGCs, i)
		}
		l.Begin()
		garbage = nil
		for range 16 {
			garbage = append(garbage, make([]byte, 16<<10))
		}
		if i%2 == 0 { // a frame without a slice looks, too
			l.Slice()
		}
		l.End()
		runtime.Gosched()
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	garbage = nil
	runtime.ReadMemStats(&after)
	// The runtime may have been quicker, but then it has collected all the same.
	if n := after.NumGC - before.NumGC; n < 5 || after.NumForcedGC == before.NumForcedGC {
		t.Fatalf("%d collections, %d forced, and Stats said 5 or more", n, after.NumForcedGC-before.NumForcedGC)
	}
	testkit.NoAllocs(t, func() { (*idleGC)(nil).frame(never) })
	g := newIdleGC(idlePool, new(sharedGOGC), 100)
	g.held = func() (int, uint64) { return 100, 100 }
	g.stay()
	testkit.NoAllocs(t, func() { g.read() })
	g.read = func() heap { return heap{goal: 1 << 40} }
	testkit.NoAllocs(t, func() { g.pause = 0; g.looked() })
}

// BenchmarkIdleGC is what a frame pays for the count.
func BenchmarkIdleGC(b *testing.B) {
	g := newIdleGC(idlePool, new(sharedGOGC), 100)
	g.pause = 1 << 62
	b.ReportAllocs()
	for b.Loop() {
		g.frame(never)
	}
}
