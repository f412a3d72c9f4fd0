package frame_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
	"github.com/frameslice/frameslice/workers"
)

// A modal dialog: the frames continue and draw the dialog, while the coroutine that has opened it awaits its end.
func ExampleLoop_Go_dialog() {
	l := frame.New(frame.Options{Interval: time.Millisecond})
	defer l.Close()
	dialog := "" // the text of the dialog that is open
	l.Go(deadline.Normal, func(co *scheduler.Co) {
		dialog = "The file could not be saved."
		co.WaitUntil(func() bool { return dialog == "" })
		fmt.Println("try again")
		l.Stop()
	})
	drawn := 0
	_ = l.Run(context.Background(), func() error {
		if dialog != "" {
			fmt.Println("draw:", dialog)
			if drawn++; drawn == 2 { // it is clicked away
				dialog = ""
			}
		}
		return nil
	})
	// Output:
	// draw: The file could not be saved.
	// draw: The file could not be saved.
	// try again
}

// A host that drives its frames itself learns that the program is to end.
func ExampleLoop_Closing() {
	l := frame.New(frame.Options{})
	defer l.Close()
	l.Post(deadline.Normal, l.Stop) // a signal, say, or the window's button
	for !l.Closing() {
		l.Begin()
		fmt.Println("draw")
		l.Slice()
		l.End()
	}
	_ = l.Close()
	fmt.Println("closed")
	// Output:
	// draw
	// closed
}

// A game that has more work than fits: on every processor a worker of low priority, which the system interrupts when
// a frame is due, and no job on the frame goroutine.
func ExampleOptions() {
	loop := frame.New(frame.Options{
		Workers: workers.Options{Background: -1, RaiseProcs: true}, WorkersOnly: true, GCBetweenFrames: true,
	})
	defer loop.Close()
	path := workers.Submit(loop.Pool(), deadline.Low, func(context.Context) (string, error) { return "north", nil })
	fmt.Println(path.Wait(context.Background())) // a game would scheduler.Await it in a task
	// Output: north <nil>
}

// A host that tells when its drawing begins.
func ExampleLoop_RunPhase() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	loop.Host().Each(scheduler.BeforeDraw, func() { fmt.Println("place the camera") })
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

// Frames of a loading screen count apart, and what the host reports of its fixed step is in the record.
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
		fmt.Println(r.Flags&record.Loading != 0, r.Updates, r.Step)
	}
	fmt.Println(loop.Recorder().Snapshot().Totals.Excluded, "left out")
	// Output:
	// true 1 10ms
	// true 2 20ms
	// 2 left out
}

// A test of a search that asks its server when nobody has typed for 300 ms. It needs no options of its own, takes some
// milliseconds, and what it says of the time is exact. What computes takes no time there: where a test wants a task, a
// job or a frame's own work to take some, it sleeps in it.
func ExampleOptions_virtualTime() {
	var _ func(*testing.T) = testSearch // with an upper-case T go test finds it
}

func testSearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := frame.New(frame.Options{Interval: 10 * time.Millisecond})
		defer loop.Close() // within the bubble, which waits for the workers to end
		start, asked := time.Now(), []time.Duration{}
		ask := func() { asked = append(asked, time.Since(start)) }
		search := flow.NewDebounce(loop.Scheduler(), deadline.Normal, 300*time.Millisecond, ask)
		keys := 0
		if err := loop.Run(t.Context(), func() error {
			if now := time.Since(start); now%(200*time.Millisecond) == 0 && keys < 3 { // a key at 0, 200 and 400 ms
				keys++
				search.Call()
			} else if now >= time.Minute {
				return frame.ErrStop
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if len(asked) != 1 || asked[0] != 700*time.Millisecond {
			t.Errorf("asked at %v, want once, at 700 ms", asked)
		}
	})
}
