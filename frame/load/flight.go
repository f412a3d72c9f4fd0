package load

import (
	"context"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// flight is one key under way, for those who want it. It belongs to the tasks, but for decode, which is the
// job, and for what is atomic.
//
// A flight is ended when there is a result to commit, and unwanted when nobody is left to commit it; then it
// is not in the map any more, nor when a commit has begun. The end of an unwanted flight's job is heard and ignored.
//
//   - L1. A request commits, with what a decode for it has come to, or is canceled: one compare-and-swap of its state.
//     The state is Loaded or Failed from when the commit has returned, panicked or called Goexit. A cancellation
//     is followed by a task. If that comes before the one that begins, that sees the state.
//   - L2. A flight is in the map while it may be joined: until the last has left, in that task, or the first commit
//     begins. A job that was canceled before it began, because its priority has changed, is another one than the
//     flight's, and its end is ignored. So nobody gets the cancellation of another.
//   - L3. The job of an unwanted flight ends by itself, by Cancel before it begins, or by its context: see cancel
//     below.
//   - L4. A flight is counted ahead from when its job is the pool's until its last has left or an attempt has failed.
//     Whatever frees a place, grants one more, or puts a flight among those that are held, is followed by a look, in
//     that task or in another.
//
// flight_model_test.go explores them, with eight mutants; Slot.Finish and the counters are not in it, but in
// script_test.go, whose scripts are random.
type flight[K comparable, T any] struct {
	ld     *Loader[K, T]
	key    K
	wanted requests[K, T]
	tries  int
	ended  bool
	job    *workers.Job
	timer  *scheduler.Task // of the next attempt
	held   int             // 1 + the index in held; 0 if the pool has the job
	ahead  bool            // counted in the loader's ahead
	seq    uint64          // counts flights, in the order of asking
	meter  *Meter

	// The priorities that those who want it have, and the most urgent ones, which are the flight's.
	wants            [2]askers
	decodes, commits deadline.Priority

	// The job writes them, and the flight reads them after it has learned that the job has finished.
	value T
	err   error

	// The job stores cancel and then looks at unwanted; who cancels stores unwanted and then looks at cancel:
	// so one of them sees the other, and the job's context ends.
	unwanted atomic.Bool
	cancel   atomic.Pointer[context.CancelCauseFunc]
}

// start begins an attempt.
func (f *flight[K, T]) start() {
	f.tries++
	f.timer = nil
	f.meter = &Meter{count: &f.ld.count}
	if f.queue() {
		f.ld.unhold()
	}
}

// decode is the job.
func (f *flight[K, T]) decode(*workers.Worker) {
	ctx, cancel := context.WithCancelCause(f.ld.s.Context())
	defer cancel(nil)
	f.cancel.Store(&cancel)
	if f.unwanted.Load() || ctx.Err() != nil {
		f.err = scheduler.ErrCanceled
		return
	}
	f.value, f.err = f.ld.decode(ctx, f.key, f.meter)
}

// landed is the end of an attempt, unless its job had to be replaced before it began.
func (f *flight[K, T]) landed(job *workers.Job) {
	if job != f.job {
		return
	}
	err := job.Err() // a panic, a Goexit, or that the pool was closed
	if err == nil {
		err = f.err
	}
	if err != nil {
		f.vacate() // there is no value that waits
	}
	f.ld.unhold()
	if f.unwanted.Load() {
		f.meter.forget()
		return
	}
	if err == nil {
		f.end(nil)
		return
	}
	f.meter.forget()
	var zero T
	f.value = zero
	again := false
	defer func() { // deferred, because Retry may panic: then there is none
		if !again {
			f.end(err)
		}
	}()
	if f.tries < f.ld.o.Attempts && f.ld.o.Retry(err) {
		again = true
		f.retry()
	}
}

// end has those who want it commit what there is.
func (f *flight[K, T]) end(err error) {
	f.err, f.ended = err, true
	for r := f.wanted.first; r != nil; r = r.next {
		f.ld.s.Submit(&r.task)
	}
}

func (f *flight[K, T]) retry() {
	f.ld.count.retried.Add(1)
	wait := f.ld.o.Backoff
	for n := 1; n < f.tries && wait < f.ld.o.MaxBackoff; n++ {
		wait += min(wait, f.ld.o.MaxBackoff-wait) // twice as long, without an overflow
	}
	f.err = nil
	f.timer = &scheduler.Task{Label: f.ld.name, Delay: min(wait, f.ld.o.MaxBackoff), Func: f.start}
	f.ld.s.Submit(f.timer)
}

// drop takes out a request that was committed or canceled. The last one ends the flight.
func (f *flight[K, T]) drop(r *request[K, T]) {
	f.wanted.remove(r)
	f.count(r.rank, -1)
	if f.wanted.first != nil {
		f.rerank()
		return
	}
	f.retire()
	f.vacate()
	if f.ended {
		return
	}
	f.unwanted.Store(true)
	if f.timer != nil {
		f.timer.Cancel()
	}
	if f.unqueue() {
		return
	}
	f.job.Cancel()
	if cancel := f.cancel.Load(); cancel != nil {
		go (*cancel)(scheduler.ErrCanceled) // elsewhere, because it takes locks and calls who waits
	}
}

// retire has the next request for the key start another flight: this one is unwanted, or its first commit begins.
// (Were it open until its last, requests made in commits could keep it, and its value, for ever.)
func (f *flight[K, T]) retire() {
	if f.ld.flights[f.key] == f {
		delete(f.ld.flights, f.key)
	}
}

// counters are a Loader's Progress.
type counters struct {
	total, loaded, failed, canceled, retried, bytes, totalBytes atomic.Int64
}

// Progress says how far a Loader is. Counts are totals since New: a loading screen keeps the Progress
// from before and asks for Since, or has a Loader of its own, which costs next to nothing and knows nothing of what
// other scenes load.
type Progress struct {
	Total    int // requests made
	Loaded   int // of them: committed with a value
	Failed   int // committed with an error, or the commit panicked or called Goexit
	Canceled int // canceled; those that Close ends are not counted

	Retried int // attempts after the first

	// Bytes and TotalBytes are what decode functions told their Meters; those of failed and canceled attempts
	// are taken back when the attempt has ended.
	Bytes, TotalBytes int64
}

// Progress returns how far the loader is. Any goroutine; a moment's view.
func (ld *Loader[K, T]) Progress() Progress {
	c := &ld.count
	return Progress{
		Loaded: int(c.loaded.Load()), Failed: int(c.failed.Load()), Canceled: int(c.canceled.Load()),
		Retried: int(c.retried.Load()), Bytes: c.bytes.Load(), TotalBytes: c.totalBytes.Load(),
		Total: int(c.total.Load()), // last, so that it is not less than the sum of the others
	}
}

// Since returns what has happened since p was before. What was under way then is still to be done: Total counts it
// beside what was asked for since, and TotalBytes what was missing of it; else its end, be it that the scene before
// is canceled, would count for requests that have not ended. So Fraction is 1 when all have, and not sooner.
func (p Progress) Since(before Progress) Progress {
	since := Progress{
		Total: p.Total - before.Done(), Loaded: p.Loaded - before.Loaded, Failed: p.Failed - before.Failed,
		Canceled: p.Canceled - before.Canceled, Retried: p.Retried - before.Retried,
		Bytes: p.Bytes - before.Bytes, TotalBytes: p.TotalBytes - before.Bytes,
	}
	if back := since.Bytes; back < 0 { // more was taken back of what came before than was decoded since
		since.Bytes, since.TotalBytes = 0, since.TotalBytes-back
	}
	return since
}

// Done returns how many requests have ended, one way or another.
func (p Progress) Done() int { return p.Loaded + p.Failed + p.Canceled }

// Fraction returns Done of Total, from 0 to 1; 1 if there was nothing to load.
func (p Progress) Fraction() float64 {
	if p.Total <= 0 {
		return 1
	}
	return float64(p.Done()) / float64(p.Total)
}

// Meter tells how far a decode is. Its methods may be called from any goroutine until decode returns.
type Meter struct {
	count       *counters
	done, total atomic.Int64
}

// SetTotal says how many bytes there are, as soon as that is known.
func (m *Meter) SetTotal(n int64) { m.count.totalBytes.Add(n - m.total.Swap(n)) }

// Add says that n more bytes are decoded.
func (m *Meter) Add(n int64) {
	m.done.Add(n)
	m.count.bytes.Add(n)
}

// forget takes back what an attempt has told.
func (m *Meter) forget() {
	m.count.bytes.Add(-m.done.Swap(0))
	m.count.totalBytes.Add(-m.total.Swap(0))
}
