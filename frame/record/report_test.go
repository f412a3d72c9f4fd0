package record

import (
	"errors"
	"io"
	"os"
	"reflect"
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

func TestReportTextIsAligned(t *testing.T) {
	text := NewReport("sliced", recorded(golden2(), 200), ReadEnvironment("timer")).Text()
	for _, part := range []string{ // that are no figures: see TestEveryRowOfTheText
		"16.667 ms (60 Hz)", "loop estimate", "frame-time discrepancy", "by bootstrap", "GOMAXPROCS", "wait timer",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
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
