package load

import (
	"container/list"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// decoding is one key that is being loaded, for the requests that want it. Only tasks touch it, except run, which is
// the job's function, the atomic fields, and what source.go does on other goroutines.
//
// A decoding has ended when there is a result to commit. If its last request leaves before that, the decoding is
// unwanted, and the end of its job is ignored.
//
//   - L1. A request commits, with the result of a decode for that request, or it is canceled. One compare-and-swap of
//     the request's state decides. The state is Loaded or Failed when the commit has returned, panicked or called
//     Goexit. A task follows each cancellation. If that task comes before begin, begin sees the state.
//   - L2. A decoding is in the map while a request may join it: until its last request has left, in the same task, or
//     until its first commit begins. If a job is canceled before it began, because its priority has changed, another
//     job replaces it, and the end of the first is ignored. So no request gets the cancellation of another.
//   - L3. The job of an unwanted decoding ends by itself, by Job.Cancel before it begins, or by its context.
//   - L4. A decoding counts as in flight from when the pool has its job until its last request has left or an attempt
//     has failed. Every task that makes room, or that puts a decoding among the held ones, looks whether a held one can
//     start, in the same task or in another.
//
// decode_explore_test.go runs jobBegins and nobodyWants of L3, and wait_explore_test.go the compare-and-swap of L1. The
// rest belongs to tasks, which exclude each other: loader_model_test.go tests that, and the counters, with random
// scripts.
type decoding[K comparable, T any] struct {
	ld       *Loader[K, T]
	key      K
	wanted   list.List                   // of *request[K, T], in the order of asking
	wants    [deadline.NumPriorities]int // the requests, by lane
	priority deadline.Priority           // the most urgent one of wanted
	attempts int
	ended    bool
	job      *workers.Job
	timer    *scheduler.Task // of the next attempt
	held     *list.Element   // in Loader.held; nil if the pool has the job
	counted  bool            // in Loader.inFlight
	meter    *Meter
	fetching *fetching // in the first stage, or nil
	data     []byte    // from the source, until they are decoded; the job reads them

	// The job writes these, and the tasks read them when they know that the job has finished.
	value T
	err   error

	interest
}

// interest is what the job and the tasks tell each other (L3). The job stores cancel and then loads unwanted. A task
// stores unwanted and then loads cancel. So one of them sees what the other has stored, and the job's context ends.
type interest struct {
	unwanted atomic.Bool
	cancel   atomic.Pointer[context.CancelCauseFunc]
}

// jobBegins notes how the context of the job ends. The job calls it first. It reports whether somebody wants the value.
func (i *interest) jobBegins(cancel *context.CancelCauseFunc) (wanted bool) {
	i.cancel.Store(cancel)
	return !i.unwanted.Load()
}

// nobodyWants is for the task with which the last request leaves. It returns how the context of the latest job that has
// begun ends, or nil. A job that begins later sees unwanted.
func (i *interest) nobodyWants() (cancel *context.CancelCauseFunc) {
	i.unwanted.Store(true)
	return i.cancel.Load()
}

// start begins an attempt.
func (d *decoding[K, T]) start() {
	d.attempts++
	d.timer = nil
	d.meter = &Meter{count: &d.ld.count}
	if d.ld.sources.get != nil {
		d.fetch()
		d.ld.startHeld()
		return
	}
	if d.hold(); d.ld.held.next() == d.held { // otherwise an earlier one has found no room
		d.ld.startHeld()
	}
}

// run is the job.
func (d *decoding[K, T]) run(w *workers.Worker) {
	ctx := d.ld.s.Context()
	if bridge.Of(d.ld.l.Pool()).InSlice(w) {
		ctx = context.WithValue(ctx, turn{}, w) // for Pieces
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !d.jobBegins(&cancel) || ctx.Err() != nil {
		d.err = scheduler.ErrCanceled
		return
	}
	d.value, d.err = d.ld.decode(ctx, d)
}

// done is the end of an attempt, unless another job has replaced the attempt's job.
func (d *decoding[K, T]) done(job *workers.Job) {
	if job != d.job {
		return
	}
	err := job.Err() // a panic, a Goexit, or that the pool was closed
	if err == nil {
		err = d.err
	}
	if err != nil {
		d.uncount() // there is no value that waits
	}
	d.ld.startHeld()
	d.data = nil
	if d.unwanted.Load() {
		d.meter.forget()
		return
	}
	if err == nil {
		d.end(nil)
		return
	}
	d.meter.forget()
	var zero T
	d.value = zero
	if d.ld.sources.get != nil { // the same bytes would fail again
		d.end(err)
		return
	}
	d.failed(err, worthRetrying(err), 0)
}

// failed starts the next attempt after a pause, or ends the decoding.
func (d *decoding[K, T]) failed(err error, again bool, least time.Duration) {
	if d.attempts >= d.ld.o.Attempts || !again {
		d.end(err)
		return
	}
	pause := min(firstPause<<min(d.attempts-1, 10), mostPause)
	if d.ld.sources.get != nil {
		pause = d.ld.shorten(pause) // so that not all clients of a server come back at once
	}
	d.err = nil
	d.timer = &scheduler.Task{Label: d.ld.loaderKind, Delay: max(pause, least), Func: d.start}
	d.ld.s.Submit(d.timer)
}

// shorten takes up to a half off a pause, at random.
func (ld *Loader[K, T]) shorten(pause time.Duration) time.Duration {
	if d := bridge.Of(ld.s).Dice(); d != nil {
		return d.Pause(pause)
	}
	return pause - rand.N(pause/2)
}

// end has the requests commit the result.
func (d *decoding[K, T]) end(err error) {
	d.err, d.ended = err, true
	for e := d.wanted.Front(); e != nil; e = e.Next() {
		d.ld.s.Submit(&e.Value.(*request[K, T]).task)
	}
}

func worthRetrying(err error) bool {
	var pe *workers.PanicError
	return !errors.As(err, &pe) && !errors.Is(err, workers.ErrGoexit) && !errors.Is(err, workers.ErrClosed) &&
		!errors.Is(err, context.Canceled)
}

// requestLeft runs when a request has left. The decoding ends with its last request.
func (d *decoding[K, T]) requestLeft() {
	if d.wanted.Len() > 0 {
		d.rerank()
		return
	}
	d.close()
	d.uncount()
	if d.ended {
		return
	}
	cancel := d.nobodyWants()
	if d.timer != nil {
		d.timer.Cancel()
	}
	if d.stopFetching() {
		return
	}
	if d.held != nil {
		d.unhold()
		d.data = nil // no job reads them; if the pool had the job, done would drop them
		d.meter.forget()
		return
	}
	if d.job == nil { // between two attempts of a source
		return
	}
	if d.job.Cancel() {
		d.data = nil
	}
	if cancel != nil {
		go (*cancel)(scheduler.ErrCanceled) // elsewhere: it takes locks and calls foreign functions
	}
}

// close makes the next request for the key start another decoding: this one is unwanted, or its first commit begins.
// (If it were open until its last commit, requests made in commits could keep it, and its value, without end.)
func (d *decoding[K, T]) close() {
	if d.ld.decodes[d.key] == d {
		delete(d.ld.decodes, d.key)
	}
}

// rerank gives the decoding the most urgent priority of its requests, and reports whether that changed anything. The
// caller then looks whether a held one can start.
func (d *decoding[K, T]) rerank() bool {
	p := deadline.Normal
	if lane := slices.IndexFunc(d.wants[:], func(n int) bool { return n > 0 }); lane >= 0 {
		p = deadline.Priorities()[lane]
	}
	if p == d.priority {
		return false
	}
	if d.leaveSources() {
		d.priority = p
		d.fetch()
		return true
	}
	if d.held != nil {
		d.unhold()
		d.priority, d.job.Priority = p, p
		d.enqueue()
		return true
	}
	counted := d.uncount()
	d.priority = p
	if d.job != nil && d.job.Cancel() { // it has not begun
		d.hold()
	} else if counted {
		d.countIn()
	}
	return true
}
