// Package docs_test holds the programs of the guides in this folder. Each Go block of a guide stands here, or in a
// program below demo, line by line.
package docs_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
	"github.com/frameslice/frameslice/workers/par"
)

// unhurried returns a loop whose slices are long, so that the outputs do not depend on how fast the machine is.
func unhurried() *frameslice.Loop {
	o := frameslice.Balanced.Options()
	o.Interval = time.Second
	return frameslice.NewWith(o)
}

// frame is a frame of a host without update and draw.
func frame(loop *frameslice.Loop) {
	loop.Begin()
	loop.Slice()
	loop.End()
	time.Sleep(time.Millisecond) // the display
}

// untilDone runs frames until the task has ended.
func untilDone(loop *frameslice.Loop, task *frameslice.Task) {
	for task.Err() == nil && task.State() != scheduler.Done {
		frame(loop)
	}
}

func Example_queueToTheFrame() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	chunks := flow.NewBound(loop.Scheduler(), 8)
	placed := 0
	for range 2 {
		go func() { // a reader of the network
			for range 50 {
				place := func() { placed++ } // on the frame goroutine: no lock
				if err := chunks.PostWait(context.Background(), frameslice.Normal, place); err != nil {
					return // the loop has closed
				}
			}
		}()
	}
	_ = loop.Run(context.Background(), func() error {
		if placed == 100 {
			return frameslice.ErrStop
		}
		return nil
	})
	fmt.Println(placed, "chunks")
	// Output: 100 chunks
}

func Example_topic() {
	loop := unhurried()
	defer loop.Close()
	hits := flow.NewTopic[int](loop.Scheduler())
	hits.Subscribe(frameslice.Low, func(damage int) {
		fmt.Println("log: hit for", damage)
	})
	sound := hits.Subscribe(frameslice.UserBlocking, func(damage int) {
		fmt.Println("sound: ouch", damage)
	})
	_ = hits.Publish(3) // from any goroutine
	_ = hits.Publish(5)
	frame(loop)
	sound.Cancel()
	_ = hits.Publish(8)
	frame(loop)
	// Output:
	// sound: ouch 3
	// sound: ouch 5
	// log: hit for 3
	// log: hit for 5
	// log: hit for 8
}

func Example_workerPool() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	var paths []*frameslice.Future[int]
	for unit := range 4 {
		paths = append(paths, frameslice.Submit(loop, frameslice.Normal, func(context.Context) (int, error) {
			return 10 * unit, nil // on a worker; all four at the same time
		}))
	}
	all := loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for unit, path := range paths {
			steps, err := frameslice.Await(co, path) // frames continue meanwhile
			fmt.Println("unit", unit, "walks", steps, "steps, error:", err)
		}
	})
	_ = loop.Run(context.Background(), func() error {
		select {
		case <-all.Done():
			return frameslice.ErrStop
		default:
			return nil
		}
	})
	// Output:
	// unit 0 walks 0 steps, error: <nil>
	// unit 1 walks 10 steps, error: <nil>
	// unit 2 walks 20 steps, error: <nil>
	// unit 3 walks 30 steps, error: <nil>
}

func Example_pause() {
	loop := unhurried()
	defer loop.Close()
	level, menu := loop.NewGroup("level"), loop.NewGroup("menu")
	level.Go(frameslice.Normal, func(co *frameslice.Co) {
		for step := 1; ; step++ {
			fmt.Println("the enemy walks, step", step)
			co.NextFrame()
		}
	})
	frame(loop)
	level.Pause() // the menu opens
	menu.Go(frameslice.Normal, func(co *frameslice.Co) {
		for _, alpha := range []float64{0.5, 1} {
			fmt.Println("the menu, alpha", alpha)
			co.NextFrame()
		}
	})
	frame(loop)
	frame(loop)
	level.Resume()       // the menu closes
	level.SetSpeed(0.25) // slow motion: a second of the level takes four
	frame(loop)
	// Output:
	// the enemy walks, step 1
	// the menu, alpha 0.5
	// the menu, alpha 1
	// the enemy walks, step 2
}

// download stands for a request to a server.
func download(ctx context.Context, name string) ([]byte, error) {
	select {
	case <-time.After(20 * time.Millisecond):
		return []byte("a map of " + name), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func Example_download() {
	loop := unhurried()
	defer loop.Close()
	level := loop.NewGroup("level")
	level.Go(frameslice.Normal, func(co *frameslice.Co) {
		data, err := frameslice.IO(co, loop, func(ctx context.Context) ([]byte, error) {
			return download(ctx, "map.txt") // on a goroutine of its own, beside up to 63 others
		})
		if err != nil {
			fmt.Println(err) // on the frame goroutine: show it
			return
		}
		words, err := frameslice.Background(co, loop, func(context.Context) ([]string, error) {
			return strings.Fields(string(data)), nil // on a worker
		})
		fmt.Println(len(words), "words,", err)
	})
	untilDone(loop, loop.Go(frameslice.Low, func(co *frameslice.Co) { _ = level.Wait(co) }))
	// Output: 4 words, <nil>
}

func Example_strand() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	var mu sync.Mutex
	files := map[string]string{}
	write := func(name, text string) {
		mu.Lock()
		defer mu.Unlock()
		files[name] += text
	}
	saved := 0
	strands := map[string]*par.Strand{}
	save := func(name, text string) {
		if strands[name] == nil {
			strands[name] = par.NewStrand(loop.Pool())
		}
		strands[name].Go(frameslice.Low, func() {
			write(name, text) // on a worker, after the earlier saves of this name
			loop.Post(frameslice.Low, func() { saved++ })
		})
	}
	save("world", "hills ")
	save("player", "lives: 3 ")
	save("world", "and rivers")
	save("player", "gold: 12")
	all := loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		co.WaitUntil(func() bool { return saved == 4 })
	})
	untilDone(loop, all)
	fmt.Println(files["world"])
	fmt.Println(files["player"])
	// Output:
	// hills and rivers
	// lives: 3 gold: 12
}

func Example_mutex() {
	loop := unhurried()
	defer loop.Close()
	var door flow.Semaphore // one at a time; with Limit: 2 two at a time
	walk := func(name string) *frameslice.Task {
		return loop.Go(frameslice.Normal, func(co *frameslice.Co) {
			door.Acquire(co)
			defer door.Release() // also if the coroutine is canceled
			fmt.Println(name, "enters")
			co.NextFrame() // other coroutines run, and wait at the door
			fmt.Println(name, "leaves")
		})
	}
	walk("the knight")
	untilDone(loop, walk("the cat"))
	// Output:
	// the knight enters
	// the knight leaves
	// the cat enters
	// the cat leaves
}

func Example_race() {
	loop := unhurried()
	defer loop.Close()
	tasks := loop.Scheduler()
	over := false
	update := func() {
		loop.After(frameslice.Immediate, 200*time.Millisecond, func() {
			fmt.Println("timer")
			over = true
		})
		loop.Host().Once(frameslice.BeforeUpdate, func() { fmt.Println("callback of the next frame") })
		loop.Post(frameslice.Normal, func() {
			tasks.Microtask(func() { fmt.Println("microtask of the task") })
			fmt.Println("task")
		})
		loop.Post(frameslice.Immediate, func() { fmt.Println("urgent task") })
		loop.Host().Once(frameslice.BeforeDraw, func() { fmt.Println("callback before draw") })
		tasks.Microtask(func() { fmt.Println("microtask of update") })
		fmt.Println("synchronous")
	}
	loop.Begin() // the callbacks of BeforeUpdate
	update()
	loop.RunPhase(frameslice.BeforeDraw)
	fmt.Println("draw")
	loop.Slice()
	loop.End()
	for !over { // the following frames
		frame(loop)
	}
	// Output:
	// synchronous
	// microtask of update
	// callback before draw
	// draw
	// urgent task
	// task
	// microtask of the task
	// callback of the next frame
	// timer
}

func Example_saveALargeState() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	units, quit := make([]int, 1000), false
	encode := func(units []int) ([]byte, error) { return make([]byte, 8*len(units)), nil }
	write := func(data []byte) (int, error) { return len(data), nil }

	var world []int // kept, because new memory is slow
	saver := loop.Go(frameslice.Low, func(co *frameslice.Co) {
		for last := false; !last; {
			next := time.Now().Add(2 * time.Second)
			co.WaitUntil(func() bool { return quit || time.Now().After(next) })
			last = quit
			world = append(world[:0], units...) // one moment of the game
			data, _ := frameslice.Background(co, loop, func(context.Context) ([]byte, error) { return encode(world) })
			_, err := frameslice.IO(co, loop, func(context.Context) (int, error) { return write(data) })
			fmt.Println("saved:", err == nil)
		}
		loop.Stop()
	})

	_ = loop.Run(context.Background(), func() error {
		units[0]++
		quit = units[0] > 5
		return nil
	})
	fmt.Println(saver.Err())
	// Output:
	// saved: true
	// <nil>
}
