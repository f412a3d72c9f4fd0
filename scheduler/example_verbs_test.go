package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Straight-line code that takes as many frames as it needs, and suspends itself where it likes.
func ExampleScheduler_Go() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	level := s.Go(deadline.Normal, func(co *scheduler.Co) {
		for _, part := range []string{"ground", "trees", "houses"} {
			fmt.Println("build", part)
			co.Yield()
		}
	})
	s.RunUntil(deadline.In(time.Second))
	fmt.Println(level.State())
	// Output:
	// build ground
	// build trees
	// build houses
	// done
}

// What is more urgent goes first at each Yield, and the coroutine goes on before its equals.
func ExampleCo_Yield() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		fmt.Println("first half")
		s.Post(deadline.Normal, func() { fmt.Println("as urgent, and later") })
		s.Post(deadline.UserBlocking, func() { fmt.Println("a click") })
		co.Yield()
		fmt.Println("second half")
	})
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// first half
	// a click
	// second half
	// as urgent, and later
}

// One step of a fade in each frame.
func ExampleCo_NextFrame() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		for alpha := 0; alpha <= 100; alpha += 50 {
			fmt.Printf("alpha %d %%\n", alpha)
			co.NextFrame()
		}
	})
	for frame := 1; frame <= 3; frame++ {
		fmt.Print("frame ", frame, ": ")
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.In(time.Second))
	}
	// Output:
	// frame 1: alpha 0 %
	// frame 2: alpha 50 %
	// frame 3: alpha 100 %
}

func ExampleCo_Sleep() {
	var now deadline.Instant
	s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }}) // for the example's sake
	defer s.Close()
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		fmt.Println("the lamp goes out")
		co.Sleep(time.Second)
		fmt.Println("and on again")
	})
	for range 2 {
		s.RunUntil(deadline.Deadline{})
		now = now.Add(time.Second)
		fmt.Println("a second passes")
	}
	// Output:
	// the lamp goes out
	// a second passes
	// and on again
	// a second passes
}

// A long loop that gives way when it should, and not sooner.
func ExampleCo_ShouldYield() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		for i := range 1000 {
			if i == 500 {
				s.Post(deadline.UserBlocking, func() { fmt.Println("a click, after", i) })
			}
			if i%100 == 0 && co.ShouldYield() { // some 35 ns: not for every element
				co.Yield()
			}
		}
		fmt.Println("all 1000 done")
	})
	s.RunUntil(deadline.In(time.Minute))
	// Output:
	// a click, after 500
	// all 1000 done
}

// A coroutine that is cancelled where it is suspended: what it has deferred runs, what comes next does not.
func ExampleTask_Cancel() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	t := s.Go(deadline.Normal, func(co *scheduler.Co) {
		defer fmt.Println("the file is closed")
		co.NextFrame()
		fmt.Println("never printed")
	})
	s.RunUntil(deadline.In(time.Second))
	fmt.Println(t.Cancel(), t.Cancel()) // again: harmless
	s.RunUntil(deadline.In(time.Second))
	fmt.Println(t.State(), errors.Is(t.Err(), scheduler.ErrCanceled))
	// Output:
	// true false
	// the file is closed
	// canceled true
}

// The task keeps its place by submission: among those of its new priority it is the oldest.
func ExampleTask_SetPriority() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	far := &scheduler.Task{Priority: deadline.Low, Func: func() { fmt.Println("the far tile, which is near now") }}
	s.Submit(far)
	s.Post(deadline.Normal, func() { fmt.Println("a tile that was asked for later") })
	far.SetPriority(deadline.Normal)
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// the far tile, which is near now
	// a tile that was asked for later
}

// Another goroutine waits for what a task does on the frame goroutine.
func ExampleTask_Done() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	world := 0
	saved := make(chan struct{})
	t := &scheduler.Task{Func: func() { world = 42 }}
	s.Submit(t)
	go func() {
		defer close(saved)
		<-t.Done()
		fmt.Println("save", world)
	}()
	s.RunUntil(deadline.In(time.Second))
	<-saved
	// Output: save 42
}

func ExampleScheduler_Context() {
	s := scheduler.New(scheduler.Options{})
	download := s.Context() // for what goes on elsewhere
	s.Close()
	fmt.Println(context.Cause(download))
	// Output: scheduler: closed (scheduler: task canceled (context canceled))
}

// Why a task did not run in a frame, for a log or a display.
func ExampleTask_Why() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	mesh := &scheduler.Task{Label: "mesh", Cost: 20 * time.Millisecond, Func: func() {}}
	save := &scheduler.Task{Label: "save", Priority: deadline.Low, Co: func(co *scheduler.Co) { co.NextFrame() }}
	s.Submit(mesh)
	s.Submit(save)
	fmt.Println(mesh.Why())
	s.RunUntil(deadline.In(time.Millisecond))
	fmt.Println(save.Why())
	// Output:
	// in the inbox, which the next slice reads
	// waits for the next frame
}
