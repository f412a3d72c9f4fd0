package frameslice_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

// Work that is overdue ('L') has half of a slice, up to the end of its last task, and then fresh work has its turn. The
// first frame has no slice, and all of L becomes overdue.
func TestOverdueWorkHasItsShare(t *testing.T) {
	run(t, frame.Options{}, func(h *host) {
		late := [7]scheduler.Task{}
		for i := range late {
			late[i] = scheduler.Task{Timeout: 5 * ms, Func: h.task('L', ms)}
			h.loop.Scheduler().Submit(&late[i])
		}
		h.loop.Begin()
		h.busy("own", 'u', ms)
		h.loop.RunPhase(scheduler.BeforeDraw) // the loop learns of them
		h.loop.End()
		time.Sleep(9 * ms)
		for range 6 {
			h.loop.Post(deadline.UserBlocking, h.task('n', ms))
		}
		for range 3 {
			h.parts(nil, nil)
		}
		h.want(t, `
own   |uu                  |uudddd              |uudddd              |uudddd
tasks |                    |      LLLLLLnnnn    |      LLLLLLnnnn    |      LLnnnn
host  |                    |                ff  |                ff  |            ff
`)
	})
}

// A task takes 30 ms. The slices after it are whole.
func TestALongTaskLeavesNoDebt(t *testing.T) {
	run(t, frame.Options{}, func(h *host) {
		h.loop.Post(deadline.UserBlocking, h.task('B', 30*ms))
		for range 30 {
			h.loop.Post(deadline.Normal, h.task('a', ms/2))
		}
		for range 6 {
			h.parts(nil, nil)
		}
		h.want(t, `
own   |uudddd              |                    |                    |                    |uudddd
tasks |      BBBBBBBBBBBBBB|BBBBBBBBBBBBBBBBBBBB|BBBBBBBBBBBBBBBBBBBB|BBBBBB              |      aaaaaaaaaa
host  |                    |                    |                    |      ff            |                ff

own   |uudddd              |uudddd              |uudddd              |uudddd
tasks |      aaaaaaaaaa    |      aaaaaaaaaa    |                    |
host  |                ff  |                ff  |      ff            |      ff
`)
	})
}

// The frame's own work leaves no time at all, so the host misses every second refresh. One task runs all the same in
// each frame, and first the one that expires first ('L', in 15 ms).
func TestNothingStarvesInAGameThatIsTooSlow(t *testing.T) {
	run(t, frame.Options{}, func(h *host) {
		h.own = 9 * ms
		late := scheduler.Task{Priority: deadline.Low, Timeout: 15 * ms, Func: h.task('L', ms/2)}
		h.loop.Scheduler().Submit(&late)
		for i := range 3 {
			h.loop.Post(deadline.UserBlocking, h.task('a'+byte(i), ms/2))
		}
		for range 4 {
			h.frame()
		}
		h.want(t, `
own   |OOOOOOOOOOOOOOOOOO  |                    |OOOOOOOOOOOOOOOOOO  |                    |OOOOOOOOOOOOOOOOOO
tasks |                  L |                    |                  a |                    |                  b
host  |                   f|f                   |                   f|f                   |                   f

own   |                    |OOOOOOOOOOOOOOOOOO  |
tasks |                    |                  c |
host  |f                   |                   f|f
`)
	})
}

// A host that draws on demand sleeps until Next, or until Wake: here for a delayed task ('d' at 12 ms), and for a
// function that another goroutine posts ('p' at 33 ms) and that asks for a drawing. (The second frame is due to the
// submission, which woke before the first one read it.)
func TestAHostThatSleepsWhenNothingIsToBeDone(t *testing.T) {
	var woken chan struct{} // of the bubble
	wake := func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	}
	run(t, frame.Options{Scheduler: scheduler.Options{Wake: wake}}, func(h *host) {
		woken = make(chan struct{}, 1)
		s := h.loop.Scheduler()
		s.Submit(&scheduler.Task{Delay: 12 * ms, Func: h.task('d', ms)})
		time.AfterFunc(33*ms, func() {
			h.loop.Post(deadline.Normal, func() { h.busy("tasks", 'p', ms); s.RequestDraw() })
		})
		for end := deadline.Now().Add(49 * ms); deadline.Now() < end; {
			at, ok := s.Next()
			if !ok || end < at {
				at = end
			}
			if wait := at.Sub(deadline.Now()); wait > 0 {
				h.loop.Rest()
				select {
				case <-woken:
				case <-time.After(wait):
				}
			}
			h.loop.Begin()
			if s.DrawRequested() {
				h.loop.RunPhase(scheduler.BeforeDraw) // only where it draws: the others draw nothing
				h.busy("own", 'd', 2*ms)
			}
			h.loop.Slice()
			h.loop.End()
			h.busy("host", 'f', ms/2)
		}
		h.want(t, `
own   |                    |                    |                    |         dddd       |
tasks |                    |    dd              |                    |      pp            |
host  |ff                  |      f             |                    |        f    ff     |                  f
`)
	})
}

// One function, straight through five frames: '2' in the next frame, '3' when a frame has been drawn that began to be
// drawn after '2', '4' after a pause of 11 ms.
func TestACoroutineGoesThroughFrames(t *testing.T) {
	run(t, frame.Options{}, func(h *host) {
		h.loop.Go(deadline.Normal, func(co *scheduler.Co) {
			h.busy("tasks", '1', ms)
			co.NextFrame()
			h.busy("tasks", '2', ms)
			co.AfterDraw()
			h.busy("tasks", '3', ms)
			co.Sleep(11 * ms)
			h.busy("tasks", '4', ms)
		})
		for range 5 {
			h.parts(nil, nil)
		}
		h.want(t, `
own   |uudddd              |uudddd              |uudddd              |uudddd              |uudddd
tasks |      11            |      22            |      33            |                    |      44
host  |        ff          |        ff          |        ff          |      ff            |        ff
`)
	})
}

// Timers run in the slice that is the next when they are due, in order: a period of 4 ms ('p'), whose ticks while
// nobody could run them count as one, and delays.
func TestTimersRunInSlices(t *testing.T) {
	run(t, frame.Options{}, func(h *host) {
		s := h.loop.Scheduler()
		s.Submit(&scheduler.Task{Period: 4 * ms, Func: h.task('p', ms/2)})
		for i, d := range []time.Duration{9 * ms, 5 * ms, 25 * ms} {
			s.Submit(&scheduler.Task{Delay: d, Func: h.task('a'+byte(i), ms/2)})
		}
		for range 4 {
			h.parts(nil, nil)
		}
		h.want(t, `
own   |uudddd              |uudddd              |uudddd              |uudddd
tasks |      p             |      pba           |      p             |      pc
host  |       ff           |         ff         |       ff           |        ff
`)
	})
}

// What another goroutine posts during a slice is taken up when the running task ends, and before what waited.
func TestUrgentWorkArrivesInTheMiddle(t *testing.T) {
	run(t, frame.Options{}, func(h *host) {
		for range 6 {
			h.loop.Post(deadline.Normal, h.task('n', ms))
		}
		time.AfterFunc(4*ms+ms/2, func() { h.loop.Post(deadline.Immediate, h.task('I', ms)) })
		for range 2 {
			h.parts(nil, nil)
		}
		h.want(t, `
own   |uudddd              |uudddd
tasks |      nnnnIInnnn    |      nnnn
host  |                ff  |          ff
`)
	})
}

// game is a game whose updates and drawing take 1 and 2 ms.
type game struct{ h *host }

func (g game) Update() error              { g.h.busy("own", 'u', ms); return nil }
func (g game) Draw(struct{})              { g.h.busy("own", 'd', 2*ms) }
func (g game) Layout(w, h int) (int, int) { return w, h }

// A wrapped game may update 0 or 2 times in a frame: it has one slice, after its drawing.
func TestAWrappedGameHasOneSlicePerFrame(t *testing.T) {
	run(t, frame.Options{Placement: frame.PlaceAfterDraw}, func(h *host) {
		g := frame.Wrap[struct{}, struct{}](game{h}, h.loop)
		for range 20 {
			h.loop.Post(deadline.Normal, h.task('t', ms))
		}
		for _, updates := range []int{1, 0, 2} {
			g.Layout(1, 1)
			for range updates {
				_ = g.Update()
			}
			g.Draw(struct{}{})
			h.busy("host", 'f', ms)
			time.Sleep(10*ms - deadline.Now().Sub(h.epoch)%(10*ms))
		}
		h.want(t, `
own   |uudddd              |dddd                |uuuudddd
tasks |      tttttttttt    |    tttttttttttt    |        tttttttt
host  |                ff  |                ff  |                ff
`)
	})
}
