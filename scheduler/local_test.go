package scheduler_test

import (
	"slices"
	"sync"
	"sync/atomic"
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

// What is posted after Next has said that there is nothing wakes the host, which may be about to sleep.
func TestLocalAfterNextWakes(t *testing.T) {
	wakes := 0
	inWorld(t, scheduler.Options{Wake: func() { wakes++ }}, func(w *world) {
		here := w.s.Local()
		asleep := func(where string) {
			t.Helper()
			here.Post(deadline.Normal, func() {}).Cancel()
			before := wakes
			if _, ok := w.s.Next(); ok || wakes != before {
				t.Errorf("%s: there is something, or Next wakes", where)
			}
			time.Sleep(time.Hour)
			here.Post(deadline.Normal, func() {})
			here.Post(deadline.Normal, func() {})
			if wakes != before+1 {
				t.Errorf("%s: %d calls of Wake, want 1", where, wakes-before)
			}
			if r := w.drain(); r.Expired != 0 {
				t.Errorf("%s: %d overdue", where, r.Expired)
			}
		}
		asleep("between slices")
		here.Post(deadline.Normal, func() { w.s.Nest(func() { asleep("in a modal loop") }) })
		w.drain()
		before := wakes
		w.s.Post(deadline.Normal, func() {
			w.s.Next()
			here.Post(deadline.Normal, func() {})
		})
		if w.drain(); wakes != before+1 {
			t.Errorf("%d calls of Wake, one of them for a Post", wakes-before)
		}
	})
}

// A modal loop within a local function runs others, and takes nothing from it.
func TestLocalAndNest(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	here := s.Local()
	var l log
	var outer, inner scheduler.LocalHandle
	outer = here.Post(deadline.Normal, func() {
		s.Nest(func() {
			inner = here.Post(deadline.Normal, l.add("inner"))
			s.RunUntil(deadline.Deadline{})
			if outer.State() != scheduler.Running || inner.State() != scheduler.Done || outer.Cancel() {
				t.Errorf("outer %v, inner %v", outer.State(), inner.State())
			}
		})
		l.add("outer")()
	})
	s.RunUntil(deadline.Deadline{})
	l.want(t, "inner outer")
}

// Each life has an ID of its own, and its events tell its story.
func TestLocalEvents(t *testing.T) {
	inWorld(t, scheduler.Options{Events: 20}, func(w *world) {
		here := w.s.Local()
		for range 2 {
			here.Post(deadline.Low, func() {}) // in the same storage
			w.drain()
		}
		here.After(deadline.Idle, time.Hour, func() {}).Cancel()
		kinds := map[uint64][]scheduler.EventKind{}
		for _, e := range w.s.Events(nil) {
			kinds[e.ID] = append(kinds[e.ID], e.Kind)
			if want := deadline.Low; e.Priority != want && e.Priority != deadline.Idle {
				t.Errorf("%v: %v", e.Kind, e.Priority)
			}
		}
		if len(kinds) != 3 {
			t.Errorf("%d lives, want 3: %v", len(kinds), kinds)
		}
		for id, got := range kinds {
			if len(got) == 2 && got[1] == scheduler.EventCanceled {
				continue
			}
			want := []scheduler.EventKind{scheduler.EventQueued, scheduler.EventStarted, scheduler.EventDone}
			if !slices.Equal(got, want) {
				t.Errorf("%d: %v", id, got)
			}
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
	if later.Cancel() || later.SetPriority(deadline.Low) {
		t.Error("what Close ended was cancelled, or moved")
	}
	if h := here.Post(deadline.Normal, never); h.State() != scheduler.Canceled || h.Cancel() {
		t.Errorf("after Close it is %v", h.State())
	}
	if h := here.After(deadline.Normal, time.Second, never); h.State() != scheduler.Canceled {
		t.Errorf("after Close it is %v", h.State())
	}
	if size, free := scheduler.ArenaSize(s); size != free {
		t.Errorf("%d of %d items are free", free, size)
	}
}

// Others post and cancel while the frame goroutine does the same past the inbox.
func TestLocalBesideOthers(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	here := s.Local()
	const rounds = 2000
	var ran, canceled atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range rounds {
				h := s.Post(deadline.Priority(i%5-2), func() { ran.Add(1) })
				h.SetPriority(deadline.Low)
				if i%3 == 0 && h.Cancel() {
					canceled.Add(1)
				}
			}
		}()
	}
	for i := range rounds {
		for range 8 {
			h := here.Post(deadline.Priority(i%5-2), func() { ran.Add(1) })
			if i%2 == 0 {
				h.SetPriority(deadline.Normal)
			}
			if i%3 == 0 && h.Cancel() {
				canceled.Add(1)
			}
		}
		s.RunUntil(deadline.Deadline{})
	}
	wg.Wait()
	s.RunUntil(deadline.Deadline{})
	if got, want := ran.Load()+canceled.Load(), int64(10*rounds); got != want {
		t.Errorf("%d ran and %d were cancelled, want %d together", ran.Load(), canceled.Load(), want)
	}
	scheduler.FlushArena(s)
	if size, free := scheduler.ArenaSize(s); size != free {
		t.Errorf("%d of %d items are free", free, size)
	}
}

// A delay begins at a reading of the counter, less than 1 µs behind the clock, and not before the one before it: so
// equal delays end in the order in which they were asked for, also those that go by the inbox.
func TestLocalAfterKeepsTheOrderAndTheTime(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	here := s.Local()
	check := func(where string) {
		var last deadline.Instant
		for range 400_000 { // some 40 ms: the counter is used when its rate is known
			before := deadline.Now()
			h := here.After(deadline.Low, time.Second, func() {})
			start := scheduler.StartOf(h)
			if early := before.Add(time.Second).Sub(start); early > time.Microsecond || start < last {
				t.Fatalf("%s: %v too early, %v after the one before", where, early, start.Sub(last))
			}
			last = start
			h.Cancel()
		}
	}
	check("between slices")
	here.Post(deadline.Normal, func() { check("in a slice") })
	s.RunUntil(deadline.Deadline{})
	inverted, left := 0, 0
	for range 100 {
		here.Post(deadline.Normal, func() {
			for range 10 {
				here.After(deadline.Low, time.Hour, func() {}).Cancel() // so that the counter is in use
			}
			var l int
			pair := func(place int) func() {
				left++
				return func() {
					left--
					if l != place {
						inverted++
					}
					l++
				}
			}
			here.After(deadline.Normal, time.Millisecond, pair(0))
			s.After(deadline.Normal, time.Millisecond, pair(1))
			here.After(deadline.Normal, time.Millisecond, pair(2)) // by the inbox
		})
		s.RunUntil(deadline.Deadline{})
	}
	for left > 0 {
		s.RunUntil(deadline.Deadline{})
	}
	if inverted > 0 {
		t.Errorf("%d of 300 out of order", inverted)
	}
}

// What was stamped before the clock jumped is moved by Shift, what comes after it is not: nothing is overdue, and
// nothing overtakes.
func TestLocalAfterAJump(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		s, here := w.s, w.s.Local()
		jump := func() {
			time.Sleep(time.Hour)
			s.Shift(time.Hour)
		}
		run := func(want string) {
			t.Helper()
			if r := s.RunUntil(deadline.Deadline{}); r.Expired != 0 {
				t.Errorf("%d overdue", r.Expired)
			}
			l.want(t, want)
		}
		here.Post(deadline.Normal, l.add("a"))
		jump()
		here.Post(deadline.Normal, l.add("b"))
		run("a b")
		here.Post(deadline.Normal, func() {
			here.Post(deadline.Normal, l.add("a"))
			jump()
			here.Post(deadline.Normal, l.add("b"))
		})
		run("a b")
	})
}

// The same of messages that a task has read in the middle of its run.
func TestAWaitAfterAJump(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		s := w.s
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			s.Post(deadline.Normal, l.add("a"))
			s.YieldReason()
			time.Sleep(time.Hour)
			s.Shift(time.Hour)
			s.Post(deadline.Normal, l.add("b"))
			co.Wait(s.Go(deadline.Normal, func(*scheduler.Co) {}))
		})
		w.drain()
		l.want(t, "a b")
	})
}

// A Nest, and a frame without a slice, end what had one stamp.
func TestLocalIsStampedAnew(t *testing.T) {
	wakes := 0
	inWorld(t, scheduler.Options{Wake: func() { wakes++ }}, func(w *world) {
		s, here := w.s, w.s.Local()
		never := func(what string) {
			t.Helper()
			if r := s.RunUntil(deadline.Deadline{}); r.Expired != 0 {
				t.Errorf("%s: %d overdue", what, r.Expired)
			}
		}
		here.Post(deadline.Normal, func() {
			s.Nest(func() {
				time.Sleep(time.Hour)
				before := wakes
				here.Post(deadline.Normal, func() {})
				if wakes != before+1 {
					t.Error("no Wake in a modal loop")
				}
				never("in a modal loop")
			})
			before := wakes
			here.Post(deadline.Normal, func() {})
			if wakes != before {
				t.Error("Wake in a slice")
			}
		})
		s.RunUntil(deadline.Deadline{})
		here.Post(deadline.Normal, func() {}).Cancel()
		time.Sleep(time.Hour)
		s.BeginFrame(deadline.Now())
		here.Post(deadline.Normal, func() {})
		never("in a frame after some without a slice")
	})
}
