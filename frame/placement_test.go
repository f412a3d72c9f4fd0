package frame_test

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Wrap places the slice in the shadow if a P is to spare. A task that was posted before runs in either place.
func TestAutoPlacementWantsAWrappedGameAndASpareP(t *testing.T) {
	needsThreads(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const after, shadow = frame.PlaceAfterDraw, frame.PlaceShadow
	for _, c := range []struct {
		name    string
		workers int
		pin     workers.Pin
		place   frame.Placement
		before  func(l *frame.Loop)
		want    frame.Placement
	}{
		{"two Ps beside two workers", 2, 0, frame.PlaceAuto, nil, shadow},
		{"no worker", -1, 0, frame.PlaceAuto, nil, shadow},
		{"one P beside three workers", 3, 0, frame.PlaceAuto, nil, after},
		{"one P beside three workers, three added", 3, workers.PinThread, frame.PlaceAuto, nil, after},
		{"asked for", 3, 0, shadow, nil, shadow},
		{"asked not to", -1, 0, after, nil, after},
		{"Host was asked for", -1, 0, frame.PlaceAuto, func(l *frame.Loop) { l.Host() }, after},
		{"a frame has been", -1, 0, frame.PlaceAuto, func(l *frame.Loop) { l.Begin(); l.End() }, after},
	} {
		l := frame.New(frame.Options{Placement: c.place, Workers: workers.Options{
			Workers: c.workers, Pin: c.pin, RaiseProcs: true,
		}})
		ran := make(chan struct{})
		l.Go(deadline.Normal, func(co *scheduler.Co) { co.Yield(); close(ran) })
		if c.before != nil {
			c.before(l)
		} else if got := l.Placement(); got != c.place {
			t.Errorf("%s: Placement before Wrap = %v, want %v", c.name, got, c.place)
		}
		sched := l.Scheduler()
		g := frame.Wrap[fakeFinal, fakeGeoM](hostGame(&plainGame{}), l)
		if got := l.Placement(); got != c.want {
			t.Errorf("%s: Placement = %v, want %v", c.name, got, c.want)
		}
		if l.Scheduler() != sched || (l.Host() == sched) != (c.want == after) {
			t.Errorf("%s: Wrap changed the loop's scheduler, or Host is the wrong one", c.name)
		}
		for range 3 {
			_ = new(fakeHost).frame(g, 1)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		select {
		case <-ran:
		default:
			t.Errorf("%s: the task did not run in three frames", c.name)
		}
	}
}

// A host that locks its goroutine once more in each frame, as Gio does: coroutines of the shadow, and of frames that
// are handed over to a goroutine of their own, never meet its lock.
func TestAHostThatLocksInEachFrame(t *testing.T) {
	needsThreads(t)
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

// A goroutine that loads asks for Host while the game is being wrapped: whichever of the two decides, the one that it
// gets is the host's from then on (F61).
func TestHostBesideAWrap(t *testing.T) {
	pool := workers.New(workers.Options{Workers: -1})
	defer pool.Close(bg)
	for i := range 300 {
		l := frame.New(frame.Options{Pool: pool, Recorder: record.Options{Records: 1}})
		begin, got := make(chan struct{}), make(chan *scheduler.Scheduler)
		go func() {
			close(begin)
			if i%2 == 0 { // or decide
				for l.Placement() == frame.PlaceAuto {
					runtime.Gosched()
				}
			}
			got <- l.Host()
		}()
		<-begin
		frame.Wrap[fakeFinal, fakeGeoM](&plainGame{}, l)
		if host := <-got; host != l.Host() {
			t.Fatalf("%v: the host's scheduler is another one than Host has returned", l.Placement())
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A task of the host's that panics, with Rethrow, does not take the slice away from those that run in the shadow, nor
// the times of the slice out of the record.
func TestRethrowOfTheHostsBesideTheShadow(t *testing.T) {
	needsThreads(t)
	l := frame.New(frame.Options{
		Placement: frame.PlaceShadow, Workers: workers.Options{Workers: -1},
		Scheduler: scheduler.Options{Rethrow: true, OnPanic: func(*scheduler.PanicError) {}},
	})
	defer l.Close()
	l.Host()
	ran := false
	l.Host().Post(deadline.Normal, func() { panic("the host's") })
	l.Post(deadline.Normal, func() { ran = true })
	l.Begin()
	if testkit.PanicOf(l.Slice) == "" {
		t.Error("Slice does not panic")
	}
	l.End()
	l.Begin()
	l.End()
	all := l.Recorder().Recent(make([]record.Record, 2))
	if r := all[0]; !ran || r.SliceBegin < r.Start || r.SliceEnd < r.SliceBegin || r.Ran != 1 {
		t.Errorf("ran %t, %+v", ran, r)
	}
}

// OnEvent sees the tasks of both schedulers of a loop with a shadow: no two have one ID.
func TestTheSchedulersOfALoopNumberTasksApart(t *testing.T) {
	needsThreads(t)
	var mu sync.Mutex
	names := map[uint64]string{}
	o := frame.Options{Placement: frame.PlaceShadow}
	o.Scheduler.OnEvent = func(e scheduler.Event) {
		mu.Lock()
		defer mu.Unlock()
		if name, ok := names[e.ID]; ok && name != e.Label {
			t.Errorf("%s and %s have one ID", name, e.Label)
		}
		names[e.ID] = e.Label
	}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		shadow, host := l.Scheduler(), l.Host()
		for name, s := range map[string]*scheduler.Scheduler{"shadow": shadow, "host": host} {
			s.Submit(&scheduler.Task{Label: name, Func: func() {}})
		}
		shadow.Post(deadline.Normal, func() {})
		host.Post(deadline.Normal, func() {})
		for range 3 {
			frameOf(l)
		}
		synctest.Wait()
	})
	if len(names) != 4 {
		t.Errorf("%d tasks, want 4", len(names))
	}
}
