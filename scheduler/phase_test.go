package scheduler_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// hosted is one frame of 8 ms of a host that calls RunPhase: an update and a drawing of a millisecond each,
// then a slice of the given budget.
func (w *world) hosted(budget time.Duration) (r scheduler.Result) {
	begin := time.Now()
	w.s.BeginFrame(deadline.Now())
	w.s.RunPhase(scheduler.BeforeUpdate)
	w.spend(w.row("update"), ms)
	w.s.RunPhase(scheduler.BeforeDraw)
	w.spend(w.row("draw"), ms)
	w.s.RunPhase(scheduler.AfterDraw)
	from := time.Now()
	r = w.s.RunUntil(deadline.In(budget))
	w.mark(w.slice, from, '=')
	if rest := 8*ms - time.Since(begin); rest > 0 {
		time.Sleep(rest)
	}
	return r
}

func TestCallbacksRunInTheirPhases(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		w.row("update")
		w.row("draw")
		for p, name := range []string{"input", "camera", "sound"} {
			w.s.Each(scheduler.Phase(p), w.work(name, ms))
		}
		w.s.Once(scheduler.AfterDraw, w.work("shot", ms))
		w.s.Post(deadline.Normal, w.work("task", 2*ms))
		for range 3 {
			w.hosted(3 * ms)
		}
		w.want(`
			slice |      ==
			update| #       #       #
			draw  |   #       #       #
			input |#       #       #
			camera|  #       #       #
			sound |    #       #       #
			shot  |     #
			task  |      ##
		`)
	})
}

// frames runs n frames with their phases, and logs their beginnings.
func frames(s *scheduler.Scheduler, l *log, n int) {
	for range n {
		*l = append(*l, "|")
		s.BeginFrame(deadline.Now())
		for p := range scheduler.AfterDraw + 1 {
			s.RunPhase(p)
		}
		s.RunUntil(deadline.In(time.Hour))
	}
}

func TestWhatIsAddedNowRunsInTheNextFrame(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var l log
	s.Once(scheduler.BeforeDraw, func() {
		l.add("a")()
		s.Once(scheduler.BeforeDraw, l.add("d"))
		s.Once(scheduler.BeforeUpdate, l.add("c"))
		s.Once(scheduler.AfterDraw, l.add("after"))
		s.Each(scheduler.BeforeDraw, l.add("e"))
	})
	s.Each(scheduler.BeforeDraw, l.add("b"))
	frames(s, &l, 3)
	l.want(t, "| a b after | c b d e | b e")
}

// The order of persistent callbacks is that of registration for ever, whatever comes and goes between them.
func TestPersistentCallbacksKeepTheirPlaces(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var l log
	var b scheduler.Handle
	s.Each(scheduler.BeforeUpdate, func() {
		l.add("a")()
		s.Once(scheduler.BeforeUpdate, l.add("x"))
	})
	b = s.Each(scheduler.BeforeUpdate, l.add("b"))
	n := 0
	s.Each(scheduler.BeforeUpdate, func() {
		l.add("c")()
		if n++; n == 2 {
			s.Each(scheduler.BeforeUpdate, l.add("d"))
			b.Cancel()
		}
	})
	frames(s, &l, 4)
	l.want(t, "| a b c | a b c x | a c x d | a c d x")
}

func TestCancelWithinAPhase(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var l log
	var first, self, later, each scheduler.Handle
	first = s.Once(scheduler.BeforeDraw, l.add("first"))
	self = s.Each(scheduler.BeforeDraw, func() {
		l.add("self")()
		if first.Cancel() {
			t.Error("what has run was cancelled")
		}
		if !self.Cancel() || self.Cancel() {
			t.Error("a callback can cancel itself, once")
		}
		ok := make(chan bool)
		go func() { ok <- later.Cancel() }() // any goroutine
		if !<-ok || !each.Cancel() || later.Cancel() {
			t.Error("a later callback of the same phase can be cancelled, once")
		}
	})
	later = s.Once(scheduler.BeforeDraw, never(t))
	s.Once(scheduler.BeforeDraw, l.add("last"))
	each = s.Each(scheduler.BeforeDraw, never(t))
	for _, h := range []scheduler.Handle{first, self, later, each} {
		if h.State() != scheduler.Queued || h.SetPriority(deadline.Immediate) {
			t.Errorf("a callback: %v, or it has a priority", h.State())
		}
	}
	frames(s, &l, 2)
	l.want(t, "| first self last |")
	if s.DrawRequested() {
		t.Error("cancelled callbacks ask for a frame")
	}
	if size, free := scheduler.ArenaSize(s); size != free {
		t.Errorf("%d of %d items are free after the last callback", free, size)
	}
}

func TestFaultsInCallbacks(t *testing.T) {
	var l log
	s := scheduler.New(scheduler.Options{OnPanic: func(pe *scheduler.PanicError) {
		l.add(fmt.Sprint("<", pe.Value, ">"))()
		if !strings.Contains(pe.Label, "TestFaultsInCallbacks") {
			t.Errorf("the label of a callback is %q", pe.Label)
		}
	}})
	defer s.Close()
	s.Each(scheduler.BeforeDraw, func() { panic("1") })
	s.Each(scheduler.BeforeDraw, l.add("a"))
	s.Once(scheduler.BeforeDraw, func() { runtime.Goexit() })
	h := s.Each(scheduler.BeforeDraw, func() { runtime.Goexit() })
	s.Each(scheduler.BeforeDraw, func() {
		s.Microtask(func() { panic("2") })
		s.Microtask(l.add("micro"))
	})
	s.Each(scheduler.BeforeDraw, l.add("b"))
	frames(s, &l, 2)
	exit := fmt.Sprint("<", scheduler.ErrGoexit, ">")
	l.want(t, "| <1> a "+exit+" "+exit+" <2> micro b | a <2> micro b")
	if h.State() != scheduler.Failed && h.State() != scheduler.Unsubmitted {
		t.Error("a persistent callback that failed is", h.State())
	}
	if st := s.Stats(); st.Goexits != 2 || st.Failed != 5 {
		t.Errorf("%d failed, %d of them by Goexit", st.Failed, st.Goexits)
	}
}

func TestRethrowInAPhase(t *testing.T) {
	var l log
	s := scheduler.New(scheduler.Options{Rethrow: true, OnPanic: func(*scheduler.PanicError) {}})
	defer s.Close()
	s.Once(scheduler.AfterDraw, func() { panic("first") })
	s.Once(scheduler.AfterDraw, l.add("second"))
	func() {
		defer func() {
			if pe, ok := recover().(*scheduler.PanicError); !ok || pe.Value != "first" {
				t.Error("RunPhase did not panic with the first")
			}
		}()
		s.RunPhase(scheduler.AfterDraw)
	}()
	l.want(t, "second")
	s.RunPhase(scheduler.AfterDraw)
}

// A host that knows no phases: its callbacks run in the first slice of the next frame.
func TestPhasesWithoutRunPhase(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		w.s.Once(scheduler.AfterDraw, w.work("after", ms))
		w.s.Once(scheduler.BeforeUpdate, w.work("before", ms))
		w.s.Each(scheduler.BeforeDraw, w.work("each", ms))
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			for range 2 {
				w.spend(w.row("co"), ms)
				co.AfterDraw()
			}
		})
		for range 3 {
			w.frame(6 * ms)
			w.drain() // not the first slice of the frame
		}
		w.want(`
			slice |====    ==      =
			after |  #
			before|#
			each  | #      #       #
			co    |   #     #
		`)
	})
}

func TestSlicesWithinAPhasePanic(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	ran := 0
	s.Once(scheduler.BeforeDraw, func() {
		const within = " within a task, or on two goroutines at once: a modal loop calls Nest first"
		mustPanic(t, "scheduler: RunPhase"+within, func() { s.RunPhase(scheduler.AfterDraw) })
		mustPanic(t, "scheduler: RunUntil"+within, func() { s.RunUntil(deadline.Deadline{}) })
		mustPanic(t, "scheduler: BeginFrame"+within, func() { s.BeginFrame(deadline.Now()) })
		if !s.ShouldYield() {
			t.Error("a callback has a budget")
		}
		ran++
	})
	s.Once(scheduler.BeforeDraw, func() { ran++ })
	if n := s.RunPhase(scheduler.BeforeDraw); n != 2 || ran != 2 {
		t.Errorf("%d callbacks ran, RunPhase says %d", ran, n)
	}
}

func TestCloseCancelsCallbacks(t *testing.T) {
	for _, within := range []bool{false, true} {
		s := scheduler.New(scheduler.Options{})
		var l log
		frames(s, &l, 1)
		read := s.Each(scheduler.BeforeUpdate, l.add("read"))
		co := s.Go(deadline.Immediate, func(co *scheduler.Co) {
			defer l.add("unwound")()
			co.AfterDraw()
		})
		idle := s.WhenIdle(time.Hour, func(scheduler.IdleTime) { t.Error("idle") })
		frames(s, &l, 0)
		s.RunPhase(scheduler.BeforeUpdate)
		s.RunUntil(deadline.At(deadline.Now())) // no time for what is idle
		unread := s.Once(scheduler.AfterDraw, never(t))
		s.Once(scheduler.BeforeDraw, func() {
			if within {
				s.Microtask(never(t))
				s.Close()
				l.add("closing")()
			}
		})
		s.Once(scheduler.BeforeDraw, l.add("next"))
		micro := s.Microtask(l.add("micro"))
		s.RequestDraw()
		if within {
			s.RunPhase(scheduler.BeforeDraw)
			l.want(t, "| read micro closing unwound")
		} else {
			s.Close()
			l.want(t, "| read unwound")
			if micro.State() != scheduler.Canceled {
				t.Error("a microtask is", micro.State())
			}
		}
		if read.State() != scheduler.Canceled || unread.State() != scheduler.Canceled {
			t.Error("callbacks are", read.State(), unread.State())
		}
		if co.Err() != scheduler.ErrClosed || idle.Err() != scheduler.ErrClosed {
			t.Error("tasks end with", co.Err(), idle.Err())
		}
		s.RequestDraw()
		late := s.Once(scheduler.AfterDraw, never(t))
		if late.State() != scheduler.Canceled || s.Microtask(never(t)).State() != scheduler.Canceled {
			t.Error("accepted after Close")
		}
		if s.RunPhase(scheduler.AfterDraw) != 0 {
			t.Error("a callback after Close")
		}
	}
}

// Within a slice a callback can make the inbox be read, in the middle of the phase.
func TestRegistrationIsReadDuringThePhase(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var l log
	first := true
	act := func() {
		if !first {
			return
		}
		first = false
		x := s.Once(scheduler.BeforeDraw, never(t))
		s.ShouldYield() // reads it
		x.Cancel()
		s.Once(scheduler.BeforeDraw, l.add("y"))
		s.Once(scheduler.AfterDraw, l.add("after"))
		s.ShouldYield()
		s.Each(scheduler.BeforeDraw, l.add("z"))
		s.ShouldYield()
	}
	s.Each(scheduler.BeforeDraw, func() { l.add("a")(); act() })
	frame := func() {
		l = append(l, "|")
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.Deadline{})
	}
	frame()
	frame()
	s.Each(scheduler.BeforeDraw, l.add("b"))
	first = true
	frame()
	frame()
	l.want(t, "| a after | a y z | a z b after | a z b y z")
}

// A callback of Each does not ask for frames. One of Once does.
func TestWhatRequestsAFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		asks := func() bool {
			w.s.RunUntil(deadline.In(0)) // reads the inbox
			return w.s.DrawRequested()
		}
		w.draw() // this host runs its phases by itself
		w.s.Each(scheduler.BeforeDraw, func() {})
		eq(t, "persistent", asks(), false)
		for p, name := range map[scheduler.Phase]string{
			scheduler.BeforeUpdate: "transient", scheduler.AfterDraw: "post-frame",
		} {
			w.s.Once(p, func() {})
			eq(t, name, asks(), true)
			w.draw()
			eq(t, name+", after the frame", asks(), false)
		}
	})
}
