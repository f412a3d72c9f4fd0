package scheduler

import (
	"cmp"
	"slices"
	"time"
)

// Cost is what the runs of one kind of task have taken: of the tasks with one Label, or of those without one that have
// one function. What counts as a run is as in Times.
type Cost struct {
	Kind  string // the label, or the function's name
	Runs  uint64
	Total time.Duration // of all runs
	Max   time.Duration // the longest run
	// Expected is what a further run is expected to take, and by what it is admitted to a slice: a high quantile of
	// what it took lately. 0 is less than 20 µs, which always fits. Of a run that asks ShouldYield it is the longest
	// stretch between two answers. Task.Cost does not enter into it.
	Expected time.Duration
}

// Add adds what o has counted of the same kind, in another scheduler for example. Expected is the greater one.
func (c *Cost) Add(o Cost) {
	c.Runs += o.Runs
	c.Total += o.Total
	c.Max, c.Expected = max(c.Max, o.Max), max(c.Expected, o.Expected)
}

// ReadCosts appends what each kind of task has cost to buf, and returns it, sorted: the greatest total first. There is
// something to tell with Options.Times, since New or ResetTimes. Beyond 1,024 kinds all are forgotten, and counting
// begins anew: labels are to be names of kinds, not of tasks. Frame goroutine; some 10 µs, and 0.1 µs for each kind.
func (s *Scheduler) ReadCosts(buf []Cost) []Cost {
	begin := len(buf)
	s.kinds.each(func(e *kind) {
		if e.runs > 0 {
			buf = append(buf, Cost{nameOf(e.pc, e.label), e.runs, e.total, e.most, e.high})
		}
	})
	slices.SortFunc(buf[begin:], func(a, b Cost) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Kind, b.Kind))
	})
	return buf
}

// each calls f for each kind that is known.
func (k *kinds) each(f func(*kind)) {
	if k.byPC != nil {
		for _, e := range k.byPC {
			if e != nil {
				f(e)
			}
		}
	}
	for _, e := range k.byLabel {
		f(e)
	}
}

// count adds a run to what is told of its kind.
func (e *kind) count(ran time.Duration) {
	e.runs++
	e.total += ran
	e.most = max(e.most, ran)
}
