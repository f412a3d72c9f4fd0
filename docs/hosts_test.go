package docs_test

import (
	"context"
	"fmt"
	"time"

	"github.com/frameslice/frameslice"
	parts "github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

func Example_hooks() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	begun := false
	onUpdate := func() {
		if !begun { // the engine may update twice, or not at all, in one frame
			loop.Begin()
			begun = true
		}
		update()
	}
	onDraw := func() {
		if !begun {
			loop.Begin()
		}
		draw()
		loop.Slice()
		loop.End()
		begun = false
	}
	onUpdate()
	onUpdate()
	onDraw()
	onDraw()
	fmt.Println(loop.Frame(), "frames")
	// Output: 2 frames
}

func Example_server() {
	const tick = time.Second / 50
	o := frameslice.Balanced.Options()
	o.Interval = tick
	loop := frameslice.NewWith(o)
	defer loop.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ticks := 0

	loop.Every(frameslice.Low, 50*time.Millisecond, func() { /* telemetry */ })
	loop.Post(frameslice.UserBlocking, func() { fmt.Println("a message, between two ticks") }) // from any goroutine
	err := loop.Run(ctx, func() error {
		loop.Step(tick) // for the recorder
		ticks++         // world.Step(tick)
		if ticks == 5 {
			stop() // the server is told to end
		}
		return nil
	})
	fmt.Println(ticks, "ticks, error:", err)
	// Output:
	// a message, between two ticks
	// 5 ticks, error: <nil>
}

func Example_onDemand() {
	woken := make(chan struct{}, 1)
	o := frameslice.Balanced.Options()
	o.Placement = parts.PlaceAfterDraw
	o.Scheduler.Wake = func() { // any goroutine calls it; it must not block
		select {
		case woken <- struct{}{}:
		default:
		}
	}
	loop := frameslice.NewWith(o)
	defer loop.Close()
	tasks := loop.Scheduler()
	text, drawn := "", ""
	time.AfterFunc(time.Millisecond, func() {
		loop.Post(frameslice.Normal, func() { text = "new" })
	})

	for drawn != "new" {
		loop.Begin()
		if tasks.DrawRequested() {
			loop.RunPhase(scheduler.BeforeDraw)
			drawn = text
		}
		loop.Slice()
		loop.End()
		if drawn != text { // the tasks have changed something
			tasks.RequestDraw()
		}
		wait := time.Hour
		if at, ok := tasks.Next(); ok {
			wait = at.Sub(tasks.Now())
		}
		if wait > 0 {
			loop.Rest() // the sleep is no late frame
			select {    // and the window's events
			case <-woken:
			case <-time.After(wait):
			}
		}
	}
	fmt.Println("drawn:", drawn)
	// Output: drawn: new
}
