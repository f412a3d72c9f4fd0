package frame_test

import (
	"fmt"

	"github.com/frameslice/frameslice/frame"
)

// A host with a loop of its own, on a thread that runs as soon as it wakes up, if the system allows that.
func ExampleTakeThread() {
	got, giveBack := frame.TakeThread(frame.ThreadRealTime)
	defer giveBack() // after the loop's Close
	if got < frame.ThreadRealTime {
		// Say so, if the program depends on it: frames may be some ms late where all processors are in use.
	}

	loop := frame.New(frame.Options{NoJobs: true}) // or the jobs fill each frame, on this thread
	defer loop.Close()
	for range 3 { // while the window is open
		loop.Begin()
		// update and draw
		loop.Slice()
		loop.End()
		// swap the buffers, which waits for the display
	}
	fmt.Println(loop.Stats().Frames, "frames")
	// Output: 3 frames
}
