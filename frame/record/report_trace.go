package record

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"reflect"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/refresh"
)

// writeTrace writes the records and the runs as trace JSON for Perfetto and Chrome's about:tracing. The size is limited
// by what the Recorder and the timeline keep, and otherData tells how much they did not.
func (r *Report) writeTrace(w io.Writer) error {
	s := r.Snapshot
	t := &tracer{w: bufio.NewWriter(w), records: s.Records, rows: map[int][]span{}}
	t.origin = firstOf(s.Records, r.Runs)
	t.text(`{"displayTimeUnit":"ms","otherData":`)
	t.json(map[string]any{
		"frames": len(s.Records), "frames_not_kept": s.Totals.Frames - min(s.Totals.Frames, uint64(len(s.Records))),
		"runs": len(r.Runs), "runs_not_kept": r.RunsDropped,
	})
	t.text(`,"traceEvents":[`)
	t.add(traceEvent{Name: "process_name", Phase: "M", Args: map[string]any{"name": cmp.Or(r.Name, "frameslice")}})
	if s.metered {
		t.collections = readCollections()
	}
	for i := range s.Records {
		t.record(r, i)
	}
	t.runs(r.Runs)
	t.writeRows()
	t.arrows(r.Runs)
	t.waiting(r.Runs)
	t.writeEvents()
	t.text("\n]}\n")
	return errors.Join(t.err, t.w.Flush())
}

// record takes in the counters of a frame, and puts its parts into the rows. A late frame has its lateness and its
// parts among its arguments, and the name of all frames: so readers that add up by name have one sum.
func (t *tracer) record(rep *Report, i int) {
	s := rep.Snapshot
	r := &s.Records[i]
	next := &Record{Start: r.Start.Add(r.Busy()), Interval: r.Busy()} // of the last frame more is not known
	if i+1 < len(s.Records) && s.Records[i+1].follows(r) {
		next = &s.Records[i+1] // its Interval is this frame's length
	}
	end, target := next.Start, cmp.Or(next.Target, s.Target)
	args := map[string]any{"number": r.Number, "flags": r.Flags.names()}
	if took := end.Sub(r.Start); refresh.Missed(took, target) > 0 {
		args["late_us"] = micros(took - target)
		args["parts"] = (&LateFrame{Interval: next.Interval, Parts: r.parts(next, rep.Runs)}).Ran()
	}
	if i+1 < len(s.Records) && s.cameLate(&s.Records[i+1]) {
		args["cause"] = s.why(i + 1)
	}
	r.Counts.each(func(field reflect.StructField, n uint64, d time.Duration) {
		if n != 0 || d != 0 {
			args[field.Tag.Get("json")] = max(n, uint64(d))
		}
	})
	if d, ok := r.Latency(r.HandedOver); ok {
		args["input_to_handed_over_us"] = micros(d)
	}
	if r.Shown != 0 {
		args["start_to_shown_us"] = micros(r.Shown.Sub(r.Start))
	}
	for i := range r.Sections {
		one := &r.Sections[i]
		if one.Calls == 1 { // others are not one span
			own := map[string]any{"own_us": micros(one.Own)}
			t.span(traceSections, one.Name, one.Begin, one.Begin.Add(one.Time), own)
		} else {
			args["section "+one.Name] = map[string]any{
				"calls": one.Calls, "time_us": micros(one.Time), "own_us": micros(one.Own),
			}
		}
	}
	t.span(traceFrames, "frame", r.Start, end, args)
	if r.Updates > 0 && r.UpdateBegin != 0 { // a record of somebody else may have no times
		t.span(traceGoroutine, "update", r.UpdateBegin, r.UpdateEnd, map[string]any{"updates": r.Updates})
	}
	if r.Flags&Sliced != 0 {
		t.span(r.sliceRow(), "slice", r.SliceBegin, r.SliceEnd, map[string]any{
			"budget_us": micros(r.Budget()), "overrun_us": micros(r.Overrun()), "unused_us": micros(r.unused()),
			"worst": r.WorstLabel, "worst_us": micros(r.WorstCost),
			"worst_job": r.WorstJob, "worst_job_us": micros(r.WorstJobCost),
		})
	}
	t.collectionsOf(r, end)
	t.counter("interval", r.Start, map[string]any{"us": micros(r.Interval)})
	t.counter("budget left", r.Start, map[string]any{"us": micros(r.unused())})
	t.counter("queues", r.Start, map[string]any{"ready": r.Ready, "delayed": r.Delayed, "queued": r.Queued})
	t.counter("gc", r.Start, map[string]any{"cycles": r.GCCycles})
}

// collectionsOf writes the garbage collections that ended in a frame. Of old ones only the frame is known that counted
// them at its end.
func (t *tracer) collectionsOf(r *Record, end deadline.Instant) {
	e := traceEvent{Name: "garbage collection", Phase: "i", Scope: "t", TID: traceFrames}
	if len(t.collections) == 0 || end <= t.collections[0].end {
		if r.GCCycles > 0 {
			e.TS = t.at(r.Start)
			e.Args = map[string]any{"ended_since_the_frame_before": r.GCCycles, "stopped_us": micros(r.GCPause)}
			t.add(e)
		}
	}
	for _, c := range t.collections {
		if r.Start <= c.end && c.end < end {
			e.TS, e.Args = t.at(c.end), map[string]any{"stopped_us": micros(c.stopped)}
			t.add(e)
		}
	}
}
