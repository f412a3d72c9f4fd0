package scheduler_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// oneFrame is a frame of a host that has phases.
func oneFrame(s *scheduler.Scheduler) {
	s.BeginFrame(deadline.Now())
	s.RunPhase(scheduler.BeforeUpdate)
	// update
	s.RunPhase(scheduler.BeforeDraw)
	fmt.Println("draw")
	s.RunPhase(scheduler.AfterDraw)
	s.RunUntil(deadline.In(time.Second))
}

func ExampleScheduler_Once() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Once(scheduler.BeforeDraw, func() {
		fmt.Println("move the camera")
		s.Once(scheduler.BeforeDraw, func() { fmt.Println("and once more") }) // in the next frame
	})
	oneFrame(s)
	oneFrame(s)
	// Output:
	// move the camera
	// draw
	// and once more
	// draw
}

func ExampleScheduler_Each() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	n := 0
	var fps scheduler.Handle
	fps = s.Each(scheduler.AfterDraw, func() {
		n++
		fmt.Println("frame", n)
		if n == 2 {
			fps.Cancel()
		}
	})
	for range 3 {
		oneFrame(s)
	}
	// Output:
	// draw
	// frame 1
	// draw
	// frame 2
	// draw
}

func ExampleScheduler_Microtask() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Post(deadline.Normal, func() {
		s.Microtask(func() { fmt.Println("lay out, once") })
		fmt.Println("change this")
		fmt.Println("change that")
	})
	s.Post(deadline.Normal, func() { fmt.Println("another task") })
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// change this
	// change that
	// lay out, once
	// another task
}

func ExampleScheduler_WhenIdle() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	shaders := 3
	s.WhenIdle(5*time.Second, func(end deadline.Deadline, timedOut bool) {
		for shaders > 0 && (timedOut || end.Remaining() > time.Millisecond) {
			shaders--
		}
		fmt.Println(shaders, "shaders are left to compile")
	})
	s.Post(deadline.Low, func() { fmt.Println("what is ready comes first") })
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// what is ready comes first
	// 0 shaders are left to compile
}

func ExampleScheduler_Every() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	ticks := 0
	var autosave *scheduler.Task
	autosave = s.Every(deadline.Low, time.Millisecond, func() {
		ticks++
		if ticks == 3 {
			autosave.Cancel()
		}
	})
	for autosave.State() != scheduler.Canceled {
		s.RunUntil(deadline.In(time.Second))
		if at, ok := s.Next(); ok {
			time.Sleep(at.Sub(deadline.Now()))
		}
	}
	fmt.Println(ticks, "ticks")
	// Output: 3 ticks
}

// A periodic task skips the ticks that it has missed, and counts them. A simulation can make up for them.
func ExampleTask_Missed() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	ticks := 0
	crops := s.Every(deadline.Normal, time.Hour, func() { ticks++ })
	s.RunUntil(deadline.In(time.Second))
	s.Shift(-10*time.Hour - time.Minute) // as if ten hours had passed
	s.RunUntil(deadline.In(time.Second))
	fmt.Println(ticks, "ticks,", crops.Missed(), "missed")
	// Output: 1 ticks, 9 missed
}

func ExampleCo_AfterDraw() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		fmt.Println("show 'please wait'")
		co.AfterDraw()
		fmt.Println("it is on the picture: start the long work")
	})
	oneFrame(s)
	oneFrame(s)
	// Output:
	// draw
	// show 'please wait'
	// draw
	// it is on the picture: start the long work
}

// A program that draws only when it must sleeps in between.
func ExampleScheduler_RequestDraw() {
	wake := make(chan struct{}, 1)
	s := scheduler.New(scheduler.Options{Wake: func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}})
	defer s.Close()
	go func() { // the network, say
		s.Post(deadline.Normal, func() {
			fmt.Println("a message has come")
			s.RequestDraw()
		})
	}()
	for drawn := false; !drawn; {
		if at, ok := s.Next(); !ok {
			<-wake
		} else {
			time.Sleep(at.Sub(deadline.Now()))
		}
		s.RunUntil(deadline.In(time.Second))
		if drawn = s.DrawRequested(); drawn {
			oneFrame(s)
		}
	}
	// Output:
	// a message has come
	// draw
}

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

// clock returns a scheduler in a time that stands still between two assignments to it.
func clock() (s *scheduler.Scheduler, now *deadline.Instant) {
	now = new(deadline.Instant)
	return scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return *now }}), now
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
