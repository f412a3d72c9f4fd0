package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Whatever the frame goroutine uses, what it posts runs in the order of posting: past the inbox only if that is empty,
// and not while messages are being read.
func TestLocalKeepsTheOrderOfThePoster(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		here := w.s.Local()
		post := func(p deadline.Priority) {
			here.Post(p, l.add("1"))
			w.s.Post(p, l.add("2"))
			here.Post(p, l.add("3"))
			here.After(p, 0, l.add("4"))
			w.s.Post(p, l.add("5"))
		}
		post(deadline.Normal)
		w.drain()
		l.want(t, "1 2 3 4 5")
		here.Post(deadline.Low, func() { post(deadline.Low) }) // the inbox is empty at first
		w.drain()
		l.want(t, "1 2 3 4 5")

		g := w.s.NewGroup("g")
		g.Notify(func() { here.Post(deadline.Normal, l.add("last")) }) // as it is read, which is before the next one
		w.s.Post(deadline.Normal, l.add("first"))
		w.drain()
		l.want(t, "first last")
	})
}

// Between slices the first of them says how late it is. With the last slice's time, what is posted after a long sleep
// would be overdue at once.
func TestLocalIsStampedBetweenSlices(t *testing.T) {
	wakes := 0
	inWorld(t, scheduler.Options{Wake: func() { wakes++ }}, func(w *world) {
		var l log
		here := w.s.Local()
		here.Post(deadline.Normal, l.add("a"))
		here.Post(deadline.Normal, l.add("b"))
		if at, ok := w.s.Next(); !ok || at > deadline.Now() || wakes != 1 {
			t.Errorf("next: %v %v, %d wakes, want now and 1", at, ok, wakes)
		}
		w.drain()
		time.Sleep(time.Hour)
		here.Post(deadline.Normal, l.add("c"))
		here.After(deadline.UserBlocking, 10*ms, l.add("d"))
		if r := w.s.RunUntil(deadline.Deadline{}); r.Expired != 0 || wakes != 2 {
			t.Errorf("%+v, %d wakes, want nothing overdue and 2", r, wakes)
		}
		l.want(t, "a b c")
		time.Sleep(10*ms - 1)
		w.drain()
		l.want(t, "")
		time.Sleep(time.Nanosecond)
		w.drain()
		l.want(t, "d")
		here.Post(deadline.Immediate, func() {
			here.Post(deadline.Normal, l.add("in a task"))
		})
		w.drain()
		if l.want(t, "in a task"); wakes != 3 {
			t.Errorf("%d wakes, want one for each time between slices", wakes)
		}
	})
}

// What the frame goroutine cancels is forgotten at once, wherever it waits, and only once.
func TestLocalCancelForgetsAtOnce(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		s, here := w.s, w.s.Local()
		var l log
		g := s.NewGroup("g")
		direct := map[string]scheduler.Handle{
			"in the queue": here.Post(deadline.Normal, l.add("?")),
			"delayed":      here.After(deadline.Low, time.Hour, l.add("?")),
		}
		indirect := map[string]scheduler.Handle{
			"in the inbox": s.Post(deadline.Normal, l.add("?")),
			"of a group":   g.Post(deadline.Normal, l.add("?")),
			"a callback":   s.Each(scheduler.BeforeDraw, l.add("?")),
			"a microtask":  s.Microtask(l.add("?")),
		}
		for name, h := range direct {
			size, free := scheduler.ArenaSize(s)
			if !here.Cancel(h) || here.Cancel(h) || h.Cancel() || h.State() != scheduler.Canceled {
				t.Errorf("%s: not cancelled, or twice: %v", name, h.State())
			}
			scheduler.FlushArena(s)
			if s2, f2 := scheduler.ArenaSize(s); s2 != size || f2 != free+1 {
				t.Errorf("%s: %d of %d free, %d before", name, f2, s2, free)
			}
		}
		for name, h := range indirect {
			if !here.Cancel(h) || here.Cancel(h) {
				t.Errorf("%s: not cancelled, or twice", name)
			}
		}
		moved := here.Post(deadline.Normal, l.add("?"))
		moved.SetPriority(deadline.Low) // a message
		if !here.Cancel(moved) {
			t.Error("what was moved was not cancelled")
		}
		s.RunPhase(scheduler.BeforeDraw)
		w.drain()
		once := s.Once(scheduler.BeforeDraw, l.add("?"))
		w.s.Once(scheduler.BeforeUpdate, func() {})
		s.RunPhase(scheduler.BeforeUpdate) // reads the inbox
		if !here.Cancel(once) {
			t.Error("a callback that waits was not cancelled")
		}
		s.RunPhase(scheduler.BeforeDraw)
		var self scheduler.Handle
		self = here.Post(deadline.Normal, func() {
			if here.Cancel(self) {
				t.Error("a function cancelled itself")
			}
		})
		w.drain()
		l.want(t, "")
		if size, free := scheduler.ArenaSize(s); size != free {
			t.Errorf("%d of %d items are free", free, size)
		}
		if got, want := s.Stats().Canceled, uint64(8); got != want {
			t.Errorf("%d canceled, want %d", got, want)
		}
	})
}

// A handle of another scheduler, of none, and of a life that is over.
func TestLocalCancelOfWhatIsNotItsOwn(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		other := scheduler.New(scheduler.Options{})
		defer other.Close()
		here := w.s.Local()
		h := other.Local().Post(deadline.Normal, func() { t.Error("it ran") })
		if !here.Cancel(h) || here.Cancel(scheduler.Handle{}) {
			t.Error("another scheduler's was not cancelled, or nothing was")
		}
		other.RunUntil(deadline.Deadline{})
		old := here.Post(deadline.Normal, func() {})
		w.drain()
		ran := false
		here.Post(deadline.Normal, func() { ran = true }) // in the same storage
		if here.Cancel(old) {
			t.Error("what had ended was cancelled")
		}
		if w.drain(); !ran {
			t.Error("its successor was")
		}
	})
}

// Close ends it like all else, and after Close nothing begins.
func TestLocalAndClose(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	here := s.Local()
	never := func() { t.Error("it ran") }
	h := here.Post(deadline.Normal, func() {
		here.Post(deadline.Immediate, never)
		s.Close()
		here.Post(deadline.Immediate, never)
	})
	later := here.After(deadline.Normal, time.Hour, never)
	s.Go(deadline.Immediate, func(co *scheduler.Co) {
		defer here.Post(deadline.Immediate, never)
		co.NextFrame()
	})
	s.RunUntil(deadline.Deadline{})
	if h.State() != scheduler.Done || later.State() != scheduler.Canceled {
		t.Errorf("%v and %v, want done and canceled", h.State(), later.State())
	}
	if h := here.Post(deadline.Normal, never); h.State() != scheduler.Canceled || here.Cancel(h) {
		t.Errorf("after Close it is %v", h.State())
	}
	if h := here.After(deadline.Normal, time.Second, never); h.State() != scheduler.Canceled {
		t.Errorf("after Close it is %v", h.State())
	}
}

// Others may cancel and move what came by Local, as what came by Post, while the frame goroutine does the same.
func TestLocalBesideOthers(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	here := s.Local()
	handles := make(chan scheduler.Handle, 64)
	canceled := make(chan int)
	go func() {
		n := 0
		for h := range handles {
			h.SetPriority(deadline.Low)
			if h.Cancel() {
				n++
			}
		}
		canceled <- n
	}()
	const rounds = 2000
	ran, mine := 0, 0
	for i := range rounds {
		for range 8 {
			h := here.Post(deadline.Priority(i%5-2), func() { ran++ })
			handles <- h
			if i%3 == 0 && here.Cancel(h) {
				mine++
			}
		}
		s.RunUntil(deadline.Deadline{})
	}
	close(handles)
	theirs := <-canceled
	s.RunUntil(deadline.Deadline{})
	if ran+mine+theirs != 8*rounds {
		t.Errorf("%d ran, %d and %d were cancelled, want %d together", ran, mine, theirs, 8*rounds)
	}
	if size, free := scheduler.ArenaSize(s); size != free {
		t.Errorf("%d of %d items are free", free, size)
	}
}
