package workers

import (
	"context"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/latch"
)

// oneMoreActive is what is added to quiet.activity when a goroutine begins to run jobs: one in the count (the low half)
// and one in the generation (the high half).
const oneMoreActive = 1<<32 | 1

// quiet is how far a pool is, and who may be running jobs: C2 to C4.
type quiet struct {
	state   atomic.Uint32             // every submission reads it
	runners atomic.Pointer[[]*runner] // all that have rested, or nil; every submission reads it
	closers latch.Latch               // calls of Close, which wait until activity is down to closersInJobs

	// Set by New.
	anyQueued  func() bool                         // lanes.anyQueued
	anyOrphan  func(all bool) bool                 // lanes.anyOrphan
	reap       func()                              // ends what is visible in the lanes
	dismiss    func()                              // the same, and tells the workers to leave
	release    func()                              // gives back what the system lent
	runOrphans func(ctx context.Context, all bool) // runs what no worker serves, for Close

	_               [64]byte
	activity        atomic.Uint64 // goroutines that may be running jobs: their count, and a generation
	closersInJobs   atomic.Int32  // how many of them are jobs within Close
	callersInside   atomic.Int32  // how many of them are not workers: in RunUntil, Wait, Close
	onlyClosersLeft atomic.Bool   // the pool was quiet except for jobs within Close
	live            atomic.Int32  // goroutines of workers, and calls that C3 counts
	out             atomic.Bool   // lastOut has begun
	ended           atomic.Bool   // lastOut is over
}

// callerEnters counts a goroutine that is not a worker, before it takes a job to run. The goroutine calls callerLeaves
// when the job has ended.
func (q *quiet) callerEnters() {
	q.callersInside.Add(1)
	q.activity.Add(oneMoreActive)
}

func (q *quiet) callerLeaves() {
	q.callersInside.Add(-1)
	q.activityEnds()
}

// activityEnds undoes activity.Add(oneMoreActive).
func (q *quiet) activityEnds() {
	q.activity.Add(^uint64(0))
	if q.state.Load() != running {
		q.wakeClosers()
	}
}

// afterPush is called after an item has become visible (C1), as the pool may have become gone since the caller looked.
// Either this load sees the state gone. Or the closer, which sweeps the queues after it has set the state, sees the
// item. If no worker takes the item, afterPush wakes a runner (O1). While the pool drains it wakes those that wait in
// Close, because they may have found the item before its slot was filled.
func (q *quiet) afterPush() {
	if q.runners.Load() != nil {
		q.wakeRunners()
	}
	switch q.state.Load() {
	case draining:
		q.wakeClosers()
	case gone:
		q.sweep()
	}
}

// sweep reaps on a goroutine that may not be counted yet as one that runs jobs (C4).
func (q *quiet) sweep() {
	q.callerEnters()
	defer q.callerLeaves()
	q.reap()
}

// isQuiet reports whether nothing runs and nothing is queued. Then nothing ever will, as nothing comes from outside.
// Both readings of activity count nobody, except in Close. The generation shows that nobody began in between. So
// all that was seen in between held at the same time.
func (q *quiet) isQuiet() bool {
	before := q.activity.Load()
	if uint32(before) > uint32(q.closersInJobs.Load()) || q.anyQueued() {
		return false
	}
	return q.activity.Load() == before
}

// countOut takes one out of live, and ends the pool if that was the last one of a pool that is gone (C3).
func (q *quiet) countOut() {
	if q.live.Add(-1) == 0 && q.state.Load() == gone {
		q.lastOut()
	}
}

// lastOut ends the pool, once.
func (q *quiet) lastOut() {
	if q.out.CompareAndSwap(false, true) {
		q.release()
		q.ended.Store(true)
		q.wakeClosers()
	}
}

// isOver reports whether the workers have left and nobody else runs a job of the closed pool.
func (q *quiet) isOver() bool { return q.ended.Load() && q.callersInside.Load() == 0 }

// wakeClosers wakes every goroutine that waits in Close, because some can do what others cannot.
func (q *quiet) wakeClosers() { q.closers.Wake() }
