package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

func TestVerdictArithmetic(t *testing.T) {
	idle := Result{Mode: Idle, Frames: 2000, Missed: 1, P99: 0.2, P999: 1}
	naive := []Result{{Mode: Workers, Frames: 900, Jobs: 700}, {Mode: Goroutines, Frames: 300, Jobs: 800}}
	ours := func(missed int, p99, p999, jobs float64) Result {
		return Result{Mode: Frameslice, Frames: 2000 - missed, Missed: missed,
			P99: p99, P999: p999, Jobs: jobs}
	}
	for _, c := range []struct {
		name string
		x    Result
		want string // one letter per check
	}{
		{"all well", ours(1, 0.25, 1.25, 800), "PPPP"},
		{"one frame more", ours(2, 0.25, 1.25, 800), "MPPP"},
		{"p99 within the grace", ours(0, 0.30, 1.25, 800), "PPPP"},
		{"p99 beyond both", ours(0, 0.3001, 1.25, 800), "PMPP"},
		{"p99.9 within the grace", ours(0, 0, 1.5, 800), "PPPP"},
		{"p99.9 beyond both", ours(0, 0, 1.501, 800), "PPMP"},
		{"nine tenths", ours(0, 0, 0, 720), "PPPP"},
		{"less", ours(0, 0, 0, 719.9), "PPPM"},
	} {
		got := ""
		for _, k := range verdict(append([]Result{idle, c.x}, naive...)) {
			if k.Mode != Frameslice || k.Says == "" {
				t.Errorf("%s: check %+v", c.name, k)
			}
			got += map[bool]string{true: "P", false: "M"}[k.Pass]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := verdict([]Result{idle, naive[0]}); len(got) != 0 {
		t.Errorf("a verdict without frameslice: %v", got)
	}
	if got := verdict([]Result{ours(0, 0, 0, 1), naive[0]}); len(got) != 1 {
		t.Errorf("without idle only the throughput can be judged: %v", got)
	}
	if got := verdict([]Result{{Mode: Idle}, ours(0, 0, 0, 1)}); len(got) != 0 {
		t.Errorf("an idle mode that did not run is no yardstick: %v", got)
	}
	few := ours(0, 0, 0, 800)
	few.Frames = tailFrames - 1
	if got := verdict([]Result{idle, few}); !got[2].Open || got[2].Pass || got[1].Open {
		t.Errorf("p99.9 of %d frames is judged: %v", few.Frames, got)
	}
	slow := idle
	slow.P99, slow.P999 = 10, 20
	if got := verdict([]Result{slow, ours(0, 12.5, 25, 0)}); !got[1].Pass || !got[2].Pass {
		t.Errorf("a quarter more than idle is allowed: %v", got)
	}
}

// Who misses frames has their time for jobs, so the verdict says what was done in all.
func TestTheVerdictCountsTheFramesWork(t *testing.T) {
	r := &Report{Settings: Settings{JobRealMS: 2, OwnRealMS: 4}, Modes: []Result{
		{Mode: Goroutines, Frames: 160, Missed: 440, Jobs: 894, Seconds: 10},
		{Mode: Frameslice, Frames: 600, Jobs: 806, Seconds: 10}}}
	r.Judge()
	if got := [2]float64{r.Modes[0].Work, r.Modes[1].Work}; got != [2]float64{1852, 1852} {
		t.Errorf("%v ms/s of work, want 1852 of both", got)
	}
	const want = "; with the own work of the frames drawn 1852 and 1852 ms/s"
	if k := r.Verdict[0]; !strings.HasSuffix(k.Says, want) || !k.Pass {
		t.Errorf("%+v, want a pass, and %q at its end", k, want)
	}
	r.Settings.OwnRealMS = 0
	r.Judge()
	if k := r.Verdict[0]; !strings.HasSuffix(k.Says, "limit 90 %") || r.Modes[1].Work != 0 {
		t.Errorf("%+v, where the frames' own work is not known", k)
	}
}

// A naive way that misses most of its frames has their time for jobs: that is no failure of ours.
func TestJobsAreNotJudgedByWhoDrawsNothing(t *testing.T) {
	best := Result{Mode: Goroutines, Frames: 40, Missed: 560, MissedPct: 93, Jobs: 1000, Seconds: 10, Work: 2016}
	for _, c := range []struct {
		jobs, work, missed float64
		want               string
	}{
		{910, 0, 93, "PASS"},    // as many jobs
		{800, 1900, 93, "PASS"}, // as much work
		{800, 1700, 93, "----"}, // neither, but the other drew nothing
		{800, 1700, 50, "MISS"}, // it drew half
		{800, 0, 50, "MISS"},
	} {
		best.MissedPct = c.missed
		k := checkJobs(Result{Mode: Frameslice, Frames: 600, Jobs: c.jobs, Work: c.work}, best)
		why := strings.Contains(k.Says, "not judged, as goroutines had the time of the 93 %")
		if k.Word() != c.want || k.Open != why {
			t.Errorf("%+v: %s, %+v", c, k.Word(), k)
		}
	}
}

func TestPlainWords(t *testing.T) {
	game := Settings{IntervalMS: 1000.0 / 60, Offered: 1144, JobRealMS: 2}
	idle := Result{Mode: Idle, Frames: 1200}
	goroutines := Result{Mode: Goroutines, Frames: 276, Missed: 924, MissedPct: 77, Jobs: 931.4, Offered: 1144}
	errs := Result{Mode: Errgroup, Frames: 600, Missed: 600, MissedPct: 50, Jobs: 500, Offered: 1144}
	us := Result{Mode: Frameslice, Frames: 99999, Missed: 1, MissedPct: 0.001, Jobs: 800, Offered: 1144}
	const arrive = "The game has 16.7 ms for each frame, and each second 1144 jobs of 2 ms arrive. "
	for _, c := range []struct {
		r    Report
		want string
	}{
		{Report{Modes: []Result{idle, goroutines, errs, us}}, arrive +
			"frameslice missed 1 of 100000 frames (0.001 %) and finished 800 jobs a second; " +
			"without any jobs (idle) the game missed none of 1200 frames. " +
			"Of the other ways, errgroup missed the fewest frames, 50 %; " +
			"goroutines finished the most jobs, 931 a second, and missed 77 % of its frames."},
		{Report{Modes: []Result{goroutines}}, arrive +
			"goroutines missed 924 of 1200 frames (77 %) and finished 931 jobs a second."},
		{Report{Modes: []Result{goroutines, us}, Partial: true, Slices: [2]int{3, 9}},
			"Interrupted after 3 of 9 turns: t" + arrive[1:] +
				"frameslice missed 1 of 100000 frames (0.001 %) and finished 800 jobs a second. " +
				"goroutines missed 77 % of its frames and finished 931 jobs a second."},
		{Report{Modes: []Result{{Mode: Inline, Frames: 9, MissedPct: 90, Jobs: 1}, errs, {Mode: Workers}}}, arrive +
			"The best of the other ways, errgroup, missed 50 % of its frames and finished 500 jobs a second. " +
			"There are no frames of workers."},
	} {
		c.r.Settings = game
		if got := strings.Join(c.r.sentences(), " "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// Somebody who moves the slider gives each mode a load of its own. Each row has it, and no mode is judged by another.
func TestEachRowHasItsOwnLoad(t *testing.T) {
	rows := func(a, b float64) *Report {
		r := &Report{Settings: Settings{IntervalMS: 20, Offered: 1000, JobRealMS: 2, Load: 1.3}, Modes: []Result{
			{Mode: Idle, Frames: 500, Seconds: 10},
			{Mode: Goroutines, Frames: 500, Jobs: 400, Offered: 400, Load: a, Seconds: 10},
			{Mode: Frameslice, Frames: 500, Jobs: 900, Offered: 1000, Load: b, Seconds: 10},
			{Mode: Workers},
		}}
		r.Judge()
		return r
	}
	for _, c := range []struct {
		a, b    float64
		changed bool
	}{{1.3, 1.3, false}, {1.3, 1.302, false}, {0.5, 1.3, true}, {0.5, 0.5, true}} {
		r := rows(c.a, c.b)
		for _, all := range []bool{false, true} {
			var b strings.Builder
			if err := r.WriteText(&b, all); err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(b.String()), " ")
			one := "The game has 20 ms for each frame, and each second 1000 jobs of 2 ms arrive."
			own := "The load was changed meanwhile: each row has its own."
			head := "mode FPS missed late p99 worst ms jobs/s load gaps/min wait ms idle 50.0 0 % 0.00 0.00 0 0.00 - - "
			row := fmt.Sprintf("goroutines 50.0 0 %% 0.00 0.00 400 %.2f - - frameslice", c.a)
			for part, want := range map[string]bool{
				one: !c.changed, own: c.changed, head: c.changed, row: c.changed,
				"no verdict": c.changed && all, "(load 1.3)": !c.changed && all,
			} {
				if strings.Contains(text, part) != want {
					t.Errorf("loads of %v and %v, all %v: %q is %v in\n%s", c.a, c.b, all, part, !want, b.String())
				}
			}
		}
		if (len(r.Verdict) == 0) != c.changed {
			t.Errorf("loads of %v and %v: the verdict %v", c.a, c.b, r.Verdict)
		}
	}
}

// virtualReport is a report of a comparison in virtual time.
func virtualReport(t *testing.T) (r *Report) {
	synctest.Test(t, func(t *testing.T) {
		s := virtual(Config{Compare: true, Modes: []Mode{Idle, Inline, Workers}, Duration: time.Second},
			time.Millisecond, 2*time.Millisecond)
		headless(t.Context(), s)
		r = s.Report()
	})
	return r
}

func TestJSONHasThePromisedFields(t *testing.T) {
	var b bytes.Buffer
	if err := virtualReport(t).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Partial *bool            `json:"partial"`
		Env     map[string]any   `json:"env"`
		Plain   string           `json:"plain"`
		Modes   []map[string]any `json:"modes"`
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Partial == nil || *got.Partial || got.Plain == "" || len(got.Env) == 0 || len(got.Modes) != 3 {
		t.Fatalf("%s", b.Bytes())
	}
	for i, want := range []string{"idle", "inline", "workers"} {
		m := got.Modes[i]
		if m["mode"] != want {
			t.Errorf("mode %d is %v, want %s", i, m["mode"], want)
		}
		for _, key := range []string{"frames", "missed_pct", "late_p50_ms", "late_p99_ms", "late_p999_ms",
			"late_max_ms", "hitch_ms_per_s", "jobs_per_s", "jobs_offered_per_s", "allocs_per_frame",
			"gc_cycles", "sound_gaps_per_min", "sound_wait_max_ms"} {
			if env, ok := m["env"].(map[string]any); !ok || len(env) != len(got.Env) {
				t.Errorf("%s: env is %v", want, m["env"])
			}
			if _, ok := m[key].(float64); !ok {
				t.Errorf("%s: %s is %v, want a number", want, key, m[key])
			}
		}
	}
}

// The text begins with the plain words and six columns, and has the rest only when asked. No table is wide.
func TestTextIsBriefUnlessAsked(t *testing.T) {
	r := virtualReport(t)
	for all, tables := range map[bool]int{false: 1, true: 3} {
		var b strings.Builder
		if err := r.WriteText(&b, all); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		words := strings.Join(strings.Fields(text), " ")
		if !strings.HasPrefix(words, r.Plain+" mode FPS missed late p99 worst ms jobs/s gaps/min wait ms ") {
			t.Errorf("it begins otherwise:\n%s", text)
		}
		lines := strings.Split(text, "\n")
		if !all && len(lines) > 12 {
			t.Errorf("%d lines are not brief:\n%s", len(lines), text)
		}
		for i, l := range lines {
			if !strings.HasPrefix(l, "  mode ") {
				continue
			}
			tables--
			for _, row := range lines[i+1 : i+4] {
				if len(row) != len(l) || len(l) > 110 {
					t.Errorf("a row of %d columns under a head of %d: %q", len(row), len(l), row)
				}
			}
		}
		if tables != 0 {
			t.Errorf("all %v: %d tables are missing in\n%s", all, tables, text)
		}
	}
}

func TestSaveWritesWholeFilesOrNone(t *testing.T) {
	dir := t.TempDir()
	r := virtualReport(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	c := Config{JSON: in("r.json"), PNG: in("r.png"), HGRM: in("r.hgrm")}
	if err := r.Save(c); err != nil {
		t.Fatal(err)
	}
	want := []string{"r.idle.hgrm", "r.inline.hgrm", "r.json", "r.png", "r.workers.hgrm"}
	got, err := os.ReadDir(dir)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v, %v; want %v", got, err, want)
	}
	for i, f := range got {
		if st, err := f.Info(); f.Name() != want[i] || err != nil || st.Size() < 100 {
			t.Errorf("file %v, %v; want %s", f, err, want[i])
		}
	}
	old, _ := os.ReadFile(c.JSON)
	broken := errors.New("no more room")
	err = record.WriteFile(c.JSON, func(w io.Writer) error { io.WriteString(w, "{"); return broken })
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if now, _ := os.ReadFile(c.JSON); !bytes.Equal(old, now) {
		t.Error("a failed write changed the file")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The one test with real threads, the real work and every mode (two, if short). What it asserts holds on any machine.
func TestRealComparison(t *testing.T) {
	modes := Modes()
	if testing.Short() {
		modes = []Mode{Idle, Frameslice}
	}
	var out, errs strings.Builder
	dir := t.TempDir()
	c := Config{Compare: true, Modes: modes, Duration: 300 * time.Millisecond, Warmup: 100 * time.Millisecond,
		JSON: filepath.Join(dir, "r.json"), PNG: filepath.Join(dir, "r.png")}
	if err := Main(t.Context(), c, &out, &errs); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	b, err := os.ReadFile(c.JSON)
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if r.Partial || len(r.Modes) != len(modes) || strings.Count(errs.String(), "turn ") != len(modes) {
		t.Errorf("%s\n%s", out.String(), errs.String())
	}
	for _, x := range r.Modes {
		if x.Frames < 1 || x.Seconds < 0.3 || x.Mode != Idle && x.Offered <= 0 {
			t.Errorf("%+v", x)
		}
	}
}

func TestTextWarnsOfABusyMachine(t *testing.T) {
	for others, want := range map[float64]int{0: 0, busyCores / 2: 0, 1.26: 1} {
		r := Report{Modes: []Result{
			{Mode: Idle, Frames: 9, Others: others / 4}, {Mode: Frameslice, Frames: 9, Others: others},
		}}
		var b strings.Builder
		if err := r.WriteText(&b, false); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "Other programs took up to 1.3 cores"); got != want {
			t.Errorf("others %v: %d warnings, want %d:\n%s", others, got, want, b.String())
		}
	}
}
