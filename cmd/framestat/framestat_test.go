package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
)

// call runs the program in a folder of files, and returns what it says.
func call(t *testing.T, dir string, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	t.Chdir(dir)
	status = run(args, &o, &e)
	return status, o.String(), e.String()
}

// write writes files, and returns their folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// made is a made-up run at 60 Hz: one frame of 1/share is late by one to three refreshes.
func made(seed uint64, n int, share float64) record.Intervals {
	rng := rand.New(rand.NewPCG(seed, 9))
	d := make(record.Intervals, n)
	for i := range d {
		ms := 16.667 + 0.2*rng.NormFloat64()
		if rng.Float64() < share {
			ms += 16.667 * float64(1+rng.IntN(3))
		}
		d[i] = time.Duration(ms * 1e6)
	}
	return d
}

func asCSV(application string, d record.Intervals) string {
	var b strings.Builder
	b.WriteString("Application,ProcessID,Dropped,TimeInSeconds,MsBetweenPresents,MsInPresentAPI\n")
	for _, x := range d {
		fmt.Fprintf(&b, "%s,1,0,0,%.6f,%.6f\n", application, words.Millis(x), 0.9*words.Millis(x))
	}
	return b.String()
}

func TestTellsAllFiguresByName(t *testing.T) {
	d := made(1, 1000, 0.02)
	dir := write(t, map[string]string{"a.csv": asCSV("game.exe", d)})
	status, out, errs := call(t, dir, "a.csv")
	m := d.Measure(time.Second / 60)
	if status != 0 || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	for _, want := range []string{
		"a.csv: CSV of PresentMon 1, game.exe, target 16.667 ms (60 Hz), guessed from the median of a.csv",
		fmt.Sprintf("%.3f ms    99 of 100", words.Millis(m.ByFrame.P99)),
		fmt.Sprintf("%.3f ms/s  lateness in", m.HitchRatio),
		fmt.Sprintf("%d frames missed a refresh", len(measuredOf(d).lateFrames())),
		"hitch band", "with 95 % confidence",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, f := range figures {
		if !strings.Contains(out, "  "+f.name+" ") {
			t.Errorf("no %s", f.name)
		}
	}
}

func TestComparesWithTheFirst(t *testing.T) {
	dir := write(t, map[string]string{
		"good.csv": asCSV("game", made(1, 3600, 0.005)), "bad.csv": asCSV("game", made(2, 3600, 0.03)),
		"again.csv": asCSV("game", made(1, 3600, 0.005)),
	})
	status, out, errs := call(t, dir, "good.csv", "bad.csv", "again.csv")
	if status != 0 || !strings.Contains(out, "\nbad.csv against good.csv: worse, by ") || !strings.HasPrefix(out,
		"bad.csv against good.csv: worse, by ") ||
		!strings.Contains(out, "\nagain.csv against good.csv: no difference seen\n") {
		t.Errorf("status %d, %s:\n%s", status, errs, out)
	}
	_, out, _ = call(t, dir, "bad.csv", "good.csv")
	if !strings.Contains(out, "\ngood.csv against bad.csv: better, by ") {
		t.Errorf("the other way round:\n%s", out)
	}
}

// A run is judged by the target of the flag, of the file, or of the other file.
func TestTargets(t *testing.T) {
	slow := make(record.Intervals, 100)
	for i := range slow {
		slow[i] = 2 * time.Second / 60
	}
	dir := write(t, map[string]string{"a.csv": asCSV("a", made(1, 100, 0)), "b.csv": asCSV("b", slow)})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"b.csv"}, "target 33.333 ms (30 Hz), guessed"},
		{[]string{"a.csv", "b.csv"}, "1, b, target 16.667 ms (60 Hz), guessed from the median of a.csv"},
		{[]string{"-target", "144", "b.csv"}, "target 6.944 ms (144 Hz)\n"},
		{[]string{"b.csv", "-target", "20ms"}, "target 20.000 ms (50 Hz)\n"},
		{[]string{"-target=75 Hz", "b.csv"}, "target 13.333 ms (75 Hz)\n"},
	} {
		if status, out, errs := call(t, dir, c.args...); status != 0 || !strings.Contains(out, c.want) {
			t.Errorf("%q: status %d, no %q in %s\n%s", c.args, status, c.want, errs, out)
		}
	}
	for _, bad := range []string{"x", "0", "-60", "NaN", "1ns", "1h", "1e9"} {
		if status, _, errs := call(t, dir, "-target="+bad, "a.csv"); status != 2 || strings.Count(errs, "\n") != 1 {
			t.Errorf("-target=%s: status %d, %q", bad, status, errs)
		}
	}
}

// A report of ours has figures and no frames, its CSV has frames. Either finds the other.
func TestJoinsAReportWithItsFrames(t *testing.T) {
	rec := record.New(record.Options{WarmUp: -1, Target: time.Second / 120})
	start := deadline.Instant(time.Second)
	for i, d := range made(3, 500, 0.02) {
		start = start.Add(d / 2)
		end := start.Add(d / 4)
		rec.Add(record.Record{
			Number: uint64(i + 1), Start: start, Interval: d / 2, Flags: record.Sliced,
			DrawEnd: start, SliceBegin: start, SliceDeadline: end,
			SliceEnd: end, WorstLabel: "game/load", WorstCost: d / 5,
		})
	}
	dir := t.TempDir()
	report := record.NewReport("mine", rec.Snapshot(), record.ReadEnvironment("vsync"))
	if err := report.Save(dir, "run"); err != nil {
		t.Fatal(err)
	}
	for name, format := range map[string]string{
		"run.json": "JSON of frameslice and CSV", "run.csv": "CSV of frameslice and JSON",
	} {
		_, out, errs := call(t, dir, name)
		for _, want := range []string{format + ", mine, target 8.333 ms (120 Hz)\n", "wait vsync", "GOMAXPROCS",
			"frames missed a refresh; the longest", ", the frame itself ", ", task game/load "} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in %s\n%s", name, want, errs, out)
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, "run.csv")); err != nil {
		t.Fatal(err)
	}
	_, out, _ := call(t, dir, "run.json")
	for _, want := range []string{"no frames: give the CSV", fmt.Sprintf("%.3f %%", report.Run.MissedPercent)} {
		if !strings.Contains(out, want) {
			t.Errorf("the report alone: no %q in\n%s", want, out)
		}
	}
	// Against other figures there is a difference, and no verdict.
	if err := os.Link(filepath.Join(dir, "run.json"), filepath.Join(dir, "other.json")); err != nil {
		t.Fatal(err)
	}
	_, out, _ = call(t, dir, "run.json", "other.json")
	if !strings.Contains(out, "other.json against run.json: not judged") {
		t.Error(out)
	}
}

// All files of one or two reports can be given, in any order: each run is there once.
func TestTakesAllFilesOfAFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := displayedRun(name, 400, 50).Save(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	of := func(pattern string) []string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, files, err)
		}
		return files
	}
	backwards := of("*")
	slices.Reverse(backwards)
	for _, c := range []struct {
		args  []string
		runs  int
		lines int // one for each file that is passed over
	}{
		{of("a*.json"), 1, 1}, {of("a.*"), 1, 5}, {of("*.json"), 2, 2}, {of("*"), 2, 10}, {backwards, 2, 10},
	} {
		status, out, errs := call(t, dir, c.args...)
		runs := strings.Count(out, ", target 16.000 ms") + strings.Count(out, ", guessed from")
		if status != 0 || runs != c.runs || strings.Count(errs, "passed over\n") != c.lines {
			t.Errorf("%q: status %d, %d runs\n%s\n%s", c.args, status, runs, errs, out)
		}
	}
	status, _, errs := call(t, dir, append(of("a.t*"), of("a.h*")...)...)
	if status != 2 || !strings.HasSuffix(errs, "no file has frames\n") {
		t.Errorf("status %d, %q", status, errs)
	}
}

func TestBadFilesGetOneLine(t *testing.T) {
	dir := write(t, map[string]string{"b.csv": "a,b\n", "a.csv": asCSV("a", made(1, 100, 0))})
	for _, args := range [][]string{
		{}, {"none.csv"}, {"."}, {"b.csv"}, {"none\x1b[2J\n.csv"}, {"-bogus\x1b", "a.csv"}, {"a.csv", "none.csv"},
		strings.Fields(strings.Repeat("a.csv ", maxRuns+1)),
	} {
		status, out, errs := call(t, dir, args...)
		if status != 2 || out != "" || strings.Count(errs, "\n") != 1 || strings.Contains(errs, "\x1b") {
			t.Errorf("%q: status %d, out %q, errors %q", args, status, out, errs)
		}
	}
	status, _, errs := call(t, dir, "a.csv", "-png", filepath.Join("none", "x.png"))
	if status != 1 || strings.Count(errs, "\n") != 1 || strings.Count(errs, "x.png") != 1 {
		t.Errorf("no folder: status %d, %q", status, errs)
	}
}

// The notes tell what makes figures mean little: a rate that no display has, and runs of very different lengths.
func TestNotesWhatMeansLittle(t *testing.T) {
	odd := make(record.Intervals, 600) // 112 Hz
	for i := range odd {
		odd[i] = 8900 * time.Microsecond
	}
	dir := write(t, map[string]string{
		"odd.csv": asCSV("a", odd), "short.csv": asCSV("a", made(1, 100, 0)), "long.csv": asCSV("a", made(1, 1000, 0)),
	})
	const rate, length = "note: the median is no display's period", "note: one run is 10 times as long"
	for _, c := range []struct {
		args         []string
		rate, length int
	}{
		{[]string{"odd.csv"}, 1, 0}, {[]string{"odd.csv", "-target", "144"}, 0, 0},
		{[]string{"odd.csv", "odd.csv"}, 1, 0},
		{[]string{"short.csv", "long.csv"}, 0, 1}, {[]string{"long.csv", "short.csv"}, 0, 1},
	} {
		_, out, errs := call(t, dir, c.args...)
		if strings.Count(out, rate) != c.rate || strings.Count(out, length) != c.length {
			t.Errorf("%q: want %d and %d notes in %s\n%s", c.args, c.rate, c.length, errs, out)
		}
	}
}

func TestNamesAllRuns(t *testing.T) {
	a, b, c := &measured{label: "a"}, &measured{label: "b"}, &measured{label: "c"}
	got := title([]*measured{a}) + "; " + title([]*measured{a, b}) + "; " + title([]*measured{a, b, c}) + "; " +
		title([]*measured{a, b, c, a})
	if got != "a; a and b; a, b and c; a and 3 more" {
		t.Error(got)
	}
}

func TestDrawsAPicture(t *testing.T) {
	dir := write(t, map[string]string{"a.csv": asCSV("a", made(1, 100, 0.1))})
	if status, _, errs := call(t, dir, "a.csv", "-png", "x.png"); status != 0 {
		t.Fatal(errs)
	}
	f, err := os.Open(filepath.Join(dir, "x.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if picture, err := png.Decode(f); err != nil || picture.Bounds().Dx() < 1000 {
		t.Errorf("%v", err)
	}
}

// The drawing is XML, and foreign text in it is text.
func TestDrawsAnSVG(t *testing.T) {
	const name = "a&b.csv"
	dir := write(t, map[string]string{name: asCSV("a", made(1, 3000, 0.1)), "one.csv": asCSV("a", made(1, 1, 0))})
	if status, _, errs := call(t, dir, name, "one.csv", "-svg", "x.svg"); status != 0 {
		t.Fatal(errs)
	}
	b, err := os.ReadFile(filepath.Join(dir, "x.svg"))
	if err != nil {
		t.Fatal(err)
	}
	var drawing struct {
		Text []string `xml:"text"`
	}
	if err := xml.Unmarshal(b, &drawing); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{name + " and one.csv", name, "3000", "Distribution", "Course"} {
		if !slices.Contains(drawing.Text, want) {
			t.Errorf("no %q in the drawing's texts %q", want, drawing.Text)
		}
	}
}

// The page has all frames, loads nothing, and foreign text in it is text.
func TestWritesAPage(t *testing.T) {
	evil := `</script><script>alert(1)</script><img onerror=alert(2)>'"&`
	dir := write(t, map[string]string{
		"a.csv": asCSV(`"`+strings.ReplaceAll(evil, `"`, `""`)+`"`, made(1, 300, 0.05)),
		"b.csv": "//GameName=" + evil + "\n" + asCSV("b", made(2, 300, 0.05)),
	})
	if status, _, errs := call(t, dir, "a.csv", "b.csv", "-html", "x.html"); status != 0 {
		t.Fatal(errs)
	}
	b, err := os.ReadFile(filepath.Join(dir, "x.html"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(b), "http://www.w3.org/2000/svg", "") // the name of a language
	for _, bad := range []string{"<script>alert", "<img", "http:", "https:", "src=", "import(", "ZgotmplZ"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s in the page", bad)
		}
	}
	for _, want := range []string{
		"&lt;script&gt;alert(1)", "default-src 'none'", "<svg ", ">Frame time by percentile</text>",
		"b.csv against a.csv", "hitch ratio, quantized",
		fmt.Sprintf("%.3f", words.Millis(made(1, 300, 0.05)[7])), "in Present",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the page", want)
		}
	}
}
