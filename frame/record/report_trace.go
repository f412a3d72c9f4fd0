package record

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// traceEvent is one event of Chrome's trace format. The phase is "X" for a span, "i" for an instant, "C" for a counter,
// "M" for a name. "s", "t" and "f" are the begin, a step and the end of an arrow. "b" and "e" enclose a span that may
// overlap others. Times are in microseconds.
type traceEvent struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	TS    float64        `json:"ts"`
	Dur   *float64       `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	ID    uint64         `json:"id,omitempty"`
	Bind  string         `json:"bp,omitempty"`
	Scope string         `json:"s,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// A tracer collects events as they come, and writes them in the order of time. So a reader that takes one after the
// other knows all that has begun.
type tracer struct {
	w           *bufio.Writer
	origin      deadline.Instant
	records     []Record
	collections []collection // the latest ones, oldest first
	rows        map[int][]span
	names       []traceEvent // of rows and of the process
	events      []traceEvent
	err         error
}

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

func (t *tracer) text(s string) {
	_, err := t.w.WriteString(s)
	t.err = cmp.Or(t.err, err)
}

func (t *tracer) json(v any) {
	text, err := json.Marshal(v)
	t.err = cmp.Or(t.err, err)
	t.text(string(text))
}

// add takes in an event.
func (t *tracer) add(e traceEvent) {
	e.PID = 1
	if e.Phase == "M" {
		t.names = append(t.names, e)
	} else {
		t.events = append(t.events, e)
	}
}

// writeEvents writes the events: names first, then by time. Of one time they stay in the order in which they came, a
// span before the spans within.
func (t *tracer) writeEvents() {
	slices.SortStableFunc(t.events, func(a, b traceEvent) int { return cmp.Compare(a.TS, b.TS) })
	for i, e := range append(t.names, t.events...) {
		if i > 0 {
			t.text(",")
		}
		t.text("\n")
		if t.json(e); t.err != nil {
			return
		}
	}
}

// at returns the time in microseconds since the origin, rounded down to 1/64 of one. A reader adds a span's time and
// length as floating-point numbers. Of 1/64 their sum is exact, and two spans that touch each other do not overlap.
func (t *tracer) at(at deadline.Instant) float64 {
	d := max(0, at.Sub(t.origin))
	const unit = time.Microsecond
	return float64(d/unit) + float64(d%unit*64/unit)/64
}

func (t *tracer) counter(name string, at deadline.Instant, args map[string]any) {
	t.add(traceEvent{Name: name, Phase: "C", TS: t.at(at), Args: args})
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
	if took := end.Sub(r.Start); missedFrames(took, target) > 0 {
		args["late_us"] = micros(took - target)
		args["cause"] = (&LateFrame{Interval: next.Interval, Parts: r.parts(next, rep.Runs)}).cause()
	}
	r.Counts.each(func(field reflect.StructField, n uint64, d time.Duration) {
		if n != 0 || d != 0 {
			args[field.Tag.Get("json")] = max(n, uint64(d))
		}
	})
	if d, ok := r.latency(r.HandedOver); ok {
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

// follows reports whether o is of the frame before: no Rest, no jump and no border of merged Snapshots lies in between.
func (r *Record) follows(o *Record) bool {
	gap := r.Start.Sub(o.Start)
	return r.Interval > 0 && r.Flags&Jump == 0 && gap >= 0 && gap <= r.Interval+time.Millisecond
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }
