package load

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
)

// A link stays a link, and what is no file is not replaced by one: a report to /dev/null or /dev/stdout must not
// take that away from everyone else.
func TestWriteFileReplacesFilesOnly(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("links and devices are other things there")
	}
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	device := filepath.Join(dir, "null")
	for _, err := range []error{
		os.WriteFile(file, []byte("old"), 0o600), os.Symlink("file", link), os.Symlink(os.DevNull, device),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{link, device} {
		err := WriteFile(name, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if st, err := os.Lstat(name); err != nil || st.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v, %v", name, st.Mode(), err)
		}
	}
	if got, err := os.ReadFile(file); string(got) != "new" || err != nil {
		t.Errorf("behind the link is %q, %v", got, err)
	}
	if st, err := os.Stat(os.DevNull); err != nil || st.Mode().IsRegular() {
		t.Errorf("%s is %v, %v", os.DevNull, st.Mode(), err)
	}
}

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

func TestARunOfOneTurnIsInterruptedWithoutACount(t *testing.T) {
	one := []Result{{Mode: Idle, Frames: 60}}
	r := &Report{Slices: [2]int{1, 1}, Partial: true, Modes: one}
	if got, want := plain(r), "Interrupted: idle missed no frame."; got != want {
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
	d := frame.Intervals{}
	for i := range 20 {
		d = append(d, time.Duration(15+i%7)*time.Millisecond)
	}
	x := Measured(Idle, []frame.Intervals{d}, time.Second/60, 1)
	if x.HitchCI.Lo >= x.HitchCI.Hi {
		t.Errorf("a hitch ratio of %v to %v, from %d frames", x.HitchCI.Lo, x.HitchCI.Hi, x.Frames)
	}
}
