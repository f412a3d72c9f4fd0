package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/timeline"
	"github.com/frameslice/frameslice/workers"
)

// The rows of the trace. Workers follow.
const (
	traceFrames = 1 + iota
	traceGoroutine
	traceSections
	traceShadow
	traceWorkers    = 10
	traceBackground = 100
)

// rowName names a row.
func rowName(row int) string {
	switch {
	case row == traceFrames:
		return "frames"
	case row == traceGoroutine:
		return "frame goroutine"
	case row == traceSections:
		return "sections of own work"
	case row == traceShadow:
		return "slice beside the host"
	case row >= traceBackground:
		return fmt.Sprint("background worker ", row-traceBackground)
	}
	return fmt.Sprint("worker ", row-traceWorkers)
}

// rowOf returns the row of a run. Jobs of a Runner have one if they lie in a slice. Jobs that another caller ran have
// none, as many callers may run at once.
func (t *tracer) rowOf(r *workers.Run) (row int, ok bool) {
	switch r.Where {
	case timeline.Runner:
		i, _ := slices.BinarySearchFunc(t.records, r.Begin+1, func(rec Record, at deadline.Instant) int {
			return cmp.Compare(rec.Start, at)
		})
		if i > 0 && t.records[i-1].sliced(r) {
			return t.records[i-1].sliceRow(), true
		}
	case timeline.Frame:
		return traceGoroutine, true
	case timeline.Shadow:
		return traceShadow, true
	case timeline.Worker:
		return traceWorkers + int(r.Worker), true
	case timeline.Background:
		return traceBackground + int(r.Worker), true
	}
	return 0, false
}

// sliceRow returns the row of the slice.
func (r *Record) sliceRow() int {
	if r.Flags&Shadowed != 0 {
		return traceShadow
	}
	return traceGoroutine
}

// A span is a part of a row.
type span struct {
	from, to deadline.Instant
	name     string
	args     map[string]any
}

func (t *tracer) span(row int, name string, from, to deadline.Instant, args map[string]any) {
	t.rows[row] = append(t.rows[row], span{from, max(from, to), cmp.Or(name, "-"), args})
}

// firstOf returns the beginning of the trace.
func firstOf(records []Record, runs []workers.Run) deadline.Instant {
	first := deadline.Never
	for i := range records {
		r := &records[i]
		first = min(first, r.Start)
		if r.Updates > 0 {
			first = min(first, r.UpdateBegin)
		}
		if r.Flags&Sliced != 0 {
			first = min(first, r.SliceBegin)
		}
	}
	for i := range runs {
		first = min(first, runs[i].Begin)
		if at := runs[i].Ready; at != 0 {
			first = min(first, at)
		}
	}
	return first
}

// runs puts runs into the rows. Those of callers are written at once, as spans that may overlap.
func (t *tracer) runs(runs []workers.Run) {
	for i := range runs {
		r := &runs[i]
		args := map[string]any{"priority": r.Priority.String()}
		if r.Ready != 0 {
			args["waited_us"] = micros(r.Begin.Sub(r.Ready))
		}
		if row, ok := t.rowOf(r); ok {
			t.span(row, r.Label, r.Begin, r.End, args)
			continue
		}
		e := traceEvent{Name: cmp.Or(r.Label, "-"), Cat: "job of a caller", ID: uint64(i + 1), Args: args}
		e.Phase, e.TS = "b", t.at(r.Begin)
		t.add(e)
		e.Phase, e.TS, e.Args = "e", t.at(max(r.Begin, r.End)), nil
		t.add(e)
	}
}

// writeRows writes the rows. Spans of one row lie apart or within one another. Where two clocks disagree by a little,
// or a span continues after the span around it, it is cut off.
func (t *tracer) writeRows() {
	for _, row := range slices.Sorted(maps.Keys(t.rows)) {
		for what, args := range [...]map[string]any{{"name": rowName(row)}, {"sort_index": row}} {
			name := [...]string{"thread_name", "thread_sort_index"}[what]
			t.add(traceEvent{Name: name, Phase: "M", TID: row, Args: args})
		}
		spans := t.rows[row]
		slices.SortStableFunc(spans, func(a, b span) int {
			return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
		})
		var open []deadline.Instant // the ends of the spans around
		for i := range spans {
			s := &spans[i]
			for len(open) > 0 && open[len(open)-1] <= s.from {
				open = open[:len(open)-1]
			}
			if len(open) > 0 {
				s.to = min(s.to, open[len(open)-1])
			}
			open = append(open, s.to)
			from := t.at(s.from)
			dur := t.at(s.to) - from
			t.add(traceEvent{Name: s.name, Phase: "X", TS: from, Dur: &dur, TID: row, Args: s.args})
		}
	}
}

// arrows writes an arrow for each job that a coroutine has awaited. It leads from the coroutine's run, at the time of
// the submission, to the run of the job, and on to the run in which the coroutine has the result. If the coroutine has
// not submitted the job, the arrow begins at the end of the job: nobody knows who did.
func (t *tracer) arrows(runs []workers.Run) {
	jobs := map[uint64][]*workers.Run{}  // by address, in the order of their ends
	turns := map[uint64][]*workers.Run{} // of coroutines, by ID
	byEnd := slices.Clone(runs)
	slices.SortStableFunc(byEnd, func(a, b workers.Run) int { return cmp.Compare(a.End, b.End) })
	for i := range byEnd {
		r := &byEnd[i]
		if r.Where >= timeline.Worker {
			jobs[r.ID] = append(jobs[r.ID], r)
		} else {
			turns[r.ID] = append(turns[r.ID], r)
		}
	}
	id := uint64(0)
	arrow := func(phase string, r *workers.Run, at deadline.Instant) {
		row, _ := t.rowOf(r)
		e := traceEvent{Name: "job", Cat: "job", Phase: phase, ID: id, TID: row, TS: t.at(at)}
		if phase != "s" {
			e.Bind = "e"
		}
		t.add(e)
	}
	for _, key := range slices.Sorted(maps.Keys(turns)) {
		of := turns[key]
		for i, turn := range of {
			if turn.Awaits == 0 || i+1 == len(of) {
				continue
			}
			back := of[i+1]
			for _, job := range slices.Backward(jobs[turn.Awaits]) {
				if job.End > back.Begin {
					continue // a later job at this address
				}
				at := slices.IndexFunc(of[:i+1], func(r *workers.Run) bool {
					return r.Begin <= job.Ready && job.Ready < r.End
				})
				if _, ok := t.rowOf(job); !ok {
					break
				}
				if id++; at >= 0 {
					arrow("s", of[at], job.Ready)
					arrow("t", job, job.Begin)
				} else {
					arrow("s", job, job.End)
				}
				arrow("f", back, back.Begin)
				break
			}
		}
	}
}

// waiting writes counters of the runs that are ready and have not begun, by priority.
func (t *tracer) waiting(runs []workers.Run) {
	type edge struct {
		at   deadline.Instant
		lane int
		by   int
	}
	for _, what := range [...]string{"waiting tasks", "waiting jobs"} {
		var edges []edge
		for i := range runs {
			r := &runs[i]
			mine := (what == "waiting jobs") == (r.Where >= timeline.Worker)
			if mine && r.Ready != 0 && r.Ready < r.Begin && r.Priority.Valid() {
				edges = append(edges, edge{r.Ready, r.Priority.Lane(), 1}, edge{r.Begin, r.Priority.Lane(), -1})
			}
		}
		slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
		var count [deadline.NumPriorities]int
		for i, e := range edges {
			count[e.lane] += e.by
			if i+1 < len(edges) && edges[i+1].at == e.at {
				continue
			}
			args := map[string]any{}
			for lane, p := range deadline.Priorities() {
				args[p.String()] = count[lane]
			}
			t.counter(what, e.at, args)
		}
	}
}
