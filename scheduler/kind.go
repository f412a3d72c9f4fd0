package scheduler

import (
	"reflect"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/hostcost"
)

// What a task will cost is learned from its kind: its Label, or else the code of its function.
const (
	// kindFloor is the least cost worth predicting. A task below it fits anywhere: its overrun is lost
	// among those of the garbage collector.
	kindFloor = 20 * time.Microsecond
	// kindLimit bounds the memory. More kinds than that are no kinds but names of single tasks: forget all,
	// and learn again what still runs.
	kindLimit = 1024
	// kindSlots is the size of the table by code, a power of two that keeps it at most half full.
	kindSlots = 2 * kindLimit
	// cheapRuns is how many runs below the floor are remembered: enough that the estimate takes a dear one
	// for the outlier that it is.
	cheapRuns = 40
)

// kind is what is known about one kind of task.
type kind struct {
	pc    uintptr // what it is known by, one of the two
	label string
	est   deadline.Estimate
	high  time.Duration // est.High()
	cheap uint8         // runs below the floor that est has not seen, at most cheapRuns
	slice uint32        // the last slice that ended with such a task waiting
	in    *kinds        // whose it is: a Task may be submitted to another scheduler next time
	after hostcost.Cost // what its tasks leave to the host

	// With Options.Times, for ReadCosts.
	runs        uint64
	total, most time.Duration
}

type kinds struct {
	byPC    *[kindSlots]*kind // open addressing, linear probing; nil until needed
	byLabel map[string]*kind
	last    *kind         // that ofCode returned
	n       int           // in both
	high    time.Duration // no kind's high is greater
	top     *kind         // the one whose high it is
	age     uint32        // times that all was forgotten
	host    hostcost.Host
}

// of returns the item's kind. A kind that is seen for the first time becomes known.
func (k *kinds) of(it *item) *kind {
	if it.isPosted() {
		return k.ofCode(codeOf(it.fn))
	}
	t := it.task
	if t.kind != nil && t.kindAge == k.age {
		return t.kind
	}
	var e *kind
	if l := t.sent.label.Load(); l != nil && *l != "" {
		e = k.ofLabel(*l)
	} else {
		e = k.ofCode(t.sent.code.Load())
	}
	t.kind, t.kindAge = e, k.age
	return e
}

// check forgets what kind a submitted task was, if it may be another one now.
func (k *kinds) check(t *Task) {
	e := t.kind
	if e == nil {
		return
	}
	if e.in != k {
		t.kind = nil
		return
	}
	if l := t.sent.label.Load(); l != nil && *l != "" {
		if e.label == *l {
			return
		}
	} else if e.label == "" && e.pc == t.sent.code.Load() {
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

// Wraps says that the function of t is only a wrapper of f: a task without a Label has the kind and the name of f. Call
// it before Submit, or within the run, which then counts as one of f. It panics if f is not a function.
func (t *Task) Wraps(f any) {
	code := reflect.ValueOf(f).Pointer()
	if code == t.as {
		return
	}
	t.as = code
	if t.State() != Running {
		return
	}
	t.kind = nil
	t.sent.code.Store(code)
	if s := t.s.Load(); s.watch != nil && s.watch.times != nil {
		s.watch.kind = s.kinds.of(&t.item)
	}
}

// name returns the code and the label of an item that has been claimed and has not ended; see nameOf.
func (it *item) name() (pc uintptr, label string) {
	if t := it.task; t != nil {
		return t.code(), t.Label
	}
	return codeOf(it.fn), ""
}

// codeOf returns the address of a function's code: the same for all closures of one function literal. About
// 3 ns.
func codeOf[F func() | func() bool | func(*Co) | func(IdleTime)](f F) uintptr {
	return reflect.ValueOf(f).Pointer()
}

// nameOf turns what name returned into text.
func nameOf(pc uintptr, label string) string {
	if label == "" && pc != 0 {
		if f := runtime.FuncForPC(pc); f != nil {
			return f.Name()
		}
	}
	return label
}

// ofCode returns the kind of the functions with that code.
func (k *kinds) ofCode(pc uintptr) *kind {
	if e := k.last; e != nil && e.pc == pc {
		return e
	}
	e := k.findCode(pc)
	k.last = e
	return e
}

func (k *kinds) findCode(pc uintptr) *kind {
	if k.byPC == nil {
		k.byPC = new([kindSlots]*kind)
	}
	i := slotOf(pc)
	for ; k.byPC[i] != nil; i = (i + 1) % kindSlots {
		if k.byPC[i].pc == pc {
			return k.byPC[i]
		}
	}
	if k.n >= kindLimit {
		k.forget()
		i = slotOf(pc)
	}
	k.n++
	k.byPC[i] = &kind{pc: pc, in: k}
	return k.byPC[i]
}

// slotOf hashes the address of a function: Fibonacci hashing, the top bits of a product.
func slotOf(pc uintptr) uint32 { return uint32(pc>>4) * 0x9e3779b9 >> 21 % kindSlots }

func (k *kinds) ofLabel(label string) *kind {
	e := k.byLabel[label]
	if e == nil {
		if k.n >= kindLimit {
			k.forget()
		}
		if k.byLabel == nil {
			k.byLabel = make(map[string]*kind)
		}
		e = &kind{label: label, in: k}
		k.n++
		k.byLabel[label] = e
	}
	return e
}

func (k *kinds) forget() {
	if k.byPC != nil {
		clear(k.byPC[:])
	}
	clear(k.byLabel)
	k.n, k.high, k.top, k.last = 0, 0, nil, nil
	k.host.Forget()
	k.age++
}

// update keeps high after e.high has changed.
func (k *kinds) update(e *kind) {
	if e.high >= k.high {
		k.high, k.top = e.high, e
		return
	}
	if e != k.top {
		return
	}
	k.high = 0 // the greatest has become less: look for it again
	if k.byPC != nil {
		for _, e := range k.byPC {
			if e != nil && e.high >= k.high {
				k.high, k.top = e.high, e
			}
		}
	}
	for _, e := range k.byLabel {
		if e.high >= k.high {
			k.high, k.top = e.high, e
		}
	}
}

// predict returns what a run of the item is expected to take; 0 if nothing is known, so that it is tried.
func (s *Scheduler) predict(it *item) time.Duration {
	if it.fatal {
		return 0 // what runs is not the task but its deferred calls
	}
	if t := it.task; t != nil {
		if cost := t.sent.cost.Load(); cost > 0 {
			return time.Duration(cost)
		}
	}
	return s.kinds.of(it).high
}

// observe learns from a run. Runs below the floor are only counted, as long as they are what the estimate
// expects: that takes half as long, and nearly all runs are like that.
func (s *Scheduler) observe(it *item, cost time.Duration) {
	if it.word.Load()&flagOwnCost != 0 {
		return
	}
	e := s.kinds.of(it)
	if cost < kindFloor && e.high < kindFloor {
		if e.cheap < cheapRuns {
			e.cheap++
		}
		return
	}
	for ; e.cheap > 0; e.cheap-- {
		e.est.Observe(0)
	}
	e.est.Observe(cost)
	before := e.high
	e.high = e.est.High()
	if e.high != before {
		s.kinds.update(e)
		if e.high < before && len(s.passed) > 0 {
			s.takeBack() // what did not fit may fit now
		}
	}
	if s.kinds.host.Told() && e.high >= kindFloor {
		s.kinds.host.Spent(&e.after, min(cost, e.high)) // no task leaves work by an outlier
		s.special = s.special || e.after.Exhausted()
	}
}

// refused learns that an item has waited for the whole slice, as it was not expected to fit.
func (s *Scheduler) refused(it *item) {
	if it.fatal || it.word.Load()&flagOwnCost != 0 {
		return
	}
	e := s.kinds.of(it)
	if e.slice == s.n {
		return // the kind was refused once, however many of its items wait
	}
	e.slice = s.n
	e.est.Refused()
	if high := e.est.High(); high != e.high {
		e.high = high
		s.kinds.update(e)
	}
}
