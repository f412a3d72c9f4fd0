package scheduler

import (
	"fmt"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
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

	// The error of the prediction by which a run was admitted to its slice (Task.Cost, or what is learned of its
	// kind), where there was one: by how much the run was longer, and by how much shorter, 0 if it was not. Of a run
	// that asks ShouldYield the longest stretch between two answers is what is learned and compared. Kinds of less
	// than 20 µs are not predicted.
	Over, Under [deadline.NumPriorities]Histogram
}

// ReadTimes copies the histograms of Options.Times, and reports whether there are any. They are since New or
// ResetTimes. Frame goroutine. It copies 260 KB, some 25 µs: for reports, and for a display that changes some
// times a second.
func (s *Scheduler) ReadTimes(into *Times) bool {
	if s.watch == nil || s.watch.times == nil {
		return false
	}
	*into = *s.watch.times
	return true
}

// ResetTimes empties the histograms, and what ReadCosts counts, after a warm-up for example. Frame goroutine.
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

// String returns a table with one line for each priority that ran, the most urgent first, times in
// milliseconds.
func (t *Times) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-13s %8s", "priority", "runs")
	for _, name := range []string{"wait", "late", "run"} {
		fmt.Fprintf(&b, " | %8s %7s %7s", name+" p50", "p99", "max")
	}
	b.WriteByte('\n')
	for i, p := range deadline.Priorities() {
		if t.Run[i].Count() == 0 && t.Wait[i].Count() == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-13v %8d", p, t.Run[i].Count())
		for _, h := range []*Histogram{&t.Wait[i], &t.Late[i], &t.Run[i]} {
			fmt.Fprintf(&b, " | %8s %7s %7s", millis(h.Quantile(0.5)), millis(h.Quantile(0.99)), millis(h.Max()))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func millis(d time.Duration) string { return fmt.Sprintf("%.3f", float64(d)/1e6) }

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
