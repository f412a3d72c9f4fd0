package frame_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// wrapPlain wraps a game without optional methods.
func wrapPlain(l *frame.Loop) hostGame {
	return frame.Wrap[fakeFinal, fakeGeoM](hostGame(&plainGame{}), l)
}

func TestAutoPlacementWantsAWrappedGameAndASpareP(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("one processor: the slice is after Draw, always")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, c := range []struct {
		name    string
		workers int
		pin     workers.Pin
		place   frame.Placement
		before  func(l *frame.Loop)
		want    frame.Placement
	}{
		{"two Ps beside two workers", 2, 0, frame.PlaceAuto, nil, frame.PlaceShadow},
		{"no worker", -1, 0, frame.PlaceAuto, nil, frame.PlaceShadow},
		{"one P beside three workers", 3, 0, frame.PlaceAuto, nil, frame.PlaceAfterDraw},
		{"one P beside three workers, three added", 3, workers.PinThread, frame.PlaceAuto, nil, frame.PlaceAfterDraw},
		{"asked for", 3, 0, frame.PlaceShadow, nil, frame.PlaceShadow},
		{"asked not to", -1, 0, frame.PlaceAfterDraw, nil, frame.PlaceAfterDraw},
		{"Host was asked for", -1, 0, frame.PlaceAuto, func(l *frame.Loop) { l.Host() }, frame.PlaceAfterDraw},
		{"a frame has been", -1, 0, frame.PlaceAuto, func(l *frame.Loop) { l.Begin(); l.End() }, frame.PlaceAfterDraw},
	} {
		l := frame.New(frame.Options{Placement: c.place, Workers: workers.Options{Workers: c.workers, Pin: c.pin,
			RaiseProcs: true}})
		if c.before != nil {
			c.before(l)
		} else if got := l.Placement(); got != c.place {
			t.Errorf("%s: Placement before Wrap = %v, want %v", c.name, got, c.place)
		}
		sched := l.Scheduler()
		wrapPlain(l)
		if got := l.Placement(); got != c.want {
			t.Errorf("%s: Placement = %v, want %v", c.name, got, c.want)
		}
		if l.Scheduler() != sched || (l.Host() == sched) != (c.want == frame.PlaceAfterDraw) {
			t.Errorf("%s: Wrap changed the loop's scheduler, or Host is the wrong one", c.name)
		}
		l.Close()
	}
}

// A task that was posted before the game was wrapped runs, wherever the slice came to lie.
func TestAutoPlacementKeepsEarlierTasks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, c := range []struct {
		workers int
		want    frame.Placement
	}{{-1, placements()[len(placements())-1]}, {4, frame.PlaceAfterDraw}} {
		l := frame.New(frame.Options{Workers: workers.Options{Workers: c.workers}})
		ran := make(chan struct{})
		l.Go(deadline.Normal, func(co *scheduler.Co) { co.Yield(); close(ran) })
		g := wrapPlain(l)
		if got := l.Placement(); got != c.want {
			t.Errorf("%d workers: Placement = %v, want %v", c.workers, got, c.want)
		}
		for range 3 {
			g.Layout(1, 1)
			if err := g.Update(); err != nil {
				t.Fatal(err)
			}
			g.Draw(nil)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		select {
		case <-ran:
		default:
			t.Errorf("%d workers, %v: the task did not run in three frames", c.workers, l.Placement())
		}
	}
}

// A host that locks its goroutine once more in each frame, as Gio does: coroutines of the shadow, and of frames that
// are handed over to a goroutine of their own, never meet its lock.
func TestAHostThatLocksInEachFrame(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("one thread, whose locks are every goroutine's")
	}
	frames, made := make(chan func()), make(chan struct{})
	defer close(frames)
	go func() {
		for f := range frames {
			f()
			made <- struct{}{}
		}
	}()
	for place, hand := range map[frame.Placement]func(f func()){
		frame.PlaceShadow:    func(f func()) { f() },
		frame.PlaceAfterDraw: func(f func()) { frames <- f; <-made },
	} {
		l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: 1}})
		left := 3
		l.Go(deadline.Normal, func(co *scheduler.Co) {
			for ; left > 0; left-- {
				co.NextFrame()
			}
		})
		suspended := l.Go(deadline.Normal, func(co *scheduler.Co) { co.Sleep(time.Hour) })
		ended := make(chan error)
		go func() { // whose thread ends with it
			for more := true; more; {
				runtime.LockOSThread()
				hand(func() {
					l.Begin()
					more = left > 0
					l.Slice()
					l.End()
				})
			}
			ended <- l.Close()
		}()
		if err := <-ended; err != nil || suspended.Err() != scheduler.ErrClosed {
			t.Errorf("%v: Close: %v, and of what it cancels %v", place, err, suspended.Err())
		}
	}
}
