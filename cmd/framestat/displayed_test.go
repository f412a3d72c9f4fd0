package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

// displayedRun is a report of frames that begin every 16 ms and are shown every 16 ms, one in late of them 32 ms later.
func displayedRun(name string, n, late int) *record.Report {
	rec := record.New(record.Options{Target: 16 * time.Millisecond, WarmUp: -1})
	start := deadline.Now().Add(-time.Hour)
	shown := start.Add(20 * time.Millisecond)
	for i := range n {
		if i%late == late-1 {
			shown = shown.Add(32 * time.Millisecond)
		}
		f := record.Record{
			Number: uint64(i + 1), Start: start, Interval: 16 * time.Millisecond, Shown: shown, Input: start,
		}
		if i == 0 {
			f.Interval = 0
		}
		rec.Add(f)
		start, shown = start.Add(16*time.Millisecond), shown.Add(16*time.Millisecond)
	}
	return record.NewReport(name, rec.Snapshot(), record.Environment{})
}

// The frames begin in time, and only the display times tell the hitches.
func TestTellsTheTrueHitchRatio(t *testing.T) {
	dir := t.TempDir()
	a, b := displayedRun("a", 1001, 100), displayedRun("b", 1001, 20)
	for name, r := range map[string]*record.Report{"a": a, "b": b} {
		if err := r.Save(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	ratio := fmt.Sprintf("displayed, hitch ratio %12.3f ms/s", a.Display.HitchRatio)
	if a.Display.Missed != 20 || a.Run.HitchRatio != 0 {
		t.Fatalf("the report has %+v", a.Display)
	}
	status, out, errs := call(t, dir, "a.csv")
	for _, want := range []string{
		ratio, "hitch ratio                   0.000 ms/s", "hitch band                 critical",
	} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, %s, no %q in\n%s", status, errs, want, out)
		}
	}
	status, out, errs = call(t, dir, "a.csv", "b.csv", "-html", "p.html")
	if status != 0 || !strings.Contains(out, "b.csv against a.csv: worse, by displayed, p99; displayed, missed; "+
		"displayed, hitch ratio; displayed, quantized\n") {
		t.Errorf("status %d, %s\n%s", status, errs, out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "p.html"))
	if err != nil || !strings.Contains(string(page), "displayed, hitch ratio, ms/s") {
		t.Errorf("the page does not tell: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "a.csv")); err != nil {
		t.Fatal(err)
	}
	if status, out, errs = call(t, dir, "a.json"); status != 0 || !strings.Contains(out, ratio) {
		t.Errorf("JSON alone: status %d, %s, no %q in\n%s", status, errs, ratio, out)
	}
}

// PresentMon knows display times, in one column or another. A run without them has no such rows, and a comparison with
// it has none either.
func TestDisplayTimesOfPresentMon(t *testing.T) {
	lines := []string{}
	for i := range 300 {
		change := "16.6667"
		if i%50 == 49 {
			change = "33.3333"
		}
		if i == 0 {
			change = "NA"
		}
		lines = append(lines, "game.exe,1,16.6667,"+change)
	}
	rows := strings.Join(lines, "\n") + "\n"
	dir := write(t, map[string]string{
		"one.csv": "Application,ProcessID,MsBetweenPresents,MsBetweenDisplayChange\n" + rows,
		"two.csv": "Application,ProcessID,FrameTime,DisplayedTime\n" + rows,
	})
	_, out, _ := call(t, dir, "one.csv")
	if _, two, _ := call(t, dir, "two.csv"); !strings.Contains(out, "displayed, missed             1.967 %") ||
		!strings.Contains(two, "displayed, missed             1.967 %") {
		t.Errorf("got\n%s\n%s", out, two)
	}
	dir2 := write(t, map[string]string{"none.csv": asCSV("game.exe", made(1, 300, 0.02))})
	if _, none, _ := call(t, dir2, "none.csv"); strings.Contains(none, "displayed") {
		t.Errorf("got\n%s", none)
	}
	if err := os.Rename(filepath.Join(dir2, "none.csv"), filepath.Join(dir, "none.csv")); err != nil {
		t.Fatal(err)
	}
	if _, both, _ := call(t, dir, "one.csv", "none.csv"); strings.Count(both, "displayed, missed") != 1 {
		t.Errorf("got\n%s", both)
	}
}
