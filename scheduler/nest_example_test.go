package scheduler_test

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A message box that blocks its caller: the frames go on in it.
func ExampleScheduler_Nest() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		for i := range 4 {
			fmt.Println("music", i)
			co.NextFrame()
		}
	})
	messageBox := func(text string) {
		s.Nest(func() {
			for frame := 0; frame < 2 && s.Context().Err() == nil; frame++ { // until it is clicked away
				s.BeginFrame(deadline.Now())
				s.RunUntil(deadline.In(time.Second))
				fmt.Println("draw:", text)
			}
		})
	}
	s.Post(deadline.Normal, func() {
		messageBox("The file could not be saved.")
		fmt.Println("try again")
	})
	for range 2 {
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.In(time.Second))
		fmt.Println("draw")
	}
	// Output:
	// music 0
	// music 1
	// draw: The file could not be saved.
	// music 2
	// draw: The file could not be saved.
	// try again
	// draw
	// music 3
	// draw
}
