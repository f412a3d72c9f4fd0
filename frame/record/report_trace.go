package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// traceEvent is one event of Chrome's trace format: "X" is a span, "C" a counter, "M" a name. Times are in
// microseconds.
type traceEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	TS    float64        `json:"ts"`
	Dur   float64        `json:"dur,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

// The rows of the trace.
const (
	traceFrames = 1 + iota
	traceGoroutine
	traceSections
)

// trace is the whole file.
type trace struct {
	Unit   string       `json:"displayTimeUnit"`
	Events []traceEvent `json:"traceEvents"`
}

// writeTrace writes the records as trace JSON for Perfetto and Chrome's about:tracing.
func (s *Snapshot) writeTrace(w io.Writer) error {
	t := &trace{Unit: "ms"}
	t.name("process_name", 0, "frameslice")
	t.name("thread_name", traceFrames, "frames")
	t.name("thread_name", traceGoroutine, "frame goroutine")
	t.name("thread_name", traceSections, "sections of own work")
	for i := range s.Records {
		t.record(s, i)
	}
	buf := bufio.NewWriter(w)
	return errors.Join(json.NewEncoder(buf).Encode(t), buf.Flush())
}

func (t *trace) event(e traceEvent) {
	e.PID = 1
	t.Events = append(t.Events, e)
}

func (t *trace) name(of string, row int, name string) {
	t.event(traceEvent{Name: of, Phase: "M", TID: row, Args: map[string]any{"name": name}})
}

func (t *trace) record(s *Snapshot, i int) {
	r, origin := &s.Records[i], s.Records[0].Start
	span := func(name string, row int, from, to deadline.Instant, args map[string]any) {
		t.event(traceEvent{
			Name: name, Phase: "X", TS: micros(from.Sub(origin)), Dur: micros(max(0, to.Sub(from))), TID: row,
			Args: args,
		})
	}
	end, target := r.Start.Add(r.Busy()), s.Target
	if i+1 < len(s.Records) && s.Records[i+1].follows(r) {
		next := &s.Records[i+1] // its Interval is this frame's length
		end = next.Start
		if next.Target > 0 {
			target = next.Target
		}
	}
	name := "frame"
	if missedFrames(end.Sub(r.Start), target) > 0 {
		name = "late frame"
	}
	args := map[string]any{"number": r.Number, "flags": r.Flags.names()}
	r.Counts.each(func(field reflect.StructField, n uint64, d time.Duration) {
		if n != 0 || d != 0 {
			args[field.Tag.Get("json")] = max(n, uint64(d))
		}
	})
	span(name, traceFrames, r.Start, end, args)
	if r.Updates > 0 {
		span("update", traceGoroutine, r.UpdateBegin, r.UpdateEnd, map[string]any{"updates": r.Updates})
	}
	if r.Flags&Sliced != 0 {
		span("slice", traceGoroutine, r.SliceBegin, r.SliceEnd, map[string]any{
			"budget_us": micros(r.Budget()), "overrun_us": micros(r.Overrun()), "unused_us": micros(r.unused()),
			"worst": r.WorstLabel, "worst_us": micros(r.WorstCost),
		})
	}
	for i := range r.Sections {
		one := &r.Sections[i]
		if one.Calls == 1 { // others are not one span
			span(one.Name, traceSections, one.Begin, one.Begin.Add(one.Time), map[string]any{"own_us": micros(one.Own)})
		} else {
			args["section "+one.Name] = map[string]any{
				"calls": one.Calls, "time_us": micros(one.Time), "own_us": micros(one.Own),
			}
		}
	}
	counter := func(name string, args map[string]any) {
		t.event(traceEvent{Name: name, Phase: "C", TS: micros(r.Start.Sub(origin)), Args: args})
	}
	counter("interval", map[string]any{"us": micros(r.Interval)})
	counter("queues", map[string]any{"ready": r.Ready, "delayed": r.Delayed, "queued": r.Queued})
	counter("gc", map[string]any{"cycles": r.GCCycles})
}

// follows reports whether o is of the frame before: no Rest, no jump and no border of merged Snapshots lies in between.
func (r *Record) follows(o *Record) bool {
	gap := r.Start.Sub(o.Start)
	return r.Interval > 0 && r.Flags&Jump == 0 && gap >= 0 && gap <= r.Interval+time.Millisecond
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }
