// Fyne is the program in a window of Fyne, which draws on demand.
package main

import (
	"log"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/demo/hosts/work"
)

func main() {
	flags := work.ParseFlags()
	window := app.New().NewWindow("Fyne")
	var frames animation
	o := frameslice.Balanced.Options()
	o.Interval = time.Second / 60 // sleeps hide the display's period
	var loop *frameslice.Loop
	o.Scheduler.Wake = func() {
		if !loop.Closing() { // else Fyne may have ended
			fyne.Do(frames.start)
		}
	}
	loop = frameslice.NewWith(o)
	w := work.New(loop, flags)
	view := newView(w, window)

	frames.tick = func() { // Fyne calls it once a frame, on its own goroutine
		loop.Begin()
		view.refresh()
		loop.Slice() // tasks, in the time that is left
		loop.End()
		if sleep := w.Sleep(); sleep > 0 {
			loop.Rest() // the sleep is no late frame
			frames.stop(sleep)
		}
	}
	frames.start()
	window.SetOnClosed(loop.Stop) // C calls it, so this is no place for Close
	window.ShowAndRun()
	if err := loop.Close(); err != nil {
		log.Print(err)
	}
	w.WriteReport()
}

// An animation calls tick in each of Fyne's frames, from start to stop.
type animation struct {
	tick  func()
	runs  *fyne.Animation
	timer *time.Timer
}

// start is called on Fyne's goroutine, and does nothing if the animation runs.
func (a *animation) start() {
	if a.runs == nil {
		a.runs = fyne.NewAnimation(time.Hour, func(float32) { a.tick() })
		a.runs.RepeatCount = fyne.AnimationRepeatForever
		a.runs.Start()
	}
}

// stop stops the animation for that time, or until start.
func (a *animation) stop(sleep time.Duration) {
	a.runs.Stop()
	a.runs = nil
	if a.timer != nil {
		a.timer.Stop()
	}
	a.timer = time.AfterFunc(sleep, func() { fyne.Do(a.start) })
}
