package scheduler_test

import (
	"errors"
	"fmt"
	"sync"
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
	fmt.Println("the frame continues")
	f.finish(42, nil) // on whatever goroutine
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// the frame continues
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
			if i%100 == 0 && co.ShouldYield() { // about 35 ns: not for every element
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

// future is the least Awaitable.
type future struct {
	mu    sync.Mutex
	done  bool
	value int
	err   error
	f     []func()
}

func (f *future) Notify(g func()) {
	f.mu.Lock()
	done := f.done
	if !done {
		f.f = append(f.f, g)
	}
	f.mu.Unlock()
	if done {
		g()
	}
}

func (f *future) finish(v int, err error) {
	f.mu.Lock()
	f.done, f.value, f.err = true, v, err
	fs := f.f
	f.f = nil
	f.mu.Unlock()
	for _, g := range fs {
		g()
	}
}

func (f *future) Result() (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.value, f.err
}
