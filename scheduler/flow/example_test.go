package flow_test

import (
	"context"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// Messages of a chat that come faster than frames show them: what is too much is refused.
func ExampleBound() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	chat := flow.NewBound(s, 2)
	for i := range 4 {
		if err := chat.Post(deadline.Low, func() { fmt.Println("show message", i) }); err != nil {
			fmt.Println("message", i, "is lost:", err)
		}
	}
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// message 2 is lost: flow: full
	// message 3 is lost: flow: full
	// show message 0
	// show message 1
}

func ExampleBound_PostWait() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b := flow.NewBound(s, 2)
	sum := 0
	done := make(chan struct{})
	go func() { // a producer that goes as fast as the frames
		defer close(done)
		for i := range 100 {
			if b.PostWait(context.Background(), deadline.Normal, func() { sum += i }) != nil {
				return
			}
		}
	}()
	for sum < 4950 { // frames
		s.RunUntil(deadline.In(time.Millisecond))
		time.Sleep(time.Millisecond) // the picture
	}
	<-done
	fmt.Println(sum)
	// Output: 4950
}

// Path requests of units whose goals move: one search for each unit, to where its goal is now.
func ExampleLatest() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	paths := flow.NewLatest(s, deadline.Normal, func(unit string, goal int) {
		fmt.Println(unit, "goes to", goal)
	})
	for goal := range 10 {
		_ = paths.Post("scout", goal)
		_ = paths.Post("healer", goal/2)
	}
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// scout goes to 9
	// healer goes to 4
}

func ExampleDebounce() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	saved := false
	save := flow.NewDebounce(s, deadline.Normal, 5*time.Millisecond, func() {
		fmt.Println("save")
		saved = true
	})
	for range 10 {
		save.Call() // a key was pressed
	}
	for !saved {
		s.RunUntil(deadline.In(time.Millisecond))
	}
	// Output: save
}

func ExampleThrottle() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	n := 0
	minimap := flow.NewThrottle(s, deadline.Normal, time.Hour, func() { n++ })
	for range 10 {
		minimap.Call()
		s.RunUntil(deadline.In(time.Millisecond))
	}
	fmt.Println(n)
	// Output: 1
}

func ExampleRateLimit_Allow() {
	sparks := flow.RateLimit{Every: time.Hour, Burst: 3}
	for range 5 {
		fmt.Print(sparks.Allow(), " ")
	}
	// Output: true true true false false
}

func ExampleRateLimit_Post() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	requests := &flow.RateLimit{Every: time.Millisecond, MaxDelay: 2500 * time.Microsecond, Scheduler: s}
	n := 0
	for i := range 10 {
		if _, err := requests.Post(deadline.Normal, func() { n++ }); err != nil && i == 9 {
			fmt.Println(err)
		}
	}
	for n < 3 {
		s.RunUntil(deadline.In(time.Millisecond))
	}
	// Output: flow: full
}

func ExampleRateLimit_Wait() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	pings := &flow.RateLimit{Every: time.Millisecond, Scheduler: s}
	n := 0
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		for range 3 {
			pings.Wait(co)
			n++
		}
	})
	for n < 3 {
		s.RunUntil(deadline.In(time.Millisecond))
	}
	fmt.Println(n, "pings")
	// Output: 3 pings
}

func ExampleAwaitContext() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	task := s.Go(deadline.Normal, func(co *scheduler.Co) {
		_, err := flow.AwaitContext(ctx, co, silence{})
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

// silence is something that never finishes.
type silence struct{}

func (silence) Notify(func())        {}
func (silence) Result() (int, error) { return 0, nil }
