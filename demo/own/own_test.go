package main

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/frameslice/frameslice"
)

func TestFramesWhileLoading(t *testing.T) {
	if os.Getenv("FRAMES") == "" {
		t.Skip("it measures, so it wants the machine for itself: FRAMES=1 go test -p 1")
	}
	o := frameslice.Balanced.Options()
	o.JumpAfter = -1           // no freeze is left out, however long
	o.Recorder.WarmUp = -1     // nor are the first 60 frames, which load
	o.Scheduler.Rethrow = true // a task's panic comes out of Run, and is not only printed
	loop := frameslice.NewWith(o)
	defer loop.Close()
	loaded := false
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		_, err := frameslice.Background(co, loop, factorial)
		loaded = err == nil // a job's panic is an error
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if err := loop.Run(ctx, func() error { return nil }); err != nil { // the game's update, and what it can of its draw
		t.Fatal(err)
	}
	report := loop.Report("loading")
	run := &report.Run
	if !loaded || run.N < 100 || run.MissedPercent > 1 || run.Interval.Max > 100*time.Millisecond {
		t.Errorf("loaded: %v\n%v", loaded, report)
	}
}
