// Package procs raises GOMAXPROCS for pools that want a P for each worker, and lowers it again.
package procs

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A Share is what one pool has added to GOMAXPROCS. Several pools may come and go at once, in any order. Each remembers
// its own share and takes only that back, so the last one to close leaves what was there before the first. If the
// program, or Go, has set another value meanwhile, that value stays: no part of it is a pool's.
type Share struct {
	by    atomic.Int32
	epoch uint32 // all.epoch when it was added
}

// all makes Up an addition. The process has one GOMAXPROCS, which can be read and set, but not added to. If two pools
// read it and set their sums at once, one addition would be lost. all also holds the sum of what pools have added,
// which no pool may take for processors.
var all struct {
	sync.Mutex
	added atomic.Int32
	set   atomic.Int32 // what a pool last set GOMAXPROCS to; 0: no pool has added to it
	epoch uint32       // counts the times that somebody else set GOMAXPROCS while pools had added to it
	ours  bool         // the value before the first pool was Go's default
}

// lookAtProcs finds out whether somebody else has set GOMAXPROCS, and returns GOMAXPROCS. The caller has the lock.
func lookAtProcs() int {
	now := runtime.GOMAXPROCS(0)
	if set := all.set.Load(); set != 0 && int(set) != now {
		all.epoch++
		all.added.Store(0)
		all.set.Store(0)
	}
	return now
}

// Up adds n to GOMAXPROCS, once.
func (r *Share) Up(n int) {
	if n <= 0 {
		return
	}
	all.Lock()
	defer all.Unlock()
	now := lookAtProcs()
	if all.set.Load() == 0 {
		setDefaultProcs()
		all.ours = runtime.GOMAXPROCS(0) == now
	}
	setProcs(now+n, n)
	r.by.Store(int32(n))
	r.epoch = all.epoch
}

// Down takes back what Up has added.
func (r *Share) Down() {
	all.Lock()
	defer all.Unlock()
	n := int(r.by.Swap(0))
	now := lookAtProcs()
	if n == 0 || r.epoch != all.epoch {
		return
	}
	setProcs(max(now-n, 1), -n)
	if all.added.Load() > 0 {
		return
	}
	all.set.Store(0)
	if all.ours {
		setDefaultProcs() // which may have changed; and Go follows the container's limit again
	}
}

// setDefaultProcs sets GOMAXPROCS to Go's default. Go asks which processors the calling thread may use. A worker's
// thread may perhaps use only one. A new goroutine is never on such a thread.
func setDefaultProcs() {
	done := make(chan struct{})
	go func() {
		runtime.SetDefaultGOMAXPROCS()
		close(done)
	}()
	<-done
}

// setProcs sets GOMAXPROCS, of which the pools' part changes by n.
func setProcs(to, n int) {
	runtime.GOMAXPROCS(to)
	all.set.Store(int32(to))
	all.added.Add(int32(n))
}

// Others returns GOMAXPROCS without what pools have added. While a pool adds to it, or takes back, the result may be
// wrong by that number, as the words change one after the other. So a caller must check a change with Settled.
func Others() int {
	now := runtime.GOMAXPROCS(0)
	if int(all.set.Load()) != now {
		return now
	}
	return now - int(all.added.Load())
}

// Settled is Others while nobody changes GOMAXPROCS. It is for a result that stays until GOMAXPROCS changes again. It
// waits for a lock, so it is not for the frame goroutine.
func Settled() int {
	all.Lock()
	defer all.Unlock()
	return Others()
}

// By returns how much Up has added and Down has not taken back.
func (r *Share) By() int { return int(r.by.Load()) }

// HalfWay calls during while GOMAXPROCS is n, and the pools' part of it is not settled. It is for tests.
func HalfWay(n int, during func()) {
	all.Lock()
	defer all.Unlock()
	all.set.Store(int32(n))
	all.added.Add(1)
	during()
	all.added.Add(-1)
	all.set.Store(0)
}
