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
	const text = "Application,Turn,Frame,FrameTime,Own,CPUBusy,KeptOff,Cause,Void,Counts\n" +
		"head,1,1,16.667,2,2,0.000,,0,16.667\nhead,1,2,41.500,0,0,23.000,stopped with the process,1,NA\n" +
		"base,2,1,16.667,2,2,0.000,,0,16.667\nbase,2,2,16.667,2,2,0.000,,0,16.667\n" +
		"base,2,3,41.500,39,39,0.000,,0,41.500\nhead,3,1,41.500,2,2,20.000,waited for a processor,0,30.000\n"
	runs, err := Read(strings.NewReader(text), "a")
	if err != nil || len(runs) != 2 || runs[0].Name != "base" || runs[1].Name != "head" ||
		!slices.Equal(runs[0].Intervals, frames) ||
		!slices.Equal(runs[1].Intervals, record.Intervals{frames[0], 30 * time.Millisecond}) {
		t.Fatalf("%+v, %v", runs, err)
	}
	if notes := runs[1].Notes; len(runs[0].Notes) != 0 || len(notes) != 1 || !strings.HasPrefix(notes[0],
		"1 frames are void") {
		t.Errorf("notes %q, %q", runs[0].Notes, notes)
	}
	for i, want := range []string{"own work 39.0 ms", "kept off for 20.0 ms, waited for a processor"} {
		if got := runs[i].Why(len(runs[i].Intervals)-1, frames[0]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if runs, err := Read(strings.NewReader(text), "a", "HEAD"); err != nil || len(runs) != 1 || runs[0].Name != "head" {
		t.Errorf("only head: %+v, %v", runs, err)
	}
	_, err = Read(strings.NewReader(text), "a", "x")
	if err == nil || err.Error() != "a: none of x: the file has base, head" {
		t.Error(err)
	}
}
