package scheduler

import (
	"reflect"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// What a task will cost is learned from its kind: its Label, or else the code of its function.
const (
	// kindFloor is the least cost worth predicting. A task below it fits anywhere: its overrun is lost among those of
	// the garbage collector.
	kindFloor = 20 * time.Microsecond
	// kindLimit bounds the memory. More kinds than that are no kinds but names of single tasks: forget all, and learn
	// again what still runs.
	kindLimit = 1024
	// kindSlots is the size of the table by code, a power of two that keeps it at most half full.
	kindSlots = 2 * kindLimit
	// cheapRuns is how many runs below the floor are remembered: enough that the estimate takes a dear one for the
	// outlier that it is.
	cheapRuns = 40
)

// kind is what is known about one kind of task.
type kind struct {
	pc    uintptr
	est   deadline.Estimate
	high  time.Duration // est.High()
	cheap uint8         // runs below the floor that est has not seen, at most cheapRuns
}

type kinds struct {
	byPC    *[kindSlots]*kind // open addressing, linear probing; nil until needed
	byLabel map[string]*kind
	n       int           // in both
	high    time.Duration // no kind's high is greater
	top     *kind         // the one whose high it is

	lastLabel string // the label that was looked up last: work comes in runs of one kind
	last      *kind
}

// name returns the code of the item's function, and its label if it has one.
func (it *item) name() (pc uintptr, label string) {
	t := it.task
	switch {
	case t == nil:
		return codeOf(it.fn), ""
	case t.Label != "":
		return 0, t.Label
	case t.Func != nil:
		return codeOf(t.Func), ""
	case t.Step != nil:
		return codeOf(t.Step), ""
	}
	return codeOf(t.Co), ""
}

// codeOf returns the address of a function's code: the same for all closures of one function literal. About 3 ns.
func codeOf[F func() | func() bool | func(*Co)](f F) uintptr { return reflect.ValueOf(f).Pointer() }

// nameOf turns what name returned into text.
func nameOf(pc uintptr, label string) string {
	if label == "" && pc != 0 {
		if f := runtime.FuncForPC(pc); f != nil {
			return f.Name()
		}
	}
	return label
}

// lookup returns what is known about the item's kind. A kind that is seen for the first time becomes known.
func (k *kinds) lookup(it *item) *kind {
	pc, label := it.name()
	if label != "" {
		return k.lookupLabel(label)
	}
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
	k.byPC[i] = &kind{pc: pc}
	return k.byPC[i]
}

// slotOf hashes the address of a function: Fibonacci hashing, the top bits of a product.
func slotOf(pc uintptr) uint32 { return uint32(pc>>4) * 0x9e3779b9 >> 21 % kindSlots }

func (k *kinds) lookupLabel(label string) *kind {
	if k.last != nil && label == k.lastLabel {
		return k.last
	}
	e := k.byLabel[label]
	if e == nil {
		if k.n >= kindLimit {
			k.forget()
		}
		if k.byLabel == nil {
			k.byLabel = make(map[string]*kind)
		}
		e = new(kind)
		k.n++
		k.byLabel[label] = e
	}
	k.lastLabel, k.last = label, e
	return e
}

func (k *kinds) forget() {
	if k.byPC != nil {
		clear(k.byPC[:])
	}
	clear(k.byLabel)
	k.n, k.high, k.top, k.last, k.lastLabel = 0, 0, nil, nil, ""
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
	if it.word.Load()&flagCancel != 0 {
		return 0 // what runs is not the task but its deferred calls
	}
	if t := it.task; t != nil && t.Cost > 0 {
		return t.Cost
	}
	return s.kinds.lookup(it).high
}

// observe learns from a run. Runs below the floor are only counted, as long as they are what the estimate expects: that
// takes half as long, and nearly all runs are like that.
func (s *Scheduler) observe(it *item, cost time.Duration) {
	if t := it.task; t != nil && t.Cost > 0 {
		return
	}
	e := s.kinds.lookup(it)
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
}
