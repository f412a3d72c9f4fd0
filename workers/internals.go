package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
)

// door leads the packages of this module to internals: bridge.Of(p).
type door = bridge.Door[*internals]

// internals are a Pool's verbs for the packages frame and par.
type internals Pool

// ExpectFrame says when the next frame is due. From then until BeginFrame, but at most for trail, background workers
// begin no jobs. A trail that is not positive says that no frame is expected. The frame goroutine, after EndFrame; 10
// ns.
func (p *internals) ExpectFrame(due deadline.Instant, trail time.Duration) {
	p.frameFirst.Expect(due, trail)
}

// StandBack keeps background workers from beginning a job until then, or until the next call. The zero Instant ends it.
// Call StandBack before work that needs every processor, such as runtime.GC. It takes 5 ns.
func (p *internals) StandBack(until deadline.Instant) { p.frameFirst.Until(until) }

// SubmitWaiting is Pool.Submit for a job that may wait for something outside, such as a file or a network. Beside
// workers of its lane the job never runs in RunUntil. While it waits another worker takes its place: see
// class_waits.go. The job keeps this when it is submitted again.
func (p *internals) SubmitWaiting(j *Job) {
	j.waits = true
	(*Pool)(p).Submit(j)
}

// LendPlace has another worker take the place of the worker whose job calls, until TakeBack, as within Blocking. It is
// for a goroutine that is about to wait. Elsewhere it does nothing.
func (p *internals) LendPlace() loan { return (*Pool)(p).lendPlace(nil) }

// InSlice reports whether the job that w was given to runs in a RunUntil, which Worker.Yield leaves.
func (p *internals) InSlice(w *Worker) bool { return w.role == yielderRole }

// EndContexts ends the contexts of all jobs, also of those that begin later, with ErrClosed as the cause. Functions of
// SubmitIO that have not begun end with ErrClosed. Any goroutine.
func (p *internals) EndContexts() {
	p.lives.pool.cancel(ErrClosed)
	p.io.dropIO()
}
