package sleep

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A Spin says how long a worker looks for work before it sleeps.
//
// A frame forks again and again, some tens of µs apart, and a wake-up takes longer than that. A burst lasts from
// SetBurst(true) to SetBurst(false). Within a burst a worker that runs out of work stays awake and looks for more, for
// as long as that pays:
//
//   - No more workers at a time than SetPlaces has said, so that a processor is always free for the frame.
//   - Until the window is over. The window is Most after a pause in the work that was not longer than Most. After a
//     longer pause it becomes a quarter less. So a frame that forks once, or whose jobs are rare, soon pays nothing.
//   - Not for a time after 16 looks have taken longer than Torn. Then the thread was descheduled, because another
//     thread needs the processor. That time is 1 ms. It doubles each time that this happens again, up to Pause, and
//     halves each time that staying awake has paid.
//
// In the worst case each such worker wastes Most after its last work in a burst.
type Spin struct {
	Looks int           // outside of bursts
	Most  time.Duration // the longest window
	First time.Duration // the window to begin with
	Torn  time.Duration
	Pause time.Duration
	// Hot bounds the looks within a burst, because in virtual time the clock stands still meanwhile.
	Hot int
}

// A burst is what a Set has learned about staying awake.
type burst struct {
	on     atomic.Bool
	places atomic.Int32 // how many workers may stay awake
	taken  atomic.Int32 // how many do
	window atomic.Int64 // ns
	until  atomic.Int64 // an Instant: before it nobody stays awake
	pause  atomic.Int64 // ns: how long nobody will, after the next torn look
}

// SetSpin says how long members look for work. The zero Spin means no looks. Call SetSpin before the first Join.
func (s *Set) SetSpin(o Spin) {
	s.spin = o
	s.burst.window.Store(int64(o.First))
}

// SetBurst says that work now comes in bursts, or not any more. Any goroutine; one store.
func (s *Set) SetBurst(on bool) { s.burst.on.Store(on) }

// SetPlaces says how many members may stay awake in a burst. Any goroutine.
func (s *Set) SetPlaces(n int) { s.burst.places.Store(int32(n)) }

// Places returns how many members may stay awake in a burst.
func (s *Set) Places() int { return int(s.burst.places.Load()) }

// look searches for a while, as a searcher, and reports whether it found work.
func (x *Sleeper) look() bool {
	b, o := &x.set.burst, &x.set.spin
	for range o.Looks {
		if x.worker.Search() {
			return true
		}
		Pause()
	}
	if !b.on.Load() || b.window.Load() == 0 || b.taken.Load() >= b.places.Load() {
		return false
	}
	ok := b.taken.Add(1) <= b.places.Load() && x.stayAwake(b, o)
	b.taken.Add(-1)
	return ok
}

// stayAwake searches until the window or the burst is over.
func (x *Sleeper) stayAwake(b *burst, o *Spin) bool {
	start := deadline.Now()
	if int64(start) < b.until.Load() {
		return false
	}
	window, last := time.Duration(b.window.Load()), start
	for i := 1; i < o.Hot && b.on.Load(); i++ {
		if x.worker.Search() {
			if d := b.pause.Load(); d > int64(time.Millisecond) {
				b.pause.Store(d / 2)
			}
			return true
		}
		Pause()
		if i%16 != 0 {
			continue
		}
		now := deadline.Now()
		if now.Sub(last) > o.Torn {
			d := max(b.pause.Load(), int64(time.Millisecond))
			b.until.Store(int64(now) + d)
			b.pause.Store(min(2*d, int64(o.Pause)))
			return false
		}
		if now.Sub(start) > window {
			return false
		}
		last = now
	}
	return false
}

// pauseBegins and pauseEnds are called when a worker runs out of work and when it has found some. The window is learned
// from the time between the two, asleep or awake.
func (x *Sleeper) pauseBegins() {
	x.since = 0
	if x.set.burst.on.Load() {
		x.since = deadline.Now()
	}
}

func (x *Sleeper) pauseEnds() {
	if x.since == 0 {
		return
	}
	d := deadline.Now().Sub(x.since)
	x.since = 0
	w := &x.set.burst.window
	if old := time.Duration(w.Load()); old != x.set.spin.next(old, d) {
		w.Store(int64(x.set.spin.next(old, d)))
	}
}

// next returns the window after a pause of d.
func (o *Spin) next(old, d time.Duration) time.Duration {
	if d <= o.Most {
		return o.Most
	}
	if old < time.Microsecond {
		return 0
	}
	return old - old/4
}

// Pause is a short pause between two looks that leaves the memory bus alone: about 15 ns.
func Pause() {
	for i := range 32 {
		_ = bits.Reverse(uint(i))
	}
}
