package scheduler_test

import (
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

func ExampleScheduler_RunPhase() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Once(scheduler.BeforeUpdate, func() { fmt.Println("read the input") })
	fmt.Println(s.RunPhase(scheduler.BeforeUpdate), s.RunPhase(scheduler.BeforeDraw))
	// Output:
	// read the input
	// 1 0
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
	s.WhenIdle(5*time.Second, func(it scheduler.IdleTime) {
		for shaders > 0 && (it.TimedOut() || it.Remaining() > time.Millisecond) {
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

// A simulation that counts its ticks makes up for those that it missed, up to a limit.
func ExampleTask_Missed() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	ticks := 0
	crops := &scheduler.Task{Period: time.Hour, CatchUp: 3, Func: func() { ticks++ }}
	s.Submit(crops)
	s.RunUntil(deadline.In(time.Second))
	s.Shift(-10*time.Hour - time.Minute) // as if ten hours had passed
	s.RunUntil(deadline.In(time.Second))
	fmt.Println(ticks, "ticks,", crops.Missed(), "missed")
	// Output: 5 ticks, 6 missed
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
