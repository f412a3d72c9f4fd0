package ticks

import (
	"fmt"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A Kind is work of one function, whose results arrive a fixed number of ticks after their Submit.
type Kind[In comparable, Out any] struct {
	clock   *Clock
	label   string
	number  uint64
	delay   int64
	f       func(In) Out
	deliver func(In, Out)
	free    []*run[In, Out]
}

// NewKind returns a Kind of c. The label names the work in reports and errors. All machines create their kinds in the
// same order.
//
// The function f must be pure: it runs on any goroutine, at any time before its tick. It does not run again when a tick
// is simulated again with the same argument. Begin calls deliver with the argument and the result, on the goroutine of
// the simulation. Neither function may change what an argument or a result points to, because both may arrive again
// after a Rewind.
//
// Delay is from 1 to 240 ticks. With a longer delay fewer ticks wait: choose the longest that the game can bear.
func NewKind[In comparable, Out any](
	c *Clock, label string, delay int, f func(In) Out, deliver func(In, Out),
) *Kind[In, Out] {
	switch {
	case c == nil:
		panic("ticks: NewKind without a Clock")
	case delay < 1 || delay > maxDelay:
		panic(fmt.Sprintf("ticks: NewKind with a delay of %d, which is not 1 to %d", delay, maxDelay))
	case f == nil || deliver == nil:
		panic("ticks: NewKind with a nil function")
	}
	c.kinds++
	return &Kind[In, Out]{clock: c, label: label, number: c.kinds, delay: int64(delay), f: f, deliver: deliver}
}

// Submit has f(in) computed beside the simulation. Its result arrives in the tick that is the kind's delay from now. It
// never blocks, and allocates only while more results are under way than ever before.
//
// The job is urgent (deadline.UserBlocking), so that no worker of low priority holds the simulation up.
func (k *Kind[In, Out]) Submit(in In) {
	c := k.clock
	now := c.at(c.tick)
	r, reused := k.undone(now, in)
	if !reused {
		r = k.fresh()
		r.in, r.sent = in, c.tick
		c.pool.Submit(&r.job)
	}
	now.sent = append(now.sent, r)
	due := c.at(c.tick + k.delay)
	due.due = append(due.due, r)
}

// undone returns the run that the same tick has submitted with the same argument before a Rewind.
func (k *Kind[In, Out]) undone(now *slot, in In) (r *run[In, Out], ok bool) {
	for i, u := range now.undone {
		if r, ok = u.(*run[In, Out]); ok && r.kind == k && r.in == in {
			now.undone[i] = nil
			k.clock.stats.Reused++
			return r, true
		}
	}
	return nil, false
}

func (k *Kind[In, Out]) fresh() *run[In, Out] {
	if n := len(k.free); n > 0 {
		r := k.free[n-1]
		k.free = k.free[:n-1]
		return r
	}
	r := &run[In, Out]{kind: k}
	r.number = k.number
	r.job.Label, r.job.Priority = k.label, deadline.UserBlocking
	r.job.Func = func(*workers.Worker) { r.compute() }
	return r
}

// An errand is the part of a run that does not depend on its types.
type errand struct {
	job    workers.Job
	number uint64 // of its kind
	sent   int64  // the tick of its Submit
	inline bool   // Begin has computed it, because the pool was closed
}

func (e *errand) common() *errand { return e }

// A run is f(in), and its result.
type run[In comparable, Out any] struct {
	errand
	kind *Kind[In, Out]
	in   In
	out  Out
}

func (r *run[In, Out]) compute() { r.out = r.kind.f(r.in) }

func (r *run[In, Out]) deliver() { r.kind.deliver(r.in, r.out) }

func (r *run[In, Out]) forget() {
	var in In
	var out Out
	r.in, r.out = in, out
	r.kind.free = append(r.kind.free, r)
}
