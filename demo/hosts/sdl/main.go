// Sdl is the program in a window of SDL, which draws on demand.
package main

import (
	"log"
	"runtime"
	"time"

	"github.com/veandco/go-sdl2/sdl"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/demo/hosts/work"
)

func main() {
	runtime.LockOSThread() // before the first frame, as SDL wants it
	if err := run(work.ParseFlags()); err != nil {
		log.Fatal(err)
	}
}

func run(flags work.Flags) error {
	if err := sdl.Init(sdl.INIT_VIDEO); err != nil {
		return err
	}
	defer sdl.Quit()
	size := work.Window.Size()
	window, err := sdl.CreateWindow("SDL", 0, 0, int32(size.X), int32(size.Y), sdl.WINDOW_SHOWN)
	if err != nil {
		return err
	}
	defer window.Destroy()
	renderer, err := sdl.CreateRenderer(window, -1, sdl.RENDERER_ACCELERATED|sdl.RENDERER_PRESENTVSYNC)
	if err != nil {
		return err
	}
	defer renderer.Destroy()

	o := frameslice.Balanced.Options()
	o.Interval = time.Second / 60 // sleeps hide the display's period
	wake := &sdl.UserEvent{Type: sdl.RegisterEvents(1)}
	o.Scheduler.Wake = func() { sdl.PushEvent(wake) }
	loop := frameslice.NewWith(o)
	w := work.New(loop, flags)
	defer w.WriteReport()
	defer loop.Close() // before SDL ends

	view := newView(w, renderer)
	for open := true; open; {
		loop.Begin()
		view.draw()
		loop.Slice() // tasks, in the time that is left
		loop.End()
		renderer.Present() // waits for the display

		sleep := w.Sleep()
		if sleep > 0 {
			loop.Rest() // the sleep is no late frame
		}
		event := sdl.WaitEventTimeout(int(sleep.Milliseconds()))
		for ; event != nil; event = sdl.PollEvent() {
			open = open && view.handle(event)
		}
	}
	return nil
}
