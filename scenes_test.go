package frameslice_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

// The scenes of this file are the loop's promises, one each, as timelines: see chart. Where nothing else is said a
// frame of 10 ms works for 1 ms in its update ('u') and for 2 ms in its drawing ('d'), the host flushes for 1 ms ('f')
// and the slice ends 1.5 ms before the frame does.

// parts is a frame with all its parts. What is nil does nothing.
func (h *host) parts(inUpdate, inDraw func()) {
	h.loop.Begin()
	h.busy("own", 'u', ms)
	if inUpdate != nil {
		inUpdate()
	}
	h.loop.RunPhase(scheduler.BeforeDraw)
	h.busy("own", 'd', 2*ms)
	if inDraw != nil {
		inDraw()
	}
	h.loop.Slice()
	h.loop.End()
	h.busy("host", 'f', ms)
	time.Sleep(10*ms - deadline.Now().Sub(h.epoch)%(10*ms))
}

// task is a function that is busy for d.
func (h *host) task(mark byte, d time.Duration) func() {
	return func() { h.busy("tasks", mark, d) }
}

// placed runs a scene with the slice in Slice and with the slice in the shadow of the host's flush.
func placed(t *testing.T, scene func(h *host), afterDraw, shadow string) {
	t.Helper()
	for place, want := range map[frame.Placement]string{
		frame.PlaceAfterDraw: afterDraw, frame.PlaceShadow: shadow,
	} {
		if place == frame.PlaceShadow && runtime.GOOS == "js" {
			continue // no shadow there
		}
		t.Run(fmt.Sprint("placement ", place), func(t *testing.T) {
			run(t, frame.Options{Placement: place}, func(h *host) {
				h.names = []string{"own", "phase", "tasks", "idle", "host"}
				scene(h)
				h.want(t, want)
			})
		})
	}
}

// Callbacks of the phases ('1' before the update, '2' before the drawing, '3' after it) are the host's own work, also
// where the slice is not. A callback of Once that a callback registers waits for the next frame.
func TestThePartsOfAFrame(t *testing.T) {
	placed(t, func(h *host) {
		for _, p := range scheduler.Phases() {
			h.loop.Host().Each(p, func() { h.busy("phase", '1'+byte(p), ms/2) })
		}
		h.loop.Post(deadline.Normal, h.task('t', ms))
		h.loop.Scheduler().WhenIdle(0, func(deadline.Deadline, bool) { h.busy("idle", 'i', ms/2) })
		h.parts(nil, nil)
		h.loop.Host().Once(scheduler.BeforeUpdate, func() {
			h.loop.Host().Once(scheduler.BeforeUpdate, func() { h.busy("phase", 'B', ms/2) })
			h.busy("phase", 'A', ms/2)
		})
		h.parts(nil, nil)
		h.parts(nil, nil)
	}, `
own   | uu dddd            |  uu dddd           |  uu dddd
phase |1  2    3           |1A  2    3          |1B  2    3
tasks |         tt         |                    |
idle  |           i        |                    |
host  |            ff      |          ff        |          ff
`, `
own   | uu dddd            |  uu dddd           |  uu dddd
phase |1  2    3           |1A  2    3          |1B  2    3
tasks |         tt         |                    |
idle  |           i        |                    |
host  |         ff         |          ff        |          ff
`)
}

// A request to draw is answered by the drawing that follows it: what the update asks for does not shorten the slice.
// What is asked for while the frame is being drawn, or in a task, has yet to be drawn: one task runs, or no other.
func TestWhichDrawingAnswersARequest(t *testing.T) {
	placed(t, func(h *host) {
		ask := h.loop.Scheduler().RequestDraw
		for i := range 6 {
			h.loop.Post(deadline.Normal, func() {
				h.busy("tasks", 'a'+byte(i), ms)
				if i == 3 {
					ask()
				}
			})
		}
		h.parts(nil, ask)
		h.parts(ask, nil)
		h.parts(ask, nil)
	}, `
own   |uudddd              |uudddd              |uudddd
tasks |      aa            |      bbccdd        |      eeff
host  |        ff          |            ff      |          ff
`, `
own   |uudddd              |uudddd              |uudddd
tasks |      aa            |      bbccdd        |      eeff
host  |      ff            |      ff            |      ff
`)
}

// Idle callbacks get all that a slice has left, and what they queue waits for the next frame. Work comes first.
func TestIdleCallbacksGetTheRestOfTheSlice(t *testing.T) {
	placed(t, func(h *host) {
		var idle func(deadline.Deadline, bool)
		idle = func(end deadline.Deadline, _ bool) {
			for end.Remaining() > ms/4 {
				h.busy("idle", 'i', ms/2)
			}
			h.loop.Scheduler().WhenIdle(0, idle)
		}
		h.loop.Scheduler().WhenIdle(0, idle)
		h.loop.Post(deadline.Idle, h.task('t', ms))
		h.parts(nil, nil)
		h.loop.Post(deadline.Normal, h.task('n', 2*ms))
		h.parts(nil, nil)
		h.parts(nil, nil)
	}, `
own   |uudddd              |uudddd              |uudddd
tasks |      tt            |      nnnn          |
idle  |        iiiiiiiii   |          iiiiiii   |      iiiiiiiiiii
host  |                 ff |                 ff |                 ff
`, `
own   |uudddd              |uudddd              |uudddd
tasks |      tt            |      nnnn          |
idle  |        iiiiiiiii   |          iiiiiii   |      iiiiiiiiiii
host  |      ff            |      ff            |      ff
`)
}

// A host that does not wait for a display comes back at once. The slice in the shadow ends with the task in it, and
// an idle callback is told. A slice in Slice has had its time by then.
func TestTheHostTakesTheFrameBack(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no shadow")
	}
	run(t, frame.Options{Placement: frame.PlaceShadow}, func(h *host) {
		h.names = []string{"own", "tasks", "idle"}
		brief := func(d time.Duration) {
			h.loop.Begin()
			h.busy("own", 'u', ms)
			h.loop.Slice()
			h.loop.End()
			time.Sleep(d)
		}
		h.loop.Post(deadline.Normal, h.task('a', 3*ms))
		h.loop.Post(deadline.Normal, h.task('b', ms))
		h.loop.Scheduler().WhenIdle(0, func(deadline.Deadline, bool) {
			for !h.loop.Scheduler().ShouldYield() {
				h.busy("idle", 'i', ms/2)
			}
		})
		brief(ms)         // in the middle of a
		brief(9 * ms / 4) // in the middle of the idle callback
		brief(9 * ms)
		h.want(t, `
own   |uu      uu     uu
tasks |  aaaaaa  bb
idle  |            iii
`)
	})
}
