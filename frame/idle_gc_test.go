package frame

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

const mb = 1 << 20

// idlePool has nobody who could stand back.
var idlePool = new(workers.Pool)

// newFakeGC returns an idleGC of a heap that is the test's, and which it has looked at.
func newFakeGC(h *heap) *idleGC {
	g := newIdleGC(idlePool, 100)
	g.read = func() heap { return *h }
	g.collect = func() { h.cycles++ }
	g.looked()
	return g
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
	for range 50 {
		h.allocs += mb / 2
		g.looked()
	}
	if n := g.begun.Load(); n > 0 {
		t.Fatalf("%d collections after it", n)
	}
	h.allocs += 35 * mb // 60 in all, and as much may come at once again
	for range 8 {
		g.looked()
	}
	if n := g.begun.Load(); n > 1 {
		t.Fatalf("%d collections", n)
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
	if g.busy() {
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
	r := NewRecorder(RecorderOptions{WarmUp: -1})
	r.idle = g
	g.pause = 0
	g.frame(never)
	<-inside
	runtime.GC()
	r.Add(Record{Number: 1})
	gate <- struct{}{}
	g.close()
	r.Add(Record{Number: 2})
	records := r.Snapshot().Records
	if len(records) != 2 || records[0].GCCycles != 0 || records[1].GCCycles == 0 {
		t.Fatalf("%+v", records)
	}
}

func TestIdleGCLooksSeldom(t *testing.T) {
	for _, c := range []struct {
		h             heap
		since, growth uint64
		want          uint64
	}{
		{heap{live: 100, goal: 200}, 79, 0, 1},
		{heap{live: 100, goal: 200}, 80, 0, 0},
		{heap{live: 100, goal: 200}, 50, 16, 0}, // two frames will bring it there
		{heap{live: 100, goal: 200}, 50, 15, 1},
		{heap{live: 100, goal: 200}, 50, 7, 2},
		{heap{live: 100, goal: 200}, 49, 1000, 1}, // not in the first half
		{heap{live: 100, goal: 200}, 50, 0, maxPause},
		{heap{live: 100, goal: 200}, 95, 1000, 1}, // the runtime's
		{heap{live: 100, goal: 300}, 99, 0, 1},    // GOGC is 200, but 100 is wanted
		{heap{live: 100, goal: 300}, 100, 0, 0},
		{heap{live: 100, goal: 300}, 189, 0, 0},
		{heap{live: 100, goal: 300}, 190, 0, 1},
		{heap{live: 100, goal: 300}, 59, 1000, 1},
		{heap{live: 100, goal: 300}, 60, 1000, 0},
		{heap{live: 1, goal: 801}, 399, 0, 1}, // the least goal, which GOGC makes higher, too
		{heap{live: 1, goal: 801}, 400, 0, 0},
		{heap{live: 100, goal: 250}, 99, 0, 1}, // a memory limit
		{heap{live: 100, goal: 250}, 100, 0, 0},
		{heap{live: 1000, goal: 1500}, 399, 0, 1},
		{heap{live: 1000, goal: 1500}, 400, 0, 0},
		{heap{live: 200, goal: 200}, 300, 1000, maxPause},            // a memory limit that is used up
		{heap{live: 200, goal: 210}, 300, 1000, maxPause},            // nearly
		{heap{live: 300, goal: 200}, 300, 1000, maxPause},            // more than that
		{heap{live: 1, goal: math.MaxUint64}, 1 << 40, 20, maxPause}, // GOGC=off
		{heap{live: 1 << 40, goal: math.MaxUint64}, 0, 0, maxPause},
	} {
		if got := c.h.pause(c.since, c.growth, 100); got != c.want {
			t.Errorf("%+v, %d since, growing by %d: a pause of %d, want %d", c.h, c.since, c.growth, got, c.want)
		}
	}
	limited := heap{live: 100, goal: 200} // GOGC is off
	for since, want := range map[uint64]uint64{79: 1, 80: 0} {
		if got := limited.pause(since, 0, 0); got != want {
			t.Errorf("up to a memory limit only, %d since: a pause of %d, want %d", since, got, want)
		}
	}
	h := heap{live: 100 * mb, goal: 1100 * mb}
	g := newFakeGC(&h)
	looks := 0
	g.read = func() heap { looks++; return h }
	for range 150 {
		h.allocs += 5 * mb
		g.looked()
	}
	if looks > 40 {
		t.Fatalf("%d looks in 150 frames of the 160 to the mark", looks)
	}
}

// GOGC is what was wanted times two until Close, unless the program has set it since.
func TestIdleGCKeepsTheRuntimesAway(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(130))
	for _, c := range []struct {
		before, option, open int
		wanted               uint64
	}{
		{130, 0, 260, 130}, {130, 75, 150, 75}, {-1, 0, -1, 0}, {-1, 50, 100, 50}, {130, -1, -1, 0},
		{130, math.MaxInt32/2 + 1, math.MaxInt32/2 + 1, 0},
	} {
		debug.SetGCPercent(c.before)
		l := New(Options{IdleGC: true, GCPercent: c.option})
		if got, _ := collectorSettings(); got != c.open || l.idle.percent != c.wanted {
			t.Errorf("%+v: GOGC %d, for %d", c, got, l.idle.percent)
		}
		l.Close()
		if got, _ := collectorSettings(); got != c.before {
			t.Errorf("%+v: GOGC %d after Close", c, got)
		}
	}
	l := New(Options{IdleGC: true})
	debug.SetGCPercent(77)
	l.Close()
	if got, _ := collectorSettings(); got != 77 {
		t.Errorf("GOGC %d after Close, want the 77 that was set meanwhile", got)
	}
}

var garbage [][]byte

// The runtime's own collector and metrics, in a loop.
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
		t.Fatalf("%d collections, %d forced, and Stats said 5 or more", n, after.NumForcedGC-before.NumForcedGC)
	}
	if n := testing.AllocsPerRun(10, func() { (*idleGC)(nil).frame(never) }); n != 0 {
		t.Fatal("a loop without it allocates")
	}
	g := newIdleGC(idlePool, 100)
	if n := testing.AllocsPerRun(100, func() { g.read() }); n != 0 {
		t.Fatalf("reading the heap allocates %v times", n)
	}
	g.read = func() heap { return heap{goal: 1 << 40} }
	if n := testing.AllocsPerRun(100, func() { g.pause = 0; g.looked() }); n != 0 {
		t.Fatalf("a look allocates %v times", n)
	}
}

// BenchmarkIdleGC is what a frame pays for the count, and for beginning a look, and what the recorder's look at the
// collector costs.
func BenchmarkIdleGC(b *testing.B) {
	b.Run("count", func(b *testing.B) {
		g := newIdleGC(idlePool, 100)
		g.pause = 1 << 62
		b.ReportAllocs()
		for b.Loop() {
			g.frame(never)
		}
	})
	b.Run("look", func(b *testing.B) {
		g := newIdleGC(idlePool, 100)
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
