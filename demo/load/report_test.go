package load

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

// virtualReport is a comparison of three modes in virtual time.
func virtualReport(t *testing.T) (r *Report) {
	synctest.Test(t, func(t *testing.T) {
		c := Config{Modes: []Mode{Idle, Inline, Workers}, Duration: 2 * time.Second}
		s := virtual(c, time.Millisecond, time.Millisecond)
		headless(t.Context(), s, timerWait)
		r = s.Report()
	})
	return r
}

// stretch is one of 100 Hz, with these intervals in milliseconds.
func stretch(n uint64, intervals ...time.Duration) Stretch {
	rec := record.New(record.Options{Target: 10 * time.Millisecond, WarmUp: -1})
	start := deadline.Instant(1)
	for i, d := range intervals {
		start = start.Add(d * time.Millisecond)
		r := record.Record{Number: uint64(i + 1), Start: start, Interval: d * time.Millisecond, Updates: 1}
		if r.Interval > LongestFrame {
			r.Flags = record.Jump
		}
		rec.Add(r)
	}
	return Stretch{
		Frames: rec.Snapshot(), Procs: 3, Span: time.Second,
		Jobs: Counts{Due: 50 * int64(n), Dropped: 20 * int64(n), Finished: 30 * int64(n)},
		Used: Usage{Allocs: 12 * n, GCs: 2 * n, CPU: time.Duration(n) * time.Second / 2,
			Machine: time.Duration(n) * time.Second},
		Sound: Sound{Gaps: int(n), Wait: time.Duration(n) * time.Millisecond},
	}
}

// The figures of a mode are of all its turns. A process that was stopped for a minute has not missed 6,000 frames.
func TestFiguresAreOfAllTurns(t *testing.T) {
	const target = 10 * time.Millisecond
	f := NewFigures(Workers)
	f.Add(stretch(1, 0, 10, 10, 20, 10))
	f.Add(stretch(3, 0, 10, 60_000, 30))
	var r Report
	r.Add(f, target)
	got := r.Modes[0]
	got.intervals = nil
	// Six intervals: 10 10 20 10 and 10 30. The counts are of two seconds.
	want := Result{
		Mode: Workers, Says: Workers.Says(), Frames: 6, Missed: 3, MissedPct: got.MissedPct, P99: 20, P999: 20, Max: 20,
		Hitch: got.Hitch, Jobs: 60, Offered: 100, Dropped: 40, SoundGaps: 120, SoundWait: 3, Cores: 1, Others: 1,
		Allocs: 8, GC: 8, Seconds: 0.09, Slices: 2,
	}
	run, env := &r.Loops[0].Report.Run, r.Loops[0].Report.Environment
	if !reflect.DeepEqual(got, want) || run.N != 6 || int(run.Missed) != got.Missed || env.GOMAXPROCS != 3 {
		t.Errorf("\n%+v, want\n%+v; the loop has %+v, GOMAXPROCS %d", got, want, run, env.GOMAXPROCS)
	}
}

// The table comes first, and its columns stand below their names, also those of a mode without frames.
func TestTextBeginsWithTheTable(t *testing.T) {
	r := virtualReport(t)
	r.Modes = append(r.Modes, Result{Mode: Errgroup})
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if !strings.HasPrefix(lines[0], "  mode ") {
		t.Fatalf("it begins otherwise:\n%s", &b)
	}
	for _, row := range lines[:5] {
		if len(row) != len(lines[0]) || len(row) > 100 {
			t.Errorf("a row of %d columns under a head of %d: %q", len(row), len(lines[0]), row)
		}
	}
	if !strings.Contains(b.String(), "50 Hz, 2 s measured per mode in turns of 2 s; ") {
		t.Errorf("no settings:\n%s", &b)
	}
}

func TestTextWarnsOfABusyMachine(t *testing.T) {
	for others, want := range map[float64]int{0: 0, busyCores / 2: 0, 1.26: 1} {
		r := Report{Modes: []Result{
			{Mode: Idle, Frames: 9, Others: others / 4}, {Mode: Frameslice, Frames: 9, Others: others},
		}}
		var b strings.Builder
		if err := r.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "Other programs took up to 1.3 cores"); got != want {
			t.Errorf("others %v: %d warnings, want %d:\n%s", others, got, want, b.String())
		}
	}
}

// What cannot be written is an error, and the rest is written all the same.
func TestSaveWritesWhatItCan(t *testing.T) {
	r, dir := virtualReport(t), t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "report.json", "x"), 0o777); err != nil { // there is a folder in its place
		t.Fatal(err)
	}
	if err := r.Save(dir); err == nil {
		t.Error("no error")
	}
	for _, name := range []string{"histogram.png", "idle.hgrm", "inline.csv", "workers.trace.json"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 100 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type fullDisk struct{}

var errFull = errors.New("full")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// The one test with real threads, the real work and every mode (two, if short). What it asserts holds on any machine.
func TestRealComparison(t *testing.T) {
	modes := Modes()
	if testing.Short() {
		modes = []Mode{Idle, Frameslice}
	}
	var errs strings.Builder
	dir := t.TempDir()
	c := Config{Modes: modes, Duration: 300 * time.Millisecond, Warmup: 100 * time.Millisecond, Out: dir}
	if err := Main(t.Context(), c, fullDisk{}, &errs); !errors.Is(err, errFull) {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	b, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if r.Partial || len(r.Modes) != len(modes) || strings.Count(errs.String(), "turn ") != len(modes) {
		t.Errorf("%s\n%s", b, errs.String())
	}
	for i, x := range r.Modes {
		if x.Frames < 1 || x.Seconds < 0.3 || x.Mode != Idle && x.Offered <= 0 || r.Loops[i].Mode != x.Mode {
			t.Errorf("%+v", x)
		}
	}
}

// What is reported of a calibration is what runs, not what ran before the last correction.
func TestCorrectTellsWhatItLeaves(t *testing.T) {
	cost, disturbed := 300*time.Millisecond, []time.Duration{0, 500 * time.Millisecond, 900 * time.Millisecond, 0, 0}
	k := 0
	measure := func() time.Duration { k++; return cost + disturbed[k-1] }
	mend := func(got time.Duration) { cost = time.Duration(float64(cost) * float64(time.Second) / float64(got)) }
	if got := correct(3, time.Second, 0.01, measure, mend); got != cost || k != 4 {
		t.Errorf("after %d measurements it says %v and leaves %v", k, got, cost)
	}
}
