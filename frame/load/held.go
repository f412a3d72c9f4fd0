package load

import (
	"container/list"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/workers"
)

// heldDecodes are the decodings that wait for room in Options.Ahead. There is a list for each lane. The most urgent
// decoding starts first. If it finds no room, none starts.
//
// Options.Ahead counts, for a decoding, only those in flight that are at least as urgent. So urgent decodings do not
// wait for the commits of others. Together at most twice Options.Ahead are in flight: otherwise a program that lowers
// priorities after decodes could fill the memory.
//
// Nothing waits without end. Room comes in a task of the loader (uncount): a decode has failed (done), the last request
// has left (requestLeft), or a decoding has moved to another lane (rerank). That task then looks for a held decoding to
// start. Decodes in flight end, and their commits begin, without the held ones.
type heldDecodes [deadline.NumPriorities]list.List

// next returns the element of the decoding that starts first, or nil.
func (h *heldDecodes) next() *list.Element {
	for lane := range h {
		if e := h[lane].Front(); e != nil {
			return e
		}
	}
	return nil
}

// hold makes a job for an attempt and enqueues the decoding. The caller then looks whether one can start.
func (d *decoding[K, T]) hold() {
	d.renew()
	d.enqueue()
}

// renew makes a new job.
func (d *decoding[K, T]) renew() {
	job := &workers.Job{Label: d.ld.o.Label, Priority: d.priority, Func: d.run}
	job.Notify(func() { d.ld.post(func() { d.done(job) }) })
	d.job = job
}

// enqueue puts the decoding behind the held ones of its priority.
func (d *decoding[K, T]) enqueue() { d.held = d.ld.held[d.priority.Lane()].PushBack(d) }

// unhold takes the decoding from the held ones.
func (d *decoding[K, T]) unhold() {
	d.ld.held[d.priority.Lane()].Remove(d.held)
	d.held = nil
}

// startHeld starts held decodings, and then sources, as far as there is room.
func (ld *Loader[K, T]) startHeld() {
	for e := ld.held.next(); e != nil && e.Value.(*decoding[K, T]).submit(); {
		e = ld.held.next()
	}
	ld.sources.admit(ld)
}

// submit gives the job to the pool, and returns false if there is no room for the job.
func (d *decoding[K, T]) submit() bool {
	ld := d.ld
	if !ld.limit.allows(ld.inFlight, d.priority) {
		return false
	}
	d.unhold()
	d.countIn()
	bridge.Of(ld.l.Pool()).SubmitWaiting(d.job)
	return true
}

// countIn counts the decoding as in flight. It is in flight from the pool's queue until its last request
// leaves, or an attempt fails. So its job may not have begun, and may still run after uncount.
func (d *decoding[K, T]) countIn() {
	if d.ld.inFlight == [deadline.NumPriorities]int{} {
		d.ld.limit.restart()
	}
	d.counted = true
	d.ld.inFlight[d.priority.Lane()]++
}

// uncount undoes countIn, and reports whether the decoding counted. The caller then looks whether a held one can start.
func (d *decoding[K, T]) uncount() bool {
	counted := d.counted
	if counted {
		d.counted = false
		d.ld.inFlight[d.priority.Lane()]--
	}
	return counted
}

// retrySoon looks for room in a task of its own, behind those that are submitted.
func (ld *Loader[K, T]) retrySoon() {
	if !ld.willRetry {
		ld.willRetry = true
		ld.s.Submit(&ld.retryHeld)
	}
}

// retry is the task of retrySoon.
func (ld *Loader[K, T]) retry() {
	ld.willRetry = false
	ld.startHeld()
}
