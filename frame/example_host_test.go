package frame_test

import (
	"context"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
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

// Frames of a loading screen count apart, and what the host tells of its fixed step is in the record.
func ExampleLoop_Mark() {
	loop := frame.New(frame.Options{
		Recorder: record.Options{WarmUp: -1, Exclude: record.Loading}, JumpAfter: -1,
	})
	defer loop.Close()
	for i := range 3 {
		loop.Begin()
		if i > 0 {
			loop.Mark(record.Loading)
		}
		for range i {
			loop.Step(10 * time.Millisecond) // an update
		}
		loop.Slice()
		loop.End()
	}
	for _, r := range loop.Recorder().Recent(make([]record.Record, 2)) {
		fmt.Println(r.Flags.Has(record.Loading), r.Updates, r.Step)
	}
	fmt.Println(loop.Recorder().Snapshot().Totals.Excluded, "left out")
	// Output:
	// true 1 10ms
	// true 2 20ms
	// 2 left out
}
