package frame_test

import (
	"context"
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A program without a display: the loop keeps 60 frames per second, and what a frame leaves of its time
// goes to tasks.
func Example() {
	loop := frame.New(frame.Options{})
	defer loop.Close()

	var loaded int
	loop.Go(deadline.Low, func(co *scheduler.Co) { // a long job, in straight-line code
		for range 3 {
			loaded++
			co.NextFrame()
		}
	})

	frames := 0
	err := loop.Run(context.Background(), func() error {
		if frames++; frames > 5 {
			return frame.ErrStop
		}
		return nil
	})
	fmt.Println(loaded, "parts loaded;", err)
	// Output: 3 parts loaded; <nil>
}

// A game with the methods of an Ebitengine game. In a program with Ebitengine the last line is
//
//	err := ebiten.RunGame(frame.Wrap[ebiten.FinalScreen, ebiten.GeoM](game, loop))
func ExampleWrap() {
	loop := frame.New(frame.Options{})
	game := &quitGame{quitAt: 3}
	err := runGame(frame.Wrap[screen, geoM](game, loop))
	fmt.Println(game.updates, "updates;", err)

	<-loop.Done() // the loop is closed with the game
	// Output: 3 updates; regular termination
}

// A host with a loop of its own: a window library whose swap waits for the display.
func ExampleLoop_Begin() {
	loop := frame.New(frame.Options{Workers: workers.Options{Workers: 1}})
	defer loop.Close()

	var texture string
	loop.Go(deadline.UserBlocking, func(co *scheduler.Co) {
		decoded := workers.Submit(loop.Pool(), deadline.Normal, func(context.Context) (string, error) {
			return "pixels", nil // on a worker
		})
		pixels, err := scheduler.Await(co, decoded)
		if err == nil {
			texture = pixels // on the frame goroutine, where the library's calls are legal
		}
	})

	for texture == "" {
		loop.Begin()
		// update and draw
		loop.Slice()
		loop.End()
		time.Sleep(time.Millisecond) // window.SwapBuffers()
	}
	fmt.Println(texture)
	// Output: pixels
}

// A host that locks its goroutine to its thread once more in each frame, as a window of Gio does: the frames are on a
// goroutine of their own, and the host's waits for each.
func ExampleLoop_Begin_lockedHost() {
	loop := frame.New(frame.Options{})
	defer loop.Close() // at Gio's DestroyEvent

	frames, made := make(chan func()), make(chan struct{})
	defer close(frames)
	go func() {
		for f := range frames {
			f()
			made <- struct{}{}
		}
	}()

	loaded := 0
	loop.Go(deadline.Low, func(co *scheduler.Co) {
		for ; loaded < 3; loaded++ {
			co.NextFrame()
		}
	})
	for loaded < 3 { // at each FrameEvent
		frames <- func() {
			loop.Begin()
			// lay out
			loop.Slice()
			loop.End()
		}
		<-made
		// event.Frame(ops), which locks the thread
	}
	fmt.Println(loaded, "parts loaded")
	// Output: 3 parts loaded
}

// A server that moves its world in fixed steps, 50 a second. Run makes up for no tick; such a world does, but not for a
// whole night in which the machine was suspended.
func ExampleLoop_Run() {
	const tick = time.Second / 50
	loop := frame.New(frame.Options{Interval: tick})
	defer loop.Close()
	loop.Post(deadline.UserBlocking, func() { fmt.Println("a message, between two ticks") }) // from any goroutine

	ticks, skipped := 0, loop.Stats().Skipped
	err := loop.Run(context.Background(), func() error {
		now := loop.Stats().Skipped
		for range 1 + min(now-skipped, 5) {
			loop.Step(tick) // for the recorder
			// world.Step(tick)
		}
		skipped = now
		if ticks++; ticks == 5 {
			return frame.ErrStop
		}
		return nil
	})
	fmt.Println(ticks, "ticks;", err)
	// Output:
	// a message, between two ticks
	// 5 ticks; <nil>
}

// The whole of a frame.
func ExampleLoop_Slice() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	var world world
	loop.Post(deadline.Normal, func() { fmt.Println("task") })
	loop.Begin()
	world.Update()
	world.Draw()
	loop.Slice() // tasks, in what the frame has left
	loop.End()
	// Output:
	// update
	// draw
	// task
}

type world struct{}

func (world) Update() { fmt.Println("update") }
func (world) Draw()   { fmt.Println("draw") }

// quitGame is a game that ends itself.
type quitGame struct {
	updates, quitAt int
}

// These stand for ebiten.Image, FinalScreen and GeoM.
type (
	picture struct{}
	screen  interface{}
	geoM    struct{}
)

func (g *quitGame) Draw(*picture)              {}
func (g *quitGame) Layout(w, h int) (int, int) { return w, h }

func (g *quitGame) Update() error {
	if g.updates++; g.updates == g.quitAt {
		return errTermination
	}
	return nil
}

var errTermination = fmt.Errorf("regular termination")

// runGame stands for ebiten.RunGame.
func runGame(g interface {
	Update() error
	Draw(*picture)
	Layout(w, h int) (int, int)
}) error {
	for {
		if err := g.Update(); err != nil {
			return err
		}
		g.Draw(&picture{})
	}
}
