package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/framecsv"
)

func (l *lines) json() ([]*Run, error) {
	text, err := io.ReadAll(io.LimitReader(l.in, maxJSON+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxJSON:
		return nil, fmt.Errorf("JSON of more than %d MiB", maxJSON>>20)
	case bytes.Count(text, []byte("{")) > maxObjects:
		return nil, fmt.Errorf("JSON of more than %d objects", maxObjects)
	}
	var r record.Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, l.broken(text, err)
	}
	switch {
	case r.Version > framecsv.Version:
		return nil, fmt.Errorf("a report of a later frameslice, version %d: this framestat reads version %d", r.Version,
			framecsv.Version)
	case r.Version > 0 && r.Target > 0 && r.Target <= longest:
		run, err := ours(&r)
		return []*Run{run}, err
	case bytes.Contains(text, []byte(`"traceEvents"`)):
		return nil, errTrace
	}
	return nil, errors.New("JSON, but no run: give a file of Report.Save (the demo writes one for each mode), or a CSV")
}

// broken finds the line of a fault.
func (l *lines) broken(text []byte, err error) error {
	var offset int64
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = kind.Offset
		field := Clean(kind.Field[strings.LastIndexByte(kind.Field, '.')+1:])
		err = fmt.Errorf("JSON of another kind: %s has type %s", field, Clean(kind.Value))
	}
	if offset == 0 {
		return err
	}
	l.n = 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
	return err
}

// ours takes the figures of a report, which has no frames.
func ours(c *record.Report) (*Run, error) {
	r := &c.Run
	if r.N == 0 {
		return nil, errors.New("no frame counts in this report")
	}
	m := c.Window
	m.N, m.Time, m.AverageFPS = int(min(r.N, 1<<31-1)), r.Time, r.AverageFPS
	m.ByFrame, m.Lateness = r.Interval, r.Lateness
	m.Missed, m.MissedPercent = int64(min(r.Missed, 1<<62)), r.MissedPercent
	m.HitchRatio, m.QuantizedHitchRatio, m.HitchBand = r.HitchRatio, r.QuantizedHitchRatio, Clean(r.HitchBand)
	run := &Run{Name: Clean(c.Name), Format: "JSON of frameslice", Target: c.Target, Report: &m}
	if s := c.Display; s != nil && s.Interval.N > 0 {
		run.Display = &record.Metrics{
			N: int(min(s.Interval.N, 1<<31-1)), ByFrame: s.Interval, Missed: s.Missed, MissedPercent: s.MissedPercent,
			HitchRatio: s.HitchRatio, QuantizedHitchRatio: s.QuantizedHitchRatio, HitchBand: Clean(s.HitchBand),
		}
	}
	run.environment(&c.Environment)
	run.ran = map[time.Duration]string{}
	for i := range c.LateFrames {
		run.ran[inCSV(c.LateFrames[i].Interval)] = Clean(c.LateFrames[i].Ran())
	}
	for i := range c.Cheaper {
		run.Cheaper = append(run.Cheaper, Clean(c.Cheaper[i].String()))
	}
	return run, nil
}

// inCSV is an interval as our CSV has it, in ten thousandths of a millisecond.
func inCSV(d time.Duration) time.Duration { return d.Round(100) }

// Join gives the frames of our CSV the parts that our report has of the longest late ones.
func (run *Run) Join(report *Run) {
	why := run.Why
	run.Cheaper = report.Cheaper
	run.Why = func(i int, target time.Duration) string {
		says := []string{why(i, target), report.ran[inCSV(run.Intervals[i])]}
		return strings.Join(slices.DeleteFunc(says, func(s string) bool { return s == "" }), "; ")
	}
}

// environment adds what a report knows of the machine, a line of its text for each key. A report may be made without.
func (run *Run) environment(e *record.Environment) {
	if e.GoVersion == "" {
		return
	}
	lines := strings.SplitN(e.String(), "\n", 3)
	for i, key := range []string{"machine", "settings", "cost"} {
		run.fact(key, lines[i])
	}
	if e.Race {
		run.note("the race detector was on: figures mean little")
	}
}
