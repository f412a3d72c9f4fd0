package workers

import (
	"unsafe" // a class is told from others by its address

	"github.com/frameslice/frameslice/deadline"
)

// A state says how far a Job is.
type state uint32

// The states, in order; a submission starts again at queued.
const (
	fresh    state = iota // never submitted
	queued                // waits for a worker
	active                // runs
	finished              // ended, one way or another: see Err
	settling              // within Submit, Cancel or the end of a run
	looking               // a goroutine decides what becomes of it, for about 100 ns: J2
	apart                 // waits outside the lanes: for a place of SubmitIO, or for another Future: IO3, J3

	stateBits = 7 // of Job.state; a class's address has none of them
)

// String names the state, for errors.
func (s state) String() string {
	switch s {
	case fresh:
		return "fresh"
	case active:
		return "running"
	case finished:
		return "finished"
	}
	return "queued"
}

// The protocol of a job's state and its waiters:
//
//	J1  A job's state is stored before its waiters are taken, and a waiter is added before a look at the state again.
//	    So one of them sees the other. As the list is taken as a whole, every waiter is called once.
//	J2  RunUntil takes a job out of its queue, and away from all others (the state looking), to see whether the job
//	    fits. No waiter is called when the job is put back. So a goroutine that finds a job in that state, or fails to
//	    claim a job, looks again and adds no waiter. The job is queued before its entry is visible again.
//
// J3 is at the type link, J4 below, J6 and J8 in find_sift.go, J7 at Notify.

// at returns how far j is.
func (j *Job) at() state { return state(j.state.Load() & stateBits) }

// move changes the state from from to to, and reports whether it was from. The state to is not queued: see enqueue.
func (j *Job) move(from, to state) bool {
	was := j.state.Load()
	return state(was&stateBits) == from && j.state.CompareAndSwap(was, uintptr(to))
}

// set stores the state, which is not queued.
func (j *Job) set(to state) { j.state.Store(uintptr(to)) }

// prepare takes j from its owner: it moves j from fresh or finished to settling, and then to queued. It returns j's
// lane. The caller must not ask j for the lane afterwards: somebody may have canceled j, and changed it.
func (j *Job) prepare(p *Pool) (lane int) {
	j.mustBeFit()
	s := j.at()
	if s == finished {
		j.countRun()
	}
	if s != fresh && s != finished || !j.move(s, settling) {
		panic("workers: Submit of a job that is " + j.at().String())
	}
	j.pool = p
	j.err = nil
	j.stamp(p)
	lane = j.Priority.Lane()
	j.enqueue()
	return lane
}

// mustBeFit panics about a job that cannot be submitted.
func (j *Job) mustBeFit() {
	switch {
	case j == nil:
		panic("workers: Submit of a nil Job")
	case j.at() != fresh && j.at() != finished:
		panic("workers: Submit of a job that is " + j.at().String())
	case j.Func == nil && j.exec == nil:
		panic("workers: Submit of a job without a Func")
	case !j.Priority.Valid():
		panic("workers: Submit of a job with an invalid " + j.Priority.String())
	}
}

// claim makes the caller the goroutine that runs j. A queue may hold stale entries of a job that was canceled, or that
// its waiter claimed. The claim makes them harmless. A goroutine that comes by an entry uses claimFrom.
func (j *Job) claim() bool { return j.move(queued, active) }

// unlook ends lookFrom. If run is true the job is claimed. Otherwise it is queued again, and the caller must put it
// into a queue.
func (j *Job) unlook(run bool) {
	if run {
		j.set(active)
	} else {
		j.enqueue()
	}
}

// leaveApart takes a job that waits for a place, or for another Future, and reports whether it did: IO3, J3.
func (j *Job) leaveApart(to state) bool {
	if !j.move(apart, to) {
		return false
	}
	if j.io {
		j.pool.io.waits.Add(-1)
	}
	return true
}

// An entry of a queue may outlive its purpose. A job that was canceled, or that its waiter claimed, leaves its entry
// behind (J6). The job may be submitted again, to another pool or to another class of workers.
//
//	J4  A job that is queued names the class that it is queued for, in the same word as the state. A goroutine with an
//	    entry claims the job, or looks at it, by a compare-and-swap that names the class of the lane in which the
//	    entry was.
//
// So a goroutine that claims a job by an entry is one that the job was submitted to. An entry of a job that is queued
// for another class is stale, and is thrown away as others are: the job has an entry in a lane of its own class. Wait
// and Cancel come by no entry, and claim the job whatever its class. The word cannot name a class that is gone: then
// the class's queues are gone too, and with them every entry.
//
// job_explore_test.go explores this: two classes with an entry each, of which one is stale, with a mutant.

// queuedFor is the word of a job that is queued for c (J4).
func (c *class) queuedFor() uintptr { return uintptr(unsafe.Pointer(c)) | uintptr(queued) }

// enqueue makes j, which the caller owns, wait for its pool's workers.
func (j *Job) enqueue() { j.state.Store(j.lane().class.queuedFor()) }

// lane returns the lane of j, which its pool has taken and not finished.
func (j *Job) lane() *lane { return &j.pool.lanes[j.Priority.Lane()] }

// claimFrom is claim by an entry of a lane of c.
func (j *Job) claimFrom(c *class) bool { return j.state.CompareAndSwap(c.queuedFor(), uintptr(active)) }

// lookFrom is a claim by an entry of a lane of c that unlook may take back. Between the two the caller may read the
// job's fields.
func (j *Job) lookFrom(c *class) bool { return j.state.CompareAndSwap(c.queuedFor(), uintptr(looking)) }

// countRun counts another run for notices, if there has ever been a notice (J7). The owner calls it, before it takes j.
func (j *Job) countRun() {
	if run := j.run.Load(); run != 0 {
		j.run.Store(max(run+1, 1))
	}
}

// stamp notes when a job of p was submitted, before it is visible.
func (j *Job) stamp(p *Pool) {
	if p.callerProfiler != nil {
		j.since = deadline.Now()
	}
}
