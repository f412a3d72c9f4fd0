package scheduler_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// clock returns a scheduler in a time that stands still between two assignments to it.
func clock() (s *scheduler.Scheduler, now *deadline.Instant) {
	now = new(deadline.Instant)
	return scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return *now }}), now
}

// A slice of 3 ms, and five tasks of 1 ms: the rest waits for the next one.
func ExampleScheduler_RunUntil() {
	s, now := clock()
	defer s.Close()
	for range 5 {
		s.Submit(&scheduler.Task{Cost: time.Millisecond, Func: func() { *now = now.Add(time.Millisecond) }})
	}
	for range 2 {
		r := s.RunUntil(deadline.At(now.Add(3 * time.Millisecond)))
		fmt.Println("ran", r.Ran, "in", r.Used, "and left", r.Ready)
	}
	// Output:
	// ran 3 in 3ms and left 2
	// ran 2 in 2ms and left 0
}

// The machine slept for an hour: what was to happen in a minute is still to happen in a minute.
func ExampleScheduler_Shift() {
	s, now := clock()
	defer s.Close()
	s.After(deadline.Normal, time.Minute, func() { fmt.Println("the bomb goes off") })
	s.RunUntil(deadline.Deadline{})

	*now = now.Add(time.Hour)
	s.Shift(time.Hour)
	s.RunUntil(deadline.Deadline{})
	at, _ := s.Next()
	fmt.Println("not yet; in", at.Sub(*now))

	*now = now.Add(time.Minute)
	s.RunUntil(deadline.Deadline{})
	// Output:
	// not yet; in 1m0s
	// the bomb goes off
}

// The end of a game: what waits is cancelled, what is suspended is unwound, and nothing more is taken.
func ExampleScheduler_Close() {
	s := scheduler.New(scheduler.Options{})
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		defer fmt.Println("the connection is closed")
		co.NextFrame()
	})
	s.RunUntil(deadline.In(time.Second))
	waiting := s.Every(deadline.Low, time.Hour, func() {})
	s.Close()
	fmt.Println(errors.Is(waiting.Err(), scheduler.ErrClosed))
	fmt.Println(s.Post(deadline.Normal, func() {}).State())
	// Output:
	// the connection is closed
	// true
	// canceled
}

// A scene that is left: nothing of it runs any more, whatever state it was in.
func ExampleGroup_Cancel() {
	s, now := clock()
	defer s.Close()
	scene := s.NewGroup("cellar")
	scene.Post(deadline.Normal, func() { fmt.Println("never printed") })
	scene.Go(deadline.Low, func(co *scheduler.Co) { co.Sleep(time.Second); fmt.Println("nor this") })
	scene.Cancel()
	scene.Post(deadline.Immediate, func() { fmt.Println("nor what comes too late") })
	*now = now.Add(time.Minute)
	s.RunUntil(deadline.Deadline{})
	fmt.Println(errors.Is(scene.Err(), scheduler.ErrCanceled))
	// Output: true
}

// The window is about to be closed: what would be saved in a second is saved now.
func ExampleDebounce_Flush() {
	s, _ := clock()
	defer s.Close()
	save := flow.NewDebounce(s, flow.DebounceOptions{Wait: time.Second}, func() { fmt.Println("saved") })
	save.Call()
	s.RunUntil(deadline.Deadline{})
	save.Flush()
	s.RunUntil(deadline.Deadline{})
	// Output: saved
}
