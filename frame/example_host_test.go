package frame_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A game that has more work than fits: on every processor a worker of low priority, which the system interrupts when
// a frame is due, and no job on the frame goroutine.
func ExampleOptions() {
	loop := frame.New(frame.Options{
		Workers: workers.Options{Background: -1, RaiseProcs: true}, NoJobs: true, IdleGC: true,
	})
	defer loop.Close()
	path := workers.Submit(loop.Pool(), deadline.Low, func() (string, error) { return "north", nil })
	fmt.Println(path.Wait(context.Background())) // a game would scheduler.Await it in a task
	// Output: north <nil>
}

// What runs in each frame beside the tasks: callbacks of its phases.
func ExampleLoop_Each() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	input := loop.Each(scheduler.BeforeUpdate, func() { fmt.Println("read the input") })
	loop.Once(scheduler.AfterDraw, func() { fmt.Println("take a picture") })
	for range 2 {
		loop.Begin()
		fmt.Println("update and draw")
		loop.Slice()
		loop.End()
		input.Cancel()
	}
	// Output:
	// read the input
	// update and draw
	// take a picture
	// update and draw
}

// A host that tells when its drawing begins.
func ExampleLoop_RunPhase() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	loop.Each(scheduler.BeforeDraw, func() { fmt.Println("place the camera") })
	loop.Begin()
	fmt.Println("update")
	loop.RunPhase(scheduler.BeforeDraw)
	fmt.Println("draw")
	loop.Slice()
	loop.End()
	// Output:
	// update
	// place the camera
	// draw
}

// A task that only the host's own goroutine may run: it reads a texture back, which waits for the host. With
// PlaceShadow other tasks run elsewhere.
func ExampleLoop_Host() {
	loop := frame.New(frame.Options{Placement: frame.PlaceShadow})
	defer loop.Close()
	loop.Host().Post(deadline.Normal, func() { fmt.Println("read the pixels") })
	loop.Begin()
	loop.Slice()
	fmt.Println("Slice has returned")
	loop.End()
	// Output:
	// read the pixels
	// Slice has returned
}

// A game that draws less when it cannot keep up.
func ExampleLoop_Pressure() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	particles := 10_000 >> loop.Pressure()
	fmt.Println(particles)
	// Output: 10000
}

// What a test in CI judges a loop by (demo/own/own_test.go is a whole one), so that it fails if too many are missed.
// The first frames are warm-up and count for nothing, 60 unless RecorderOptions.WarmUp says otherwise, so it asks how
// many there are.
func ExampleTotals_MissedPercent() {
	keepsUp := func(s *frame.Snapshot) error {
		t := &s.Totals
		if t.N < 100 {
			return fmt.Errorf("too few to judge by: %v", s)
		}
		if p := t.MissedPercent(); p > 1 || t.Jumps > 0 { // none with Options.JumpAfter -1
			return fmt.Errorf("%.1f %% of the frames missed: %v", p, s)
		}
		return nil
	}
	for _, frames := range []int{50, 300} {
		rec := frame.NewRecorder(frame.RecorderOptions{Target: 10 * time.Millisecond}) // or Loop.Recorder
		for n := range frames {                                                        // the loop under test
			took := 10 * time.Millisecond
			if n%40 == 0 {
				took *= 3
			}
			rec.Add(frame.Record{Number: uint64(n + 1), Interval: took})
		}
		fmt.Println(keepsUp(rec.Snapshot()))
	}
	// Output:
	// too few to judge by: no frame counts: 50 in all, 50 of warm-up, 0 jumps, 0 excluded, 0 without an interval
	// 4.8 % of the frames missed: 240 frames in 2.52s, 12 missed; late by 0s at p50, 20ms at p99, 20ms at most
}

// A hundred frames at 60 Hz, one of which took three times as long as it should.
func ExampleNewReport() {
	rec := frame.NewRecorder(frame.RecorderOptions{WarmUp: -1})
	for n := range 100 {
		r := frame.Record{Number: uint64(n + 1), Interval: time.Second / 60, Updates: 1}
		if n == 50 {
			r.Interval *= 3
		}
		rec.Add(r)
	}
	fmt.Println(rec.Snapshot())
	report := frame.NewReport("mine", rec.Snapshot(), frame.ReadEnvironment("vsync"))
	fmt.Println(report.Run.Missed, "missed,", report.Run.Interval.Max.Round(time.Millisecond), "at most")
	for line := range strings.Lines(report.String()) {
		if strings.Contains(line, "refreshes") {
			fmt.Print(strings.TrimSpace(line))
		}
	}
	// Output:
	// 100 frames in 1.699999932s, 2 missed; late by 0s at p50, 0s at p99, 33.333332ms at most
	// 2 missed, 50ms at most
	// missed                                    1.961 %   2 refreshes, m = round(d/r) - 1; 100 m / (N + m)
}

// A rate that the player chooses, in a program whose frames Run paces.
func ExampleLoop_SetInterval() {
	loop := frame.New(frame.Options{Interval: time.Second / 50})
	defer loop.Close()
	frames := 0
	_ = loop.Run(context.Background(), func() error {
		fmt.Println(loop.Stats().Interval)
		switch frames++; frames {
		case 2:
			loop.SetInterval(time.Second / 100) // the next frame comes 10 ms after this one
		case 4:
			return frame.ErrStop
		}
		return nil
	})
	// Output:
	// 20ms
	// 20ms
	// 10ms
	// 10ms
}
