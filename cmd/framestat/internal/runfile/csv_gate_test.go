package runfile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// A frames.csv of the gate has two builds. Void frames do not count, and a late one says what kept it off.
func TestReadsTheFramesOfAGate(t *testing.T) {
	const old = "Application,Turn,Frame,FrameTime,Own,CPUBusy,KeptOff,Cause,Void\n" +
		"head,1,1,16.667,2,2,0.000,,0\nhead,1,2,41.500,0,0,23.000,stopped with the process,1\n" +
		"base,2,1,16.667,2,2,0.000,,0\nbase,2,2,16.667,2,2,0.000,,0\nbase,2,3,41.500,39,39,0.000,,0\n" +
		"head,3,1,41.500,2,2,20.000,waited for a processor,0\n"
	text := strings.ReplaceAll(old, ",,0\n", ",,0,16.667\n")
	text = strings.NewReplacer("Void\n", "Void,Counts\n", "process,1\n", "process,1,NA\n",
		"base,2,3,41.500,39,39,0.000,,0,16.667\n", "base,2,3,41.500,39,39,0.000,,0,41.500\n",
		"processor,0\n", "processor,0,30.000\n").Replace(text)
	for name, c := range map[string]struct {
		text string
		head record.Intervals
		why  string
	}{
		"without Counts": {old, record.Intervals{frames[0], frames[2]}, "kept off for 20.0 ms, waited for a processor"},
		"with Counts": {text, record.Intervals{frames[0], 30 * time.Millisecond},
			"kept off for 20.0 ms, waited for a processor"},
	} {
		runs, err := Read(strings.NewReader(c.text), "a")
		if err != nil || len(runs) != 2 || runs[0].Name != "base" || runs[1].Name != "head" ||
			!slices.Equal(runs[0].Intervals, frames) || !slices.Equal(runs[1].Intervals, c.head) {
			t.Errorf("%s: %+v, %v", name, runs, err)
			continue
		}
		if notes := runs[1].Notes; len(runs[0].Notes) != 0 || len(notes) != 1 || !strings.HasPrefix(notes[0],
			"1 frames are void") {
			t.Errorf("%s: notes %q, %q", name, runs[0].Notes, notes)
		}
		if got := runs[0].Why(2, frames[0]); got != "own work 39.0 ms" {
			t.Errorf("%s: %q", name, got)
		}
		if got := runs[1].Why(1, frames[0]); got != c.why {
			t.Errorf("%s: %q, want %q", name, got, c.why)
		}
		if runs, err := Read(strings.NewReader(c.text), "a", "HEAD"); err != nil || len(runs) != 1 ||
			runs[0].Name != "head" {
			t.Errorf("%s: only head: %+v, %v", name, runs, err)
		}
		_, err = Read(strings.NewReader(c.text), "a", "x")
		if err == nil || err.Error() != "a: none of x: the file has base, head" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
