package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func Example() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Post(deadline.Low, func() { fmt.Println("autosave") })
	s.Post(deadline.UserBlocking, func() { fmt.Println("open the menu") })
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		for i := range 3 {
			fmt.Println("build part", i)
			co.NextFrame()
		}
	})
	for frame := range 4 {
		s.BeginFrame(deadline.Now())
		fmt.Println("frame", frame)
		s.RunUntil(deadline.In(time.Second))
	}
	// Output:
	// frame 0
	// open the menu
	// build part 0
	// autosave
	// frame 1
	// build part 1
	// frame 2
	// build part 2
	// frame 3
}

func ExampleScheduler_Post() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	done := make(chan struct{})
	go func() { // any goroutine
		defer close(done)
		s.Post(deadline.Normal, func() { fmt.Println("on the frame goroutine") })
	}()
	<-done
	s.RunUntil(deadline.In(time.Second))
	// Output: on the frame goroutine
}

// A hint that appears after a while, unless the player has found out first.
func ExampleScheduler_After() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	hint := s.After(deadline.Low, time.Hour, func() { fmt.Println("press space to jump") })
	s.After(deadline.Normal, time.Millisecond, func() { fmt.Println("the door closes") })
	for at, ok := s.Next(); ok && hint.State() == scheduler.Queued; at, ok = s.Next() {
		time.Sleep(at.Sub(deadline.Now())) // a host that draws every frame needs no such loop
		if r := s.RunUntil(deadline.In(time.Millisecond)); r.Ran > 0 {
			fmt.Println("the player has jumped:", hint.Cancel())
		}
	}
	// Output:
	// the door closes
	// the player has jumped: true
}

// A Task that is part of the thing that it works on costs no allocation, however often it runs.
func ExampleScheduler_Submit() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	type chunk struct {
		name string
		mesh scheduler.Task
	}
	c := &chunk{name: "hills"}
	c.mesh = scheduler.Task{Label: "mesh", Func: func() { fmt.Println("mesh of", c.name) }}
	for range 2 {
		s.Submit(&c.mesh)
		s.RunUntil(deadline.In(time.Second))
	}
	// Output:
	// mesh of hills
	// mesh of hills
}

func ExampleTask_step() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	rows := 0
	s.Submit(&scheduler.Task{Label: "terrain", Step: func() bool {
		rows++
		return rows < 100
	}})
	r := s.RunUntil(deadline.In(time.Second))
	fmt.Println(rows, "rows in", r.Ran, "steps")
	// Output: 100 rows in 100 steps
}

func ExampleTask_Err() {
	s := scheduler.New(scheduler.Options{
		OnPanic: func(pe *scheduler.PanicError) { fmt.Println("report:", pe) },
	})
	defer s.Close()
	t := &scheduler.Task{Label: "nav", Func: func() { panic("off the mesh") }}
	s.Submit(t)
	s.RunUntil(deadline.In(time.Second))
	<-t.Done()
	var pe *scheduler.PanicError
	fmt.Println(t.State(), errors.As(t.Err(), &pe))
	// Output:
	// report: nav: panic: off the mesh
	// failed true
}

func ExampleAwait() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	f := &future{} // a future of package workers has these methods
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		v, err := scheduler.Await[int](co, f)
		fmt.Println("decoded:", v, err)
	})
	s.RunUntil(deadline.In(time.Second))
	fmt.Println("the frame goes on")
	f.finish(42, nil) // on whatever goroutine
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// the frame goes on
	// decoded: 42 <nil>
}

// A host that draws only when something changes sleeps until the scheduler has something to do.
func ExampleScheduler_Next() {
	wake := make(chan struct{}, 1)
	s := scheduler.New(scheduler.Options{Wake: func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}})
	defer s.Close()
	s.Submit(&scheduler.Task{Delay: time.Millisecond, Func: func() { fmt.Println("tooltip") }})
	for quit := false; !quit; {
		s.RunUntil(deadline.In(time.Second))
		at, ok := s.Next()
		if !ok {
			quit = true // nothing left; a real host would wait for its events and for wake
			continue
		}
		select {
		case <-time.After(at.Sub(deadline.Now())):
		case <-wake:
		}
	}
	// Output: tooltip
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
