// Package closed has loops that are closed, and tasks that close them.
package closed

import (
	"github.com/frameslice/frameslice"
)

type app struct{ loop *frameslice.Loop }

func run(quit func() bool) {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	a := &app{loop: frameslice.New(frameslice.MaxThroughput)}
	a.loop.Each(frameslice.BeforeUpdate, func() {
		if quit() {
			a.loop.Close() // want "a task or a job closes its loop"
		}
	})
	loop.Pool().Go(frameslice.Low, a.end)
	lost := frameslice.New(frameslice.Balanced) // want "nobody closes this loop"
	lost.Post(frameslice.Low, func() {})
	given := frameslice.New(frameslice.Balanced)
	keep(given)
}

func (a *app) end() { a.loop.Close() } // want "a task or a job closes its loop"

func keep(*frameslice.Loop) {}

// Make leaves the closing to its caller.
func Make() *frameslice.Loop {
	loop := frameslice.New(frameslice.Balanced)
	return loop
}
