// Gio is the program in a window of Gio, which draws on demand.
package main

import (
	"log"
	"os"
	"time"

	"gioui.org/app"
	"gioui.org/op"
	"gioui.org/unit"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/demo/hosts/work"
)

func main() {
	flags := work.ParseFlags()
	go func() {
		if err := run(flags); err != nil {
			log.Fatal(err)
		}
		os.Exit(0)
	}()
	app.Main()
}

func run(flags work.Flags) error {
	window := new(app.Window)
	window.Option(app.Title("Gio"), app.Size(unit.Dp(work.Window.Dx()), unit.Dp(work.Window.Dy())))

	o := frameslice.Balanced.Options()
	o.Interval = time.Second / 60 // sleeps hide the display's period
	o.Scheduler.Wake = window.Invalidate
	loop := frameslice.NewWith(o)
	w := work.New(loop, flags)
	defer w.WriteReport()

	frames, made := make(chan func()), make(chan struct{})
	defer close(frames)
	go func() { // this goroutine is the frame goroutine, and locks no thread
		for f := range frames {
			f()
			made <- struct{}{}
		}
	}()
	onFrames := func(f func()) {
		frames <- f
		<-made
	}

	view := newView(w)
	for ops := new(op.Ops); ; {
		switch e := window.Event().(type) {
		case app.DestroyEvent:
			onFrames(func() { loop.Close() })
			return e.Err
		case app.FrameEvent:
			gtx := app.NewContext(ops, e)
			var sleep time.Duration
			onFrames(func() {
				loop.Begin()
				view.draw(gtx)
				loop.Slice() // tasks, in the time that is left
				loop.End()
				sleep = w.Sleep()
			})
			gtx.Execute(op.InvalidateCmd{At: time.Now().Add(sleep)}) // the next frame, if nothing wakes the loop
			e.Frame(gtx.Ops)                                         // Gio may lock the thread
			if sleep > 0 {
				onFrames(loop.Rest) // the sleep is no late frame
			}
		}
	}
}
