package record

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// recorded runs d through a recorder that keeps n records, with some work in every frame.
func recorded(d Intervals, n int) *Snapshot {
	rec := quiet(Options{Target: r, WarmUp: 2, Records: n})
	start := deadline.Instant(5_000_000)
	for i, x := range d {
		start = start.Add(x)
		f := Record{
			Number: uint64(i + 1), Start: start, Interval: x, UpdateBegin: start, UpdateEnd: start.Add(2 * ms),
			SliceBegin: start.Add(3 * ms), SliceDeadline: start.Add(7 * ms), SliceEnd: start.Add(6 * ms),
			DrawEnd: start.Add(3 * ms), Step: r, Updates: 1, Counts: Counts{Ran: 3, Deferred: 1}, Ready: 4, Queued: 5,
			Flags: Sliced | Stepped, WorstLabel: `path "finding", <far>`,
			WorstCost: 900 * time.Microsecond,
		}
		if i%100 == 50 {
			f.SliceEnd, f.WorstCost = start.Add(8*ms), 3*ms
		}
		rec.Add(f)
	}
	return rec.Snapshot()
}

func TestReportRoundTrip(t *testing.T) {
	rep := NewReport("naïve <go>", recorded(golden2(), 600), ReadEnvironment("timer"))
	want, got := *rep, readBack(t, rep)
	w := &want.Window // what Run has, the JSON has once
	w.AverageFPS, w.ByFrame, w.Lateness, w.Missed, w.MissedPercent = 0, Distribution{}, Distribution{}, 0, 0
	w.HitchRatio, w.QuantizedHitchRatio, w.HitchBand, want.Snapshot = 0, 0, "", nil
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got  %+v\nwant %+v", *got, want)
	}
	var text strings.Builder
	if err := rep.writeJSON(&text); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		`"name": "naïve <go>"`, `"missed_percent"`, `"low_1_percent_integral_fps"`, `"updates_0_1_2_3"`,
	} {
		if !strings.Contains(text.String(), key) {
			t.Errorf("no %s in\n%s", key, &text)
		}
	}
}

func TestReportTextIsAlignedAndComplete(t *testing.T) {
	for _, n := range []int{200, 4096} {
		text := NewReport("sliced", recorded(golden2(), n), ReadEnvironment("timer")).Text()
		for _, part := range []string{
			"998 frames", "target r = 16.667 ms (60 Hz)", "2 warm-up", "0 jumps (0.000 s)", "by frame",
			"by time", "N / T",
			"own work", "host", "wait",
			"slice used", "slice overrun", "slice unused",
			"slices with tasks left out", "animation error", "missed", "hitch ratio",
			"hitch ratio, quantized", "worst region", "stutter time", "jank", "updates per draw",
			"integral", "average", "percentile", "frame-time discrepancy", "bootstrap", "2.5 x the mean",
			"GOMAXPROCS", "GOGC",
			"clock resolution", "recorder", "loop estimate", `path "finding", <far>`, "wait timer", "1: 998",
		} {
			if !strings.Contains(text, part) {
				t.Errorf("no %q in\n%s", part, text)
			}
		}
		if got, want := strings.Contains(text, "*"), n < 1000; got != want {
			t.Errorf("window of %d: got a star %v, want %v", n, got, want)
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); strings.TrimRight(line, " \t") != line {
				t.Errorf("blanks at the end of %q", line)
			}
			if len([]rune(line)) > 130 {
				t.Errorf("a line of %d characters: %q", len([]rune(line)), line)
			}
		}
	}
}

// Figures of no frame would look like good ones: the text says that there are none, and why. The JSON has all fields.
func TestReportOfAWarmUp(t *testing.T) {
	rec := New(Options{})
	add(rec, 1, 50)
	rep := NewReport("short", rec.Snapshot(), Environment{})
	text := rep.Text()
	const none = "short: no frame counts: 50 in all, 50 of warm-up, 0 jumps of 0s, 0 excluded, "
	if !strings.HasPrefix(text, none) || !strings.Contains(text, "\n  allocations ") {
		t.Errorf("got\n%s", text)
	}
	for _, word := range []string{"missed", "good", "FPS", "NaN"} {
		if strings.Contains(text, word) {
			t.Errorf("%q of no frame:\n%s", word, text)
		}
	}
	var b strings.Builder
	if err := rep.writeJSON(&b); err != nil || !strings.Contains(b.String(), `"missed_percent": 0,`) {
		t.Errorf("%v:\n%s", err, &b)
	}
	if err := NewReport("", New(Options{}).Snapshot(), Environment{}).Save(t.TempDir(), "empty"); err != nil {
		t.Error(err)
	}
}

func TestLateFramesNearACollection(t *testing.T) {
	s := recorded(golden2(), 4096)
	s.Records[99].GCCycles = 1  // the frame in which the freeze at 100 lies
	s.Records[350].GCCycles = 2 // ended within it
	s.Records[602].GCCycles = 1 // two frames later
	rep := NewReport("gc", s, Environment{})
	if rep.Late != 4 || rep.LateNearGC != 2 {
		t.Errorf("got %d of %d late frames near a collection, want 2 of 4", rep.LateNearGC, rep.Late)
	}
}

func TestAnimationErrorIsReported(t *testing.T) {
	rep := NewReport("anim", recorded(golden2(), 4096), Environment{})
	if got := rep.AnimationError; got.N != 998 || got.Max != 500*ms-r || got.P50 != 16_670*time.Microsecond-r {
		t.Errorf("got %+v", got)
	}
}

func TestCSVHasOneLinePerRecord(t *testing.T) {
	s := recorded(golden2(), 4096)
	var buf bytes.Buffer
	if err := NewReport("golden", s, Environment{}).writeCSV(&buf); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&buf).ReadAll()
	if err != nil || len(rows) != 1001 {
		t.Fatalf("got %d rows, %v; want 1001", len(rows), err)
	}
	cell := func(row int, name string) string { return rows[row][slices.Index(rows[0], name)] }
	number := func(row int, name string) float64 {
		f, err := strconv.ParseFloat(cell(row, name), 64)
		if err != nil {
			t.Fatalf("row %d, %s: %v", row, name, err)
		}
		return f
	}
	near(t, "MsBetweenPresents", number(101, "MsBetweenPresents"), 500, 1e-9)
	near(t, "FrameTime", number(100, "FrameTime"), 500, 1e-9)
	near(t, "CPUBusy", number(100, "CPUBusy"), 6, 1e-9)
	near(t, "CPUWait", number(100, "CPUWait"), 494, 1e-9)
	near(t, "TimeInSeconds", number(2, "TimeInSeconds"), 0.01667, 1e-6)
	near(t, "AnimationError", number(101, "AnimationError"), 16.6667-500, 1e-3)
	near(t, "SliceBudget", number(1, "SliceBudget"), 4, 1e-9)
	near(t, "SliceUsed", number(51, "SliceUsed"), 5, 1e-9)
	near(t, "SliceOverrun", number(51, "SliceOverrun"), 1, 1e-9)
	near(t, "Ready", number(51, "Ready"), 4, 0)
	if got := cell(1000, "FrameTime"); got != "NA" {
		t.Errorf("the last frame's time: got %q, want NA", got)
	}
	if got := cell(1, "Flags"); got != "warm-up|sliced|stepped" {
		t.Errorf("flags: got %q", got)
	}
	if got := cell(1, "WorstLabel"); got != `path "finding", <far>` {
		t.Errorf("label: got %q", got)
	}
}

func TestTraceIsJSON(t *testing.T) {
	var buf bytes.Buffer
	if err := NewReport("x", recorded(golden2(), 4096), Environment{}).writeTrace(&buf); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Name, Ph string
			TS, Dur  float64
			PID, TID int
			Args     map[string]any
		}
	}
	if err := json.Unmarshal(buf.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	count, late := map[string]int{}, 0
	for _, e := range trace.TraceEvents {
		count[e.Name]++
		if e.Name == "frame" && e.Args["late_us"] != nil {
			late++
		}
		if e.TS < 0 || e.Dur < 0 || e.PID != 1 {
			t.Fatalf("got event %+v", e)
		}
	}
	if count["frame"] != 1000 || late != 4 || count["slice"] != 1000 || count["update"] != 1000 {
		t.Errorf("got %v, %d late; want 1000 frames, 4 late, 1000 slices and updates", count, late)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var n []string
	for _, e := range entries {
		n = append(n, e.Name())
	}
	return n
}

func TestWritersReportTheWritersError(t *testing.T) {
	rep := NewReport("x", recorded(golden2(), 600), Environment{})
	for name, write := range map[string]func(io.Writer) error{
		"text": rep.writeText, "json": rep.writeJSON, "csv": rep.writeCSV,
		"trace": rep.writeTrace, "hgrm": rep.Snapshot.Interval.WriteHGRM,
		"hlog": func(w io.Writer) error { return rep.Snapshot.Interval.WriteHLog(w, "x") },
	} {
		if err := write(brokenWriter{}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: got %v, want the writer's error", name, err)
		}
	}
}

// The text of a short run says first what is missing, and how to get that.
func TestReportSaysFirstWhatIsLeftOut(t *testing.T) {
	const counts = "  to count all frames: "
	rec := quiet(Options{Target: 10 * ms, WarmUp: 2, Exclude: Loading})
	for i := range 106 {
		r := Record{Number: uint64(i + 1), Interval: 10 * ms}
		switch i {
		case 3:
			r.Flags = Jump
		case 4, 5:
			r.Flags = Loading
		}
		rec.Add(r)
		if n := i - 4; n == -3 || n == 99 || n == 100 {
			text := NewReport("x", rec.Snapshot(), Environment{}).Text()
			want := map[int]string{
				-3: "x: no frame counts: 2 in all, 2 of warm-up, 0 jumps of 0s, 0 excluded, 0 without an interval\n" +
					counts + "record.Options.WarmUp = -1 (warm-up)\n\n",
				99: "  left out of 104 frames: 2 warm-up, 1 jumps (0.010 s), 2 flagged, 0 without an interval\n" +
					counts + "record.Options.WarmUp = -1 (warm-up), frame.Options.JumpAfter = -1 (jumps), " +
					"no record.Options.Exclude (flagged)\n  99 frames in 0.990 s",
				100: "  left out of 105 frames: 2 warm-up",
			}[n]
			if _, rest, ok := strings.Cut(text, "\n\n"); ok && n > 0 {
				text = rest // after the summary
			}
			if !strings.HasPrefix(text, want) || n == 100 && strings.Contains(text, counts) {
				t.Errorf("%d: got\n%s\nwant\n%s", n, text, want)
			}
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
