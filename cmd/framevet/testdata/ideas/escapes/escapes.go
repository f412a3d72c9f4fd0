// Package escapes has Cos and Workers that leave, and some that stay.
package escapes

import (
	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/workers"
)

var last *frameslice.Co

type actor struct {
	co      *frameslice.Co
	workers []*workers.Worker
	now     *workers.Worker
}

type step struct{ co *frameslice.Co }

func (s step) run() { s.co.Yield() }

func (a *actor) start(loop *frameslice.Loop, cos chan *frameslice.Co) {
	loop.Go(frameslice.Low, func(co *frameslice.Co) {
		last = co                                        // want "is kept in last"
		cos <- co                                        // want "is sent" "a send to a channel"
		go a.run(co)                                     // want "is given to another goroutine"
		loop.Post(frameslice.Low, func() { co.Yield() }) // want "outside of the one"
		loop.Pool().Go(frameslice.Low, func() {
			if co.ShouldYield() { // want "outside of the one"
				return
			}
		})
		step{co}.run()
		co.WaitUntil(func() bool { return co.ShouldYield() })
		help := func() { co.NextFrame() }
		help()
		mine := co
		mine.Yield()
	})
	loop.Pool().Submit(&workers.Job{Func: func(w *workers.Worker) {
		a.workers = append(a.workers, w)                             // want "is kept in a.workers"
		w.ParallelFor(4, 1, func(lo, hi int) { println(w.Index()) }) // want "outside of the one"
		a.now = w
		a.now = nil
	}})
}

func (a *actor) run(co *frameslice.Co) { co.Yield() }

func give(co *frameslice.Co) *frameslice.Co { return co } // want "is returned"
