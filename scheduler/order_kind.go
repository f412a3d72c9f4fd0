package scheduler

import (
	"time"
	"unsafe" // the code of a function, without reflect: see codeOf

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/hostcost"
)

// A task is expected to cost what its kind has cost. A kind is all tasks with one Label, or without a Label but with
// the code of one function.

// kind is what is known about one kind of task. Its Expected is the High of the estimate.
type kind = costs.Kind[lesson]

// lesson is what the frame goroutine learns of a kind.
type lesson struct {
	est   costs.Estimate
	cheap uint8         // runs below the floor that est has not seen, at most cheapRuns
	slice uint32        // the last slice into which a task of the kind did not fit
	trust trust         // whether its runs may share a reading of the clock
	after hostcost.Cost // what its tasks leave to the host
}

// kinds is what a scheduler knows about kinds of tasks.
type kinds struct {
	costs.Table[lesson]
	last *kind         // the kind that ofCode returned last
	high time.Duration // no kind is expected to take longer
	top  *kind         // the kind that is expected to take high
	host hostcost.Host
}

// of returns the item's kind. A kind that is seen for the first time becomes known.
func (k *kinds) of(it *item) *kind {
	if it.isPosted() {
		return k.ofCode(codeOf(it.fn))
	}
	t := it.task
	if t.kind == nil || !k.Knows(t.kind) { // another scheduler's, or forgotten
		if l := t.sent.label.Load(); l != nil && l.label != "" {
			t.kind = k.get(l.label, 0)
		} else {
			t.kind = k.ofCode(t.sent.code.Load())
		}
	}
	return t.kind
}

// ofCode returns the kind of the functions with that code.
func (k *kinds) ofCode(pc uintptr) *kind {
	if e := k.last; e != nil && e.Code == pc {
		return e
	}
	k.last = k.get("", pc)
	return k.last
}

// get is Table.Get. If the table forgets all kinds, get clears the pointers to them.
func (k *kinds) get(label string, pc uintptr) *kind {
	e, forgot := k.Get(label, pc)
	if forgot {
		k.high, k.top, k.last = 0, nil, nil
		k.host.Forget()
	}
	return e
}

// check forgets the kind of a submitted task if its label or function has changed.
func (k *kinds) check(t *Task) {
	if t.kind == nil {
		return
	}
	if l := t.sent.label.Load(); l != nil && l.label != "" {
		if t.kind.Label == l.label {
			return
		}
	} else if t.kind.Label == "" && t.kind.Code == t.sent.code.Load() {
		return
	}
	t.kind = nil
}

// code returns the address of the code of the task's function.
func (t *Task) code() uintptr {
	switch {
	case t.as != 0:
		return t.as
	case t.Func != nil:
		return codeOf(t.Func)
	case t.Step != nil:
		return codeOf(t.Step)
	case t.Idle != nil:
		return codeOf(t.Idle)
	}
	return codeOf(t.Co)
}

// name returns the code and the label of an item that has been claimed and has not ended; see nameOf.
func (it *item) name() (pc uintptr, label string) {
	if t := it.task; t != nil {
		return t.code(), t.Label
	}
	return codeOf(it.fn), ""
}

// nameOf turns the results of name into text.
func nameOf(pc uintptr, label string) string { return costs.NameOf(label, pc) }

// codeOf returns the address of a function's code: the same for all closures of one function literal. It is what
// reflect.Value.Pointer returns, for a tenth of the time: a function is a pointer to a record that begins with that
// address.
func codeOf[F func() | func() bool | func(*Co) | func(deadline.Deadline, bool)](f F) uintptr {
	return **(**uintptr)(unsafe.Pointer(&f))
}

// expect sets the expected cost of a kind, and updates high.
func (k *kinds) expect(e *kind) {
	e.Expect(e.Extra.est.High())
	if e.Expected() >= k.high {
		k.high, k.top = e.Expected(), e
		return
	}
	if e != k.top {
		return
	}
	k.high = 0 // the greatest has become less: look for it again
	for e := range k.All() {
		if e.Expected() >= k.high {
			k.high, k.top = e.Expected(), e
		}
	}
}

// hostCause returns the name of the kind that made the most frames of the host late, and how many.
func (k *kinds) hostCause() (name string, frames uint64) {
	cause := k.host.Cause()
	if cause == nil {
		return "", 0
	}
	for e := range k.All() {
		if &e.Extra.after == cause {
			name = e.Name()
		}
	}
	return name, cause.Late()
}

// predict returns the expected cost of a run of the item. It is 0 if nothing is known, so unknown work is tried.
func (r *runs) predict(it *item) time.Duration {
	if it.fatal {
		return 0 // what runs is not the task but its deferred calls
	}
	if t := it.task; t != nil {
		if cost := t.sent.cost.Load(); cost > 0 {
			return time.Duration(cost)
		}
	}
	return r.kinds.of(it).Expected()
}

// refused learns that an item has waited for a whole slice because it was not expected to fit.
func (r *runs) refused(it *item) {
	if it.fatal || it.word.Load()&flagOwnCost != 0 {
		return
	}
	e := r.kinds.of(it)
	if e.Extra.slice == r.n {
		return // one refusal a slice, however many items of the kind wait
	}
	e.Extra.slice = r.n
	e.Extra.est.Refused()
	r.kinds.expect(e)
}

// held reports whether the item waits because its kind may leave work to the host: the frame has run enough of that
// kind, or is a control.
func (r *runs) held(it *item) bool {
	return r.kinds.host.Exhausted() && !it.fatal && r.until != deadline.Never &&
		it.node.Priority() != deadline.Immediate && r.kinds.host.Holds(&r.kinds.of(it).Extra.after)
}
