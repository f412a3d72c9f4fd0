package frame_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/frameslice/frameslice/frame"
)

// What the ways to judge frames say of the same ones: 996 that were in time, and four freezes of half a second.
func ExampleIntervals() {
	const refresh = time.Second / 60
	var d frame.Intervals
	for range 996 {
		d = append(d, refresh)
	}
	for range 4 {
		d = append(d, 500*time.Millisecond)
	}
	fmt.Printf("average %.1f FPS, p99 %.1f ms\n", d.AverageFPS(), d.Percentile(99).Seconds()*1000)
	fmt.Printf("1%% low: %.0f FPS by percentile, %.1f by average, %.0f by time\n",
		d.LowPercentile(0.01), d.LowAverage(0.01), d.LowIntegral(0.01))
	fmt.Printf("missed %.1f %% of the refreshes; hitch ratio %.0f ms/s: %s\n",
		d.MissedPercent(refresh), d.HitchRatio(refresh), frame.HitchBand(d.HitchRatio(refresh)))
	// Output:
	// average 53.8 FPS, p99 16.7 ms
	// 1% low: 60 FPS by percentile, 4.8 by average, 2 by time
	// missed 10.4 % of the refreshes; hitch ratio 104 ms/s: critical
}

func ExampleHistogram() {
	h := frame.NewHistogram()
	for ms := range 100 {
		h.Record(time.Duration(ms+1) * time.Millisecond)
	}
	fmt.Println(h.Count(), h.Mean(), h.Max(), h.Percentile(50).Round(time.Millisecond))
	// Output: 100 50.5ms 100ms 50ms
}

// Frames of a loading screen count apart, and what the host tells of its fixed step is in the record.
func ExampleLoop_Mark() {
	loop := frame.New(frame.Options{
		Recorder: frame.RecorderOptions{WarmUp: -1, Exclude: frame.Loading}, JumpAfter: -1,
	})
	defer loop.Close()
	for i := range 3 {
		loop.Begin()
		if i > 0 {
			loop.Mark(frame.Loading)
		}
		for range i {
			loop.Step(10 * time.Millisecond) // an update
		}
		loop.Slice()
		loop.End()
	}
	for _, r := range loop.Recorder().Recent(make([]frame.Record, 2)) {
		fmt.Println(r.Flags.Has(frame.Loading), r.Updates, r.Step)
	}
	fmt.Println(loop.Recorder().Snapshot().Totals.Excluded, "left out")
	// Output:
	// true 1 10ms
	// true 2 20ms
	// 2 left out
}

// Every format at once: for a build server to keep, and for the tools that read them.
func ExampleReport_Save() {
	dir, err := os.MkdirTemp("", "frames")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	loop := frame.New(frame.Options{})
	defer loop.Close()
	report := loop.Report("mine")
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

// Whole or not at all: the file of the last run survives a write that fails.
func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "frames")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "best.txt")
	for _, err := range []error{nil, io.ErrUnexpectedEOF} {
		failed := frame.WriteFile(name, func(w io.Writer) error {
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
