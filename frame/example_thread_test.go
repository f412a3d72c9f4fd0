package frame_test

import (
	"fmt"

	"github.com/frameslice/frameslice/frame"
)

// A host with a loop of its own, on a thread that runs soon after it wakes up, where the system grants that.
func ExampleTakeThread() {
	_, giveBack := frame.TakeThread(frame.ThreadPrompt)
	defer giveBack() // after the loop's Close

	loop := frame.New(frame.Options{})
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
