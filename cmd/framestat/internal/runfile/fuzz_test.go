package runfile

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func FuzzCSV(f *testing.F) {
	for _, text := range []string{presentMon1, presentMon2, capFrameX, mangoHud, mangoHudOld, ocat} {
		f.Add([]byte(text))
	}
	f.Add(saved(f)[".csv"])
	f.Fuzz(oneRunOrOneLine)
}

func FuzzJSON(f *testing.F) {
	f.Add(saved(f)[".json"])
	f.Fuzz(oneRunOrOneLine)
}

// oneRunOrOneLine checks that a file gives a run that can be measured, or one line of an error.
func oneRunOrOneLine(t *testing.T, text []byte) {
	runs, err := Read(bytes.NewReader(text), "a")
	if err != nil {
		if !strings.HasPrefix(err.Error(), "a:") || strings.ContainsAny(err.Error(), "\n\x1b\x00") {
			t.Fatalf("%q", err)
		}
		return
	}
	if len(runs) == 0 {
		t.Fatal("no run, and no error")
	}
	for _, run := range runs {
		measurable(t, run)
	}
}

func measurable(t *testing.T, run *Run) {
	if run.Report == nil && len(run.Intervals) == 0 {
		t.Fatal("no frames, and no error")
	}
	for i, d := range run.Intervals[:min(len(run.Intervals), 1000)] {
		if d < 0 {
			t.Fatalf("interval %d is %v", i, d)
		}
		if run.Why != nil && strings.ContainsAny(run.Why(i, 16*time.Millisecond), "\n\x1b\x00") {
			t.Fatalf("why of %d: %q", i, run.Why(i, 16*time.Millisecond))
		}
	}
	for _, s := range append([]string{run.Name}, run.Notes...) {
		if strings.ContainsAny(s, "\n\x1b\x00") {
			t.Fatalf("%q", s)
		}
	}
}
