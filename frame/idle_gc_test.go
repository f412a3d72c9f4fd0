package frame

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

const mb = 1 << 20

// idlePool has nobody who could stand back.
var idlePool = new(workers.Pool)

// newFakeGC returns an idleGC of a heap that is the test's. Its collections wait for two words from the test.
func newFakeGC(h *heap) (g *idleGC, gate chan struct{}) {
	gate = make(chan struct{})
	g = newIdleGC(idlePool)
	g.used = h.used
	g.read = func() heap { return *h }
	g.collect = func() {
		<-gate
		h.used = h.live
		<-gate
	}
	return g, gate
}

// looked is frame, and waits until what it may have begun has ended.
func (g *idleGC) looked() {
	g.frame()
	<-g.turn
	g.turn <- struct{}{}
}

func TestIdleGCBeginsBeforeTheRuntimeWould(t *testing.T) {
	h := heap{used: 100 * mb, live: 100 * mb, goal: 200 * mb}
	g, _ := newFakeGC(&h)
	g.collect = func() { h.used = h.live }
	for range 100 {
		g.looked()
	}
	if n := g.begun.Load(); n != 0 {
		t.Fatalf("%d collections of a heap that does not grow", n)
	}
	// 180 MB are four fifths of the way. The first time it does not know how the heap grows.
	for round := range uint64(10) {
		for last := h.used; ; last = h.used {
			h.used += 3 * mb
			if g.looked(); g.begun.Load() == round+1 {
				if last += 3 * mb; round > 0 && (last < 175*mb || last > 180*mb) || last < 170*mb || last > 225*mb {
					t.Fatalf("round %d began at %d MB", round, last/mb)
				}
				break
			}
		}
	}
}

func TestIdleGCIsOneAtATime(t *testing.T) {
	h := heap{used: 190 * mb, live: 100 * mb, goal: 200 * mb}
	g, gate := newFakeGC(&h)
	g.frame()
	gate <- struct{}{}
	for range 100 {
		g.frame()
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
	h.used = 190 * mb
	for range 100 {
		g.frame()
	}
	if n := g.begun.Load(); n != 1 {
		t.Fatal("began one after close")
	}
}

func TestIdleGCLooksSeldom(t *testing.T) {
	for _, c := range []struct {
		h      heap
		growth uint64
		want   uint64
	}{
		{heap{used: 179, live: 100, goal: 200}, 0, 1},
		{heap{used: 180, live: 100, goal: 200}, 0, 0},
		{heap{used: 150, live: 100, goal: 200}, 16, 0}, // two frames will bring it there
		{heap{used: 150, live: 100, goal: 200}, 15, 1},
		{heap{used: 150, live: 100, goal: 200}, 7, 2},
		{heap{used: 150, live: 100, goal: 200}, 0, maxPause},
		{heap{used: 210, live: 200, goal: 200}, 1000, maxPause},       // a memory limit that is used up
		{heap{used: 210, live: 200, goal: 210}, 1000, maxPause},       // nearly
		{heap{used: 210, live: 300, goal: 200}, 1000, maxPause},       // more than that
		{heap{used: 1 << 40, live: 1, goal: 1<<64 - 1}, 20, maxPause}, // GOGC=off
		{heap{used: 1 << 40, live: 1 << 40, goal: 1<<64 - 1}, 0, maxPause},
	} {
		if got := c.h.pause(c.growth); got != c.want {
			t.Errorf("%+v growing by %d: a pause of %d, want %d", c.h, c.growth, got, c.want)
		}
	}
	h := heap{used: 100 * mb, live: 100 * mb, goal: 1100 * mb}
	g, _ := newFakeGC(&h)
	looks := 0
	g.read = func() heap { looks++; return h }
	for range 150 {
		h.used += 5 * mb
		g.looked()
	}
	if looks > 40 {
		t.Fatalf("%d looks in 150 frames of the 160 to the mark", looks)
	}
}

var garbage [][]byte

// The runtime's own collector and metrics, in a loop: collections are begun, the heap stays bounded, and none is in
// progress when the loop is closed.
func TestLoopCollectsWhenIdle(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l := New(Options{IdleGC: true})
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
		t.Fatalf("%d collections, %d forced, and Stats says 5", n, after.NumForcedGC-before.NumForcedGC)
	}
	if n := testing.AllocsPerRun(10, (*idleGC)(nil).frame); n != 0 {
		t.Fatal("a loop without it allocates")
	}
	g := newIdleGC(idlePool)
	if n := testing.AllocsPerRun(100, func() { g.read() }); n != 0 {
		t.Fatalf("reading the heap allocates %v times", n)
	}
	g.read = func() heap { return heap{goal: 1 << 40} }
	if n := testing.AllocsPerRun(100, g.looked); n != 0 {
		t.Fatalf("a look allocates %v times", n)
	}
}

// BenchmarkIdleGC is what a frame pays for the count, and for beginning a look, and what the recorder's look at the
// collector costs.
func BenchmarkIdleGC(b *testing.B) {
	b.Run("count", func(b *testing.B) {
		g := newIdleGC(idlePool)
		g.pause = 1 << 62
		b.ReportAllocs()
		for b.Loop() {
			g.frame()
		}
	})
	b.Run("look", func(b *testing.B) {
		g := newIdleGC(idlePool)
		g.read = func() heap { return heap{goal: 1 << 40} }
		b.ReportAllocs()
		for b.Loop() {
			g.pause = 0
			g.looked()
		}
	})
	b.Run("read", func(b *testing.B) {
		read := heapReader()
		b.ReportAllocs()
		for b.Loop() {
			read()
		}
	})
	b.Run("recorder", func(b *testing.B) {
		var g gcMeter
		g.init()
		b.ReportAllocs()
		for b.Loop() {
			g.sample()
		}
	})
}
