package record

import (
	"bufio"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

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

func micros(d time.Duration) float64 { return float64(d) / 1e3 }
