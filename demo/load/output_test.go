package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

type fullDisk struct{}

var errFull = errors.New("full")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestSaveWritesWhatItCan(t *testing.T) {
	dir := t.TempDir()
	r := virtualReport(t)
	c := Config{JSON: filepath.Join(dir, "none", "r.json"), PNG: filepath.Join(dir, "r.png"), Out: fullDisk{}}
	err := r.Save(c)
	if !errors.Is(err, errFull) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want both failures", err)
	}
	if _, err := os.Stat(c.PNG); err != nil {
		t.Error(fmt.Errorf("the file that could be written was not: %w", err))
	}
}

// A folder of -record has the files of each mode that ran. Those of ours tell of tasks and jobs, too. Other programs
// may keep workers of low priority off the processors, so the comparison is played for longer until a job has run.
func TestRecordLeavesEachModesFrames(t *testing.T) {
	for d := 300 * time.Millisecond; ; d *= 3 {
		if ran := recordFor(t, d); ran || d > 20*time.Second {
			if !ran {
				t.Error("no job has run")
			}
			return
		}
	}
}

// recordFor plays the comparison with -record, looks at what it leaves, and reports whether jobs have run.
func recordFor(t *testing.T, d time.Duration) (ran bool) {
	dir := t.TempDir()
	c := Config{
		Compare: true, Modes: []Mode{Idle, Frameslice}, Duration: d, Warmup: 50 * time.Millisecond, Record: dir,
	}
	c.Scene = newRig(c.WithDefaults()) // jobs without work: nothing to calibrate
	if err := Main(t.Context(), c, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Modes {
		b, err := os.ReadFile(filepath.Join(dir, string(m)+".trace.json"))
		if err != nil {
			t.Fatal(err)
		}
		var trace struct {
			OtherData struct{ Frames, Runs int }
		}
		if err := json.Unmarshal(b, &trace); err != nil {
			t.Fatal(err)
		}
		got := trace.OtherData
		if got.Frames == 0 || got.Runs > 0 && m != Frameslice {
			t.Errorf("%s: the trace has %d frames and %d runs", m, got.Frames, got.Runs)
		}
		ran = ran || got.Runs > 0
		for _, ext := range []string{".txt", ".json", ".csv", ".hgrm", ".hlog"} {
			if info, err := os.Stat(filepath.Join(dir, string(m)+ext)); err != nil || info.Size() == 0 {
				t.Errorf("%s%s: %v", m, ext, err)
			}
		}
	}
	return ran
}

func TestARunOfOneTurnIsInterruptedWithoutACount(t *testing.T) {
	one := []Result{{Mode: Idle, Frames: 60}}
	r := &Report{Slices: [2]int{1, 1}, Partial: true, Modes: one}
	if got, want := r.sentences()[0], "Interrupted: the game has 0 ms for each frame."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What is told of a calibration is what runs, not what ran before the last correction.
func TestCorrectTellsWhatItLeaves(t *testing.T) {
	cost, disturbed := 300*time.Millisecond, []time.Duration{0, 500 * time.Millisecond, 900 * time.Millisecond, 0, 0}
	k := 0
	measure := func() time.Duration { k++; return cost + disturbed[k-1] }
	mend := func(got time.Duration) { cost = time.Duration(float64(cost) * float64(time.Second) / float64(got)) }
	if got := correct(3, time.Second, 0.01, measure, mend); got != cost || k != 4 {
		t.Errorf("after %d measurements it says %v and leaves %v", k, got, cost)
	}
}

func TestFewFramesAreNotTakenForCertain(t *testing.T) {
	d := record.Intervals{}
	for i := range 20 {
		d = append(d, time.Duration(15+i%7)*time.Millisecond)
	}
	x := Measured(Idle, []record.Intervals{d}, time.Second/60)
	if x.HitchCI.Lo >= x.HitchCI.Hi {
		t.Errorf("a hitch ratio of %v to %v, from %d frames", x.HitchCI.Lo, x.HitchCI.Hi, x.Frames)
	}
}
