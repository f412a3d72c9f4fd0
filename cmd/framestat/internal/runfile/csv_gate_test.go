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
	const text = "Application,Turn,Frame,FrameTime,MsBetweenPresents,Own,CPUBusy,KeptOff,Flags,Why\n" +
		"head,1,1,16.667,16.667,2,2,0.000,,\nhead,1,2,41.500,41.500,0,0,23.000,void,stopped with the process\n" +
		"base,2,1,16.667,16.667,2,2,0.000,,\nbase,2,2,16.667,16.667,2,2,0.000,,\n" +
		"base,2,3,41.500,41.500,39,39,0.000,,Update of the game took 39.0 ms\n" +
		"head,3,1,41.500,30.000,2,2,20.000,,waited for a processor for 20.0 ms\n"
	runs, err := Read(strings.NewReader(text), "a")
	if err != nil || len(runs) != 2 || runs[0].Name != "base" || runs[1].Name != "head" ||
		!slices.Equal(runs[0].Intervals, frames) ||
		!slices.Equal(runs[1].Intervals, record.Intervals{frames[0], 30 * time.Millisecond}) {
		t.Fatalf("%+v, %v", runs, err)
	}
	if notes := runs[1].Notes; len(runs[0].Notes) != 0 || len(notes) != 1 || !strings.HasPrefix(notes[0],
		"1 frames that are late because of the system") {
		t.Errorf("notes %q, %q", runs[0].Notes, notes)
	}
	for i, want := range []string{"Update of the game took 39.0 ms", "waited for a processor for 20.0 ms"} {
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
