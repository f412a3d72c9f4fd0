package record_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// The ways to judge frames differ: 996 frames were in time, and four froze for half a second.
func ExampleIntervals() {
	const refresh = time.Second / 60
	d := slices.Repeat(record.Intervals{refresh}, 996)
	d = append(d, slices.Repeat(record.Intervals{500 * time.Millisecond}, 4)...)
	m := d.Measure(refresh)
	fmt.Printf("p99 %.1f ms, at most %v\n", d.Percentile(99).Seconds()*1000, m.ByFrame.Max)
	fmt.Printf("missed %.1f %%; hitch ratio %.0f ms/s\n", m.MissedPercent, m.HitchRatio)
	// Output:
	// p99 16.7 ms, at most 500ms
	// missed 10.4 %; hitch ratio 104 ms/s
}

// Save writes every format, for a build server to keep.
func ExampleReport_Save() {
	dir, err := os.MkdirTemp("", "frames")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	rec := record.New(record.Options{}) // or Loop.Recorder
	report := record.NewReport("mine", rec.Snapshot(), record.ReadEnvironment("vsync"))
	if err := report.Save(dir, "mine"); err != nil {
		fmt.Println(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		fmt.Println(filepath.Base(f))
	}
	// Output:
	// mine.csv
	// mine.hgrm
	// mine.hlog
	// mine.json
	// mine.trace.json
	// mine.txt
}

// The file of the last run survives a write that fails.
func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "frames")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "best.txt")
	for _, err := range []error{nil, io.ErrUnexpectedEOF} {
		failed := record.WriteFile(name, func(w io.Writer) error {
			fmt.Fprintln(w, "p99 16.9 ms")
			return err
		})
		text, _ := os.ReadFile(name)
		fmt.Printf("%t %s", failed != nil, text)
	}
	// Output:
	// false p99 16.9 ms
	// true p99 16.9 ms
}

// A test in CI fails if too many frames were missed (demo/own/own_test.go is a whole one). The first 60 frames are
// warm-up and count for nothing, so the test asks how many there are.
func ExampleTotals() {
	keepsUp := func(s *record.Snapshot) error {
		t := &s.Totals
		if t.N < 100 {
			return fmt.Errorf("%d frames count, of %d", t.N, t.Frames)
		}
		if t.Missed > t.N/100 || t.Jumps > 0 { // none with Options.JumpAfter -1
			return fmt.Errorf("%d frames missed, of %d", t.Missed, t.N)
		}
		return nil
	}
	for _, frames := range []int{50, 300} {
		rec := record.New(record.Options{Target: 10 * time.Millisecond}) // or Loop.Recorder
		for n := range frames {                                          // the loop under test
			took := 10 * time.Millisecond
			if n%40 == 0 {
				took *= 3
			}
			rec.Add(record.Record{Number: uint64(n + 1), Interval: took})
		}
		fmt.Println(keepsUp(rec.Snapshot()))
	}
	// Output:
	// 0 frames count, of 50
	// 12 frames missed, of 240
}

// A hundred frames at 60 Hz, one of which took three times as long as it should.
func ExampleNewReport() {
	rec := record.New(record.Options{WarmUp: -1})
	for n := range 100 {
		r := record.Record{Number: uint64(n + 1), Interval: time.Second / 60, Updates: 1}
		if n == 50 {
			r.Interval *= 3
		}
		rec.Add(r)
	}
	report := record.NewReport("mine", rec.Snapshot(), record.ReadEnvironment("vsync"))
	fmt.Println(report.Run.Missed, "missed,", report.Run.Interval.Max.Round(time.Millisecond), "at most")
	for line := range strings.Lines(report.String()) {
		if strings.Contains(line, "missed") {
			fmt.Print(strings.TrimSpace(line))
		}
	}
	// Output:
	// 2 missed, 50ms at most
	// missed       2 refreshes (1.96 %); half of the frames took up to 16.7 ms, 99 of 100 up to 16.7 ms
}
