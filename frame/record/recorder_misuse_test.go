package record

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"

	"github.com/frameslice/frameslice/internal/extreme"
)

// Bad arguments: a panic that names what is wrong, and nothing has changed.
func TestMisuseOfRecords(t *testing.T) {
	nan := math.NaN()
	d := Intervals{1, 2, 3}
	rec := New(Options{})
	for want, f := range map[string]func(){
		"record: New with Options.Records of -1":  func() { New(Options{Records: -1}) },
		"record: New with Options.Records of 167": func() { New(Options{Records: 1<<24 + 1}) },
		"record: New with Options.Target of -1":   func() { New(Options{Target: -1}) },
		"record: Percentile of NaN":               func() { d.Percentile(nan) },
		"record: Bootstrap with Rounds of":        func() { d.Bootstrap(1, Bootstrap{Rounds: math.MaxInt}) },
		"record: NewReport of a nil Snap":         func() { NewReport("x", nil, Environment{}) },
		"record: Watch of a nil Pool":             func() { rec.Watch(nil) },
		"record: AddInsight with nil Insight":     func() { new(Report).AddInsight(nil) },
		"record: NewReport of a Snapshot that no": func() {
			NewReport("x", new(Snapshot), Environment{})
		},
		"record: Merge into a Snapshot that no": func() { new(Snapshot).Merge(rec.Snapshot()) },
		"record: Merge of a nil Snapshot":       func() { rec.Snapshot().Merge(nil) },
		"record: WriteFile with a nil":          func() { _ = WriteFile(t.TempDir()+"/x", nil) },
	} {
		if got := panicOf(f); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	r := &Report{Tasks: []TaskTimes{{Priority: "low"}}}
	if got := panicOf(func() { r.AddTimes(nil) }); got != "record: AddTimes with nil Times" || len(r.Tasks) != 1 {
		t.Errorf("AddTimes: %q, %d tasks", got, len(r.Tasks))
	}
	if err := r.Save(t.TempDir(), ""); err == nil {
		t.Error("a report was saved as .txt")
	}
}

// What is out of range counts as the nearest that is in it, on every architecture.
func TestMetricsOutOfRange(t *testing.T) {
	d := Intervals{time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond}
	h := NewHistogram()
	for _, x := range d {
		h.Record(x)
	}
	for _, inf := range []float64{1e300, math.Inf(1)} {
		for name, got := range map[string][2]float64{
			"Percentile":       {float64(d.Percentile(inf)), float64(d.Percentile(100))},
			"Percentile below": {float64(d.Percentile(-inf)), float64(d.Percentile(0))},
			"Histogram":        {float64(h.Percentile(inf)), float64(h.Percentile(100))},
			"Histogram below":  {float64(h.Percentile(-inf)), float64(h.Percentile(0))},
		} {
			if got[0] != got[1] {
				t.Errorf("%s of %g: %v, want %v", name, inf, got[0], got[1])
			}
		}
	}
}

// endlessText is text without an end; it counts what has been read.
type endlessText struct {
	before string
	read   int
}

func (e *endlessText) Read(p []byte) (int, error) {
	n := copy(p, e.before)
	e.before = e.before[n:]
	for i := range p[n:] {
		p[n+i] = ' '
	}
	e.read += len(p)
	return len(p), nil
}

// An endless text is no report, and ReadReport stops at its limit.
func TestReadReportOfSomethingEndless(t *testing.T) {
	for _, before := range []string{"", `{"target_ns": 16666667`, `{"target_ns": 16666667}`, `{"target_ns": "`} {
		e := &endlessText{before: before}
		if r, err := ReadReport(e); err == nil || r != nil || !strings.Contains(err.Error(), "16 MiB") {
			t.Errorf("after %q: %v", before, err)
		}
		if e.read > 32<<20 {
			t.Errorf("after %q: %d bytes have been read", before, e.read)
		}
	}
}

// The wrong file must not pass for a run without a missed frame.
func TestReadReportOfSomethingElse(t *testing.T) {
	for _, text := range []string{`{"name":"x"}`, `null`, `{}`, `[]`, ``} {
		if r, err := ReadReport(strings.NewReader(text)); err == nil || r != nil {
			t.Errorf("%s: %v, %v", text, r, err)
		}
	}
}

func TestReadReportOfTwo(t *testing.T) {
	var b bytes.Buffer
	if err := NewReport("x", recorded(golden2(), 600), Environment{}).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadReport(strings.NewReader(b.String() + " \n")); err != nil {
		t.Error(err)
	}
	if _, err := ReadReport(strings.NewReader(b.String() + b.String())); err == nil {
		t.Error("two reports are read as one")
	}
}

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfRecorderOptions(t *testing.T) {
	lost := errors.New("a frame was lost")
	extreme.Try(t, func(o Options) error {
		r := New(o)
		for i := range uint64(3) {
			r.Add(Record{Number: i + 1, Start: deadline.Instant(i+1) * deadline.Instant(ms), Interval: ms})
		}
		if s := r.Snapshot(); s.Totals.Frames != 3 {
			return lost
		}
		return nil
	})
}

func panicOf(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}
