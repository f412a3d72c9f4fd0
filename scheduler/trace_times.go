package scheduler

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/hist"
)

// A Histogram counts durations, in buckets no wider than 1/32 of them. Its methods are Count, Max, Mean and
// Quantile(q), where a q of 0.5 is the median.
type Histogram = hist.Histogram

// Times are histograms of the runs of each priority, by Priority.Lane. A run is a function, a step, a tick, or a
// stretch of a coroutine. Idle callbacks, callbacks of phases and microtasks are not in them.
type Times struct {
	Wait [deadline.NumPriorities]Histogram // from ready (submitted, due, woken, yielded) to the run's start
	Late [deadline.NumPriorities]Histogram // from the expiration to the run's start; 0 if it was in time
	// From the start of the run to the expiration, of those that were in time: together with those of Late that are
	// not 0 it is the signed lateness.
	Early [deadline.NumPriorities]Histogram
	Run   [deadline.NumPriorities]Histogram // the run

	// The error of the prediction by which a run was admitted to its slice, if there was one: by how much the run was
	// longer, and by how much shorter. Task.Cost is a prediction, too. Kinds of less than 20 µs are not predicted. If
	// a run asks ShouldYield, its longest stretch between two answers is predicted and compared.
	Over, Under [deadline.NumPriorities]Histogram
}

// ReadTimes copies the histograms of Options.Times since New or ResetTimes, and reports whether there are any. Frame
// goroutine. It copies 260 KB in some 25 µs.
func (s *Scheduler) ReadTimes(into *Times) bool {
	if s.watch == nil || s.watch.times == nil {
		return false
	}
	*into = *s.watch.times
	return true
}

// ResetTimes empties the histograms and the counts of ReadCosts, after a warm-up for example. Frame goroutine.
func (s *Scheduler) ResetTimes() {
	if s.watch != nil && s.watch.times != nil {
		*s.watch.times = Times{}
		s.kinds.Reset()
	}
}

// Add adds what o has counted, of another scheduler for example.
func (t *Times) Add(o *Times) {
	to, from := t.all(), o.all()
	for i := range to {
		for l := range to[i] {
			to[i][l].Add(&from[i][l])
		}
	}
}

func (t *Times) all() [6]*[deadline.NumPriorities]Histogram {
	return [...]*[deadline.NumPriorities]Histogram{&t.Wait, &t.Late, &t.Early, &t.Run, &t.Over, &t.Under}
}

// measure records an event of the item's run. The lane in which a run counts is settled when it starts.
func (w *watch) measure(s *Scheduler, state State, it *item, kind work) {
	if kind >= workIdle {
		return
	}
	switch {
	case state == Running:
		w.lane = it.node.Priority().Lane()
		waited, late, expires := s.waited(it)
		w.times.Wait[w.lane].Record(waited)
		if expires {
			w.times.Late[w.lane].Record(late)
			if late <= 0 {
				w.times.Early[w.lane].Record(-late)
			}
		}
		w.predicted, w.declared = s.predict(it), it.word.Load()&flagOwnCost != 0
		w.kind = s.kinds.of(it)
	case w.running == it:
		w.times.Run[w.lane].Record(w.ran)
		w.kind.Count(w.ran, 1)
		if w.predicted > 0 {
			took := w.ran
			if !w.declared {
				took -= w.spare
			}
			w.times.Over[w.lane].Record(took - w.predicted)
			w.times.Under[w.lane].Record(w.predicted - took)
		}
	}
}

// Cost is what the runs of one kind of task have taken: tasks with one Label, or tasks without a label that have one
// function. A run is the same as in Times.
//
// A task is admitted to a slice if Expected fits: a high quantile of what a run took lately. 0 is less than 20 µs,
// which always fits. For a run that asks ShouldYield, Expected is the longest stretch between two answers. Task.Cost
// does not enter into Expected.
type Cost = costs.Cost

// ReadCosts appends what each kind of task has cost to buf, and returns it, sorted: the greatest total first. There is
// something to tell with Options.Times, since New or ResetTimes. Beyond 1,024 kinds all are forgotten, and counting
// begins again: labels are to be names of kinds, not of tasks. Frame goroutine; some 10 µs, and 0.1 µs for each kind.
func (s *Scheduler) ReadCosts(buf []Cost) []Cost { return s.kinds.Report(buf) }
