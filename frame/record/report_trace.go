package record

import (
	"bufio"
	"encoding/json"
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
)

// writeTrace writes the records as trace JSON for Perfetto and Chrome's about:tracing.
func (s *Snapshot) writeTrace(w io.Writer) error {
	buf := bufio.NewWriter(w)
	t := &traceWriter{w: buf, enc: json.NewEncoder(buf)}
	t.raw(`{"displayTimeUnit":"ms","traceEvents":[` + "\n")
	t.event(traceEvent{Name: "process_name", Phase: "M", Args: map[string]any{"name": "frameslice"}})
	t.event(traceEvent{
		Name: "thread_name", Phase: "M", TID: traceFrames, Args: map[string]any{"name": "frames"},
	})
	t.event(traceEvent{
		Name: "thread_name", Phase: "M", TID: traceGoroutine, Args: map[string]any{"name": "frame goroutine"},
	})
	for i := range s.Records {
		t.record(s, i)
	}
	t.raw("]}\n")
	if t.err != nil {
		return t.err
	}
	return buf.Flush()
}

type traceWriter struct {
	w    *bufio.Writer
	enc  *json.Encoder
	err  error
	more bool
}

func (t *traceWriter) raw(s string) {
	if t.err == nil {
		_, t.err = t.w.WriteString(s)
	}
}

func (t *traceWriter) event(e traceEvent) {
	if t.more {
		t.raw(",")
	}
	t.more = true
	if t.err == nil {
		e.PID = 1
		t.err = t.enc.Encode(e)
	}
}

func (t *traceWriter) record(s *Snapshot, i int) {
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
	args := map[string]any{"number": r.Number, "flags": r.Flags.String()}
	r.Counts.each(func(field reflect.StructField, n uint64, d time.Duration) {
		if n != 0 || d != 0 {
			args[field.Tag.Get("json")] = max(n, uint64(d))
		}
	})
	span(name, traceFrames, r.Start, end, args)
	if r.Updates > 0 {
		span("update", traceGoroutine, r.UpdateBegin, r.UpdateEnd, map[string]any{"updates": r.Updates})
	}
	if r.Flags.Has(Sliced) {
		span("slice", traceGoroutine, r.SliceBegin, r.SliceEnd, map[string]any{
			"budget_us": micros(r.Budget()), "overrun_us": micros(r.Overrun()), "unused_us": micros(r.unused()),
			"worst": r.WorstLabel, "worst_us": micros(r.WorstCost),
		})
	}
	counter := func(name string, args map[string]any) {
		t.event(traceEvent{Name: name, Phase: "C", TS: micros(r.Start.Sub(origin)), Args: args})
	}
	counter("interval", map[string]any{"us": micros(r.Interval)})
	counter("queues", map[string]any{"ready": r.Ready, "delayed": r.Delayed, "queued": r.Queued})
	counter("gc", map[string]any{"cycles": r.GCCycles})
}

// follows reports whether o is of the frame before: no Rest, no jump and no border of two turns lies in between.
func (r *Record) follows(o *Record) bool {
	gap := r.Start.Sub(o.Start)
	return r.Interval > 0 && !r.Flags.Has(Jump) && gap >= 0 && gap <= r.Interval+time.Millisecond
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }
