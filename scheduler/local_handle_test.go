package scheduler_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// What the frame goroutine cancels is forgotten at once, wherever it waits, and only once.
func TestLocalCancelForgetsAtOnce(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		s, here := w.s, w.s.Local()
		var l log
		direct := map[string]scheduler.LocalHandle{
			"in the queue": here.Post(deadline.Normal, l.add("?")),
			"delayed":      here.After(deadline.Low, time.Hour, l.add("?")),
		}
		moved := here.Post(deadline.Normal, l.add("?"))
		moved.SetPriority(deadline.Low)
		direct["moved"] = moved
		for name, h := range direct {
			size, free := scheduler.ArenaSize(s)
			if !h.Cancel() || h.Cancel() || h.State() != scheduler.Canceled {
				t.Errorf("%s: not cancelled, or twice: %v", name, h.State())
			}
			if s2, f2 := scheduler.ArenaSize(s); s2 != size || f2 != free+1 {
				t.Errorf("%s: %d of %d free, %d before", name, f2, s2, free)
			}
		}
		s.Post(deadline.Normal, l.add("first"))
		byInbox := here.Post(deadline.Normal, l.add("?"))
		if byInbox.State() != scheduler.Queued || !byInbox.Cancel() || byInbox.Cancel() ||
			byInbox.State() != scheduler.Canceled {
			t.Errorf("by the inbox: not cancelled, or twice: %v", byInbox.State())
		}
		w.drain()
		l.want(t, "first")
		var self scheduler.LocalHandle
		self = here.Post(deadline.Normal, func() {
			if self.Cancel() || self.State() != scheduler.Running {
				t.Errorf("a function cancelled itself, or was %v", self.State())
			}
		})
		w.drain()
		if size, free := scheduler.ArenaSize(s); size != free {
			t.Errorf("%d of %d items are free", free, size)
		}
		if got, want := s.Stats().Canceled, uint64(4); got != want {
			t.Errorf("%d canceled, want %d", got, want)
		}
	})
}

// What does not fit into the slice waits, too, and can be cancelled there: in the slice, and between slices.
func TestLocalCancelOfWhatWasPassedOver(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		here := w.s.Local()
		var l log
		large := func() { time.Sleep(20 * ms); l.add("large")() }
		here.Post(deadline.Normal, large)
		w.drain() // what it costs is known now
		l.want(t, "large")
		within := here.Post(deadline.Normal, large)
		between := here.Post(deadline.Normal, large)
		here.Post(deadline.Low, func() {
			if n := scheduler.PassedOver(w.s); n != 2 {
				t.Errorf("%d are passed over, want 2", n)
			}
			if !within.Cancel() || within.State() != scheduler.Canceled {
				t.Error("not cancelled in the slice")
			}
			if n := scheduler.PassedOver(w.s); n != 1 {
				t.Errorf("%d are passed over, want 1", n)
			}
		})
		w.s.RunUntil(deadline.In(5 * ms))
		l.want(t, "")
		if between.State() != scheduler.Queued || !between.Cancel() {
			t.Error("not cancelled between slices")
		}
		w.drain()
		l.want(t, "")
		if size, free := scheduler.ArenaSize(w.s); size != free {
			t.Errorf("%d of %d items are free", free, size)
		}
	})
}

// A change of priority keeps the place by submission, and is there at once.
func TestLocalSetPriority(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		here := w.s.Local()
		a := here.Post(deadline.Low, l.add("a"))
		here.Post(deadline.Normal, l.add("b"))
		late := here.After(deadline.Low, 10*ms, l.add("late"))
		if !a.SetPriority(deadline.Normal) || !late.SetPriority(deadline.Immediate) {
			t.Error("what waits was not moved")
		}
		w.drain()
		l.want(t, "a b")
		if a.SetPriority(deadline.Immediate) {
			t.Error("what has ended was moved")
		}
		here.Post(deadline.UserBlocking, l.add("c"))
		time.Sleep(10 * ms)
		w.drain()
		l.want(t, "late c")

		var self scheduler.LocalHandle
		self = here.Post(deadline.Low, func() {
			if !self.SetPriority(deadline.UserBlocking) {
				t.Error("what runs was not moved")
			}
			if p := w.s.Current().Priority; p != deadline.UserBlocking {
				t.Errorf("it hands down %v", p)
			}
		})
		w.drain()

		w.s.Post(deadline.Normal, l.add("first"))
		byInbox := here.Post(deadline.Low, l.add("moved"))
		here.Post(deadline.Normal, l.add("third"))
		byInbox.SetPriority(deadline.Normal)
		w.drain()
		l.want(t, "first moved third")
		mustPanic(t, "scheduler: invalid Priority(7)", func() { self.SetPriority(7) })
	})
}

// The states of a function, of one that fails, and of none.
func TestLocalHandleStates(t *testing.T) {
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
		here := w.s.Local()
		state := func(h scheduler.LocalHandle, want scheduler.State) {
			t.Helper()
			if got := h.State(); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
		state(scheduler.LocalHandle{}, scheduler.Unsubmitted)
		if (scheduler.LocalHandle{}).Cancel() || (scheduler.LocalHandle{}).SetPriority(deadline.Low) {
			t.Error("nothing was cancelled or moved")
		}
		var h scheduler.LocalHandle
		h = here.Post(deadline.Normal, func() { state(h, scheduler.Running) })
		state(h, scheduler.Queued)
		w.drain()
		state(h, scheduler.Done)
		p := here.Post(deadline.Normal, func() { panic("no") })
		state(h, scheduler.Unsubmitted) // its storage is used again
		g := here.Post(deadline.Normal, func() { runtime.Goexit() })
		w.drain()
		state(p, scheduler.Failed)
		state(g, scheduler.Failed)
		if s := w.s.Stats(); s.Failed != 2 || s.Goexits != 1 || s.Done != 1 {
			t.Errorf("%d failed, %d of them by Goexit, %d done, want 2, 1, 1", s.Failed, s.Goexits, s.Done)
		}
		if size, free := scheduler.ArenaSize(w.s); size != free {
			t.Errorf("%d of %d items are free", free, size)
		}
		// An old handle, of storage that is used again, misses.
		ran := false
		here.Post(deadline.Normal, func() { ran = true })
		here.Post(deadline.Normal, func() {})
		if h.Cancel() || p.Cancel() || g.SetPriority(deadline.Low) {
			t.Error("what had ended was cancelled, or moved")
		}
		if w.drain(); !ran {
			t.Error("its successor was")
		}
	})
}

// What has ended holds on to nothing: not a function that ran, failed or was cancelled.
func TestLocalLetsGoOfTheMemory(t *testing.T) {
	s := scheduler.New(scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
	defer s.Close()
	here := s.Local()
	gone := make(chan string, 4)
	post := func(name string, end func()) scheduler.LocalHandle {
		p := new([1 << 16]byte)
		runtime.AddCleanup(p, func(name string) { gone <- name }, name)
		return here.Post(deadline.Low, func() { p[0]++; end() })
	}
	post("canceled", nil).Cancel()
	post("ran", func() {})
	post("failed", func() { panic("no") })
	s.RunUntil(deadline.Deadline{})
	names := map[string]bool{}
	for range 100 {
		runtime.GC()
		select {
		case name := <-gone:
			names[name] = true
		case <-time.After(20 * time.Millisecond):
		}
		if len(names) == 3 {
			return
		}
	}
	t.Errorf("only %v were let go of", names)
}
