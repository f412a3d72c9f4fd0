package workers

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A frame forks in bursts, some tens of µs apart, and a wake-up takes longer than that. So between BeginFrame and
// EndFrame a worker that runs out of work stays awake and looks for more, for as long as it pays:
//
//   - one worker less than there are processors at most, so that one is always free for the frame, and none on
//     one processor;
//   - until the window is over: hotMost after a pause between two works that was not longer, and a quarter less
//     after each that was, so a frame that forks once, or whose jobs are rare, soon pays nothing;
//   - not for a while after a look that took longer than hotTorn, since then the thread was descheduled: somebody
//     else needs the processor, and staying awake would make both late. The while is 1 ms, twice as long each
//     time that this happens again, up to 64 ms, and half as long each time that staying awake has paid.
//
// In the worst case each worker that may wastes hotMost after its last work in a frame. Outside of frames it is
// linger looks, about 2 µs, half of what a wake-up costs the one who wakes.
const (
	linger   = 20
	hotMost  = 200 * time.Microsecond
	hotFirst = 50 * time.Microsecond
	hotTorn  = 100 * time.Microsecond
	hotPause = 64 * time.Millisecond

	// hotLooks bounds the looks too: in virtual time the clock stands still meanwhile.
	hotLooks = 5000
)

// A heat is what a crew knows about staying awake.
type heat struct {
	places atomic.Int32 // how many workers may
	taken  atomic.Int32 // and how many do
	window atomic.Int64 // ns
	until  atomic.Int64 // an Instant: nobody stays awake before
	pause  atomic.Int64 // ns, how long it will be next time
}

// linger looks for work for a while, as a searcher, and reports whether it found some.
func (w *Worker) linger() bool {
	if w.crew.low {
		return false
	}
	for range linger {
		if w.next() {
			return true
		}
		spin()
	}
	h := &w.crew.heat
	if !w.pool.hot.Load() || h.window.Load() == 0 || h.taken.Load() >= h.places.Load() {
		return false
	}
	ok := h.taken.Add(1) <= h.places.Load() && w.stayHot(h)
	h.taken.Add(-1)
	return ok
}

// stayHot looks for work until the window or the frame is over.
func (w *Worker) stayHot(h *heat) bool {
	start := deadline.Now()
	if int64(start) < h.until.Load() {
		return false
	}
	window, last := time.Duration(h.window.Load()), start
	for i := 1; i < hotLooks && w.pool.hot.Load(); i++ {
		if w.next() {
			if d := h.pause.Load(); d > int64(time.Millisecond) {
				h.pause.Store(d / 2)
			}
			return true
		}
		spin()
		if i%16 != 0 {
			continue
		}
		now := deadline.Now()
		if now.Sub(last) > hotTorn {
			d := max(h.pause.Load(), int64(time.Millisecond))
			h.until.Store(int64(now) + d)
			h.pause.Store(min(2*d, int64(hotPause)))
			return false
		}
		if now.Sub(start) > window {
			return false
		}
		last = now
	}
	return false
}

// pauseBegins and pauseEnds are called when a worker runs out of work and when it has found some: what lies
// between, asleep or awake, is what the window is to be learned from.
func (w *Worker) pauseBegins() {
	w.since = 0
	if w.pool.hot.Load() && !w.crew.low {
		w.since = deadline.Now()
	}
}

func (w *Worker) pauseEnds() {
	if w.since == 0 {
		return
	}
	d := deadline.Now().Sub(w.since)
	w.since = 0
	h := &w.crew.heat
	if old := time.Duration(h.window.Load()); old != nextWindow(old, d) {
		h.window.Store(int64(nextWindow(old, d)))
	}
}

// nextWindow returns the window after a pause of d.
func nextWindow(old, d time.Duration) time.Duration {
	if d <= hotMost {
		return hotMost
	}
	if old < time.Microsecond {
		return 0
	}
	return old - old/4
}

// setPlaces adapts to the number of Ps that the program has without those of this pool. A quota is not for
// staying awake: there are no places under one.
func (p *Pool) setPlaces() {
	n := min(p.procs.settled(), runtime.NumCPU()) - 1
	if p.site.whole.Load() != 0 {
		n = 0
	}
	p.crews[ordinary].heat.places.Store(int32(max(n, 0)))
}
