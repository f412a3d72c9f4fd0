package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func ExampleGroup() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	scene := s.NewGroup("level 1")
	scene.Post(deadline.Normal, func() { fmt.Println("plant a tree") })
	scene.Go(deadline.Low, func(co *scheduler.Co) {
		defer fmt.Println("the choir stops")
		for {
			fmt.Println("sing")
			co.NextFrame()
		}
	})
	s.RunUntil(deadline.In(time.Second))
	scene.Cancel() // the player leaves the level
	done := scene.Done()
	s.RunUntil(deadline.In(time.Second))
	<-done
	fmt.Println(errors.Is(scene.Err(), scheduler.ErrCanceled))
	// Output:
	// plant a tree
	// sing
	// the choir stops
	// true
}

func ExampleGroup_SetPriority() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	minimap := s.NewGroup("minimap")
	for i := range 2 {
		minimap.Post(deadline.Idle, func() { fmt.Println("tile", i) })
	}
	s.Post(deadline.Normal, func() { fmt.Println("path") })
	minimap.SetPriority(deadline.UserBlocking) // it has just been opened
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// tile 0
	// tile 1
	// path
}

func ExampleGroup_Wait() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	level := s.NewGroup("level")
	for i := range 2 {
		level.Post(deadline.Low, func() { fmt.Println("part", i) })
	}
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		if err := level.Wait(co); err == nil {
			fmt.Println("open the door")
		}
	})
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// part 0
	// part 1
	// open the door
}

// silence never finishes.
type silence struct{}

func (silence) Notify(func())        {}
func (silence) Result() (int, error) { return 0, nil }

func ExampleAwaitTimeout() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		_, err := scheduler.AwaitTimeout(co, silence{}, time.Millisecond)
		fmt.Println(errors.Is(err, scheduler.ErrTimeout))
	})
	for range 2 {
		s.RunUntil(deadline.In(time.Second))
		time.Sleep(2 * time.Millisecond)
	}
	// Output: true
}

func ExampleAwaitContext() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	task := s.Go(deadline.Normal, func(co *scheduler.Co) {
		_, err := scheduler.AwaitContext(ctx, co, silence{})
		fmt.Println(err)
	})
	s.RunUntil(deadline.In(time.Second))
	cancel()
	for task.State() == scheduler.Suspended {
		s.RunUntil(deadline.In(time.Millisecond))
		time.Sleep(time.Millisecond) // the picture
	}
	// Output: context canceled
}

// lookup is what a pool would return.
type lookup struct {
	finished chan struct{}
	v        int
	err      error
}

func (f *lookup) Notify(fn func())     { go func() { <-f.finished; fn() }() }
func (f *lookup) Result() (int, error) { return f.v, f.err }
