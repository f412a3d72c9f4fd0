package record

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
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
		"record: NewReport of a nil Snap":         func() { NewReport("x", nil, Environment{}) },
		"record: Watch of a nil Pool":             func() { rec.Watch(nil) },
		"record: NewReport of a Snapshot that no": func() {
			NewReport("x", new(Snapshot), Environment{})
		},
		"record: Merge into a Snapshot that no": func() { new(Snapshot).Merge(rec.Snapshot()) },
		"record: Merge of a nil Snapshot":       func() { rec.Snapshot().Merge(nil) },
		"record: WriteFile with a nil":          func() { _ = WriteFile(t.TempDir()+"/x", nil) },
	} {
		if got := testkit.PanicOf(f); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	r := &Report{Tasks: []Times{{Priority: "low"}}, Jobs: []Times{{Priority: "idle"}}}
	if r.AddWork(nil, nil); len(r.Tasks) != 1 || len(r.Jobs) != 1 {
		t.Errorf("AddWork of nothing: %d tasks, %d jobs", len(r.Tasks), len(r.Jobs))
	}
	if err := r.Save(t.TempDir(), ""); err == nil {
		t.Error("a report was saved as .txt")
	}
}

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfRecorderOptions(t *testing.T) {
	lost := errors.New("a frame was lost")
	testkit.Extremes(t, func(o Options) error {
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
