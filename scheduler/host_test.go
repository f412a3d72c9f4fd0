package scheduler_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Whoever wants the frame back gets it when the running task ends, which the task can tell; an idle callback too.
func TestStopOnEndsTheSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var stop atomic.Bool
		w.s.StopOn(&stop)
		long, idle := w.row("long"), w.row("idle")
		w.s.Post(deadline.Normal, func() {
			for !w.s.ShouldYield() {
				w.spend(long, ms)
			}
		})
		w.s.Post(deadline.Normal, w.work("next", ms))
		w.s.Post(deadline.Normal, w.work("third", ms))
		w.s.WhenIdle(0, func(it scheduler.IdleTime) {
			for it.Remaining() > 0 {
				w.spend(idle, ms)
			}
		})
		interrupt := func(after time.Duration) { time.AfterFunc(after, func() { stop.Store(true) }) }
		interrupt(2*ms + ms/2)
		w.frame(7 * ms)
		w.frame(7 * ms) // stopped from the first: one task, so that nothing starves
		w.frame(7 * ms) // the last task
		w.frame(7 * ms) // and no idle callback
		stop.Store(false)
		interrupt(3*ms + ms/2)
		w.frame(7 * ms)
		w.s.StopOn(nil)
		stop.Store(true)
		w.s.Post(deadline.Normal, w.work("a", ms))
		w.s.Post(deadline.Normal, w.work("b", ms))
		w.frame(7 * ms)
		w.want(`
			slice |===     =       =               ====    ==
			long  |###
			idle  |                                ####
			next  |        #
			third |                #
			a     |                                        #
			b     |                                         #
		`)
	})
}

// What a frame's idle callbacks queue waits for the next frame, also if this one has another slice.
func TestIdleCallbacksOncePerFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		task := &scheduler.Task{}
		task.Idle = func(scheduler.IdleTime) {
			l.add("a")()
			w.s.Submit(task)
		}
		w.s.Submit(task)
		w.s.WhenIdle(0, func(it scheduler.IdleTime) { l.add("b")() })
		w.frame(ms)
		w.s.WhenIdle(0, func(scheduler.IdleTime) { l.add("c")() })
		w.drain()
		w.s.Post(deadline.Normal, l.add("task"))
		w.drain()
		l.want(t, "a b task")
		w.frame(ms)
		w.drain()
		l.want(t, "a c")
	})
}

// The same requests as with RunPhase are taken back, and the callbacks wait for the slice.
func TestNotePhase(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var l log
	slice := func() int {
		s.Post(deadline.Normal, func() {})
		s.Post(deadline.Normal, func() {})
		return s.RunUntil(deadline.In(time.Hour)).Ran
	}
	frame := func(want int, phases ...func()) {
		t.Helper()
		s.BeginFrame(deadline.Now())
		for _, f := range phases {
			f()
		}
		if got := slice(); got != want {
			t.Errorf("%d tasks ran, want %d", got, want)
		}
		s.RunUntil(deadline.Deadline{})
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.Deadline{})
	}
	note := func(p scheduler.Phase) func() { return func() { s.NotePhase(p) } }
	s.Each(scheduler.BeforeDraw, l.add("callback"))
	frame(1, note(scheduler.BeforeUpdate), s.RequestDraw) // asked, and the frame's drawing is not announced
	frame(2, s.RequestDraw, note(scheduler.BeforeDraw), note(scheduler.AfterDraw))
	frame(1, note(scheduler.BeforeDraw), s.RequestDraw, note(scheduler.AfterDraw)) // while the host draws
	frame(1, s.RequestDraw, note(scheduler.AfterDraw))                             // nothing is drawn in this frame
	l.want(t, "callback callback callback callback callback callback callback callback")
	mustPanic(t, "scheduler: invalid Phase(3)", func() { s.NotePhase(3) })
	s.Post(deadline.Normal, func() {
		const within = " within a task, or on two goroutines at once: a modal loop calls Nest first"
		mustPanic(t, "scheduler: NotePhase"+within, func() { s.NotePhase(0) })
		mustPanic(t, "scheduler: StopOn"+within, func() { s.StopOn(nil) })
	})
	s.RunUntil(deadline.Deadline{})
	s.Close()
	s.NotePhase(scheduler.BeforeDraw)
}

// A host that tells when it draws, and does not always: what was asked for waits until it does.
func TestARequestOutlivesAFrameThatIsNotDrawn(t *testing.T) {
	for _, first := range []scheduler.Phase{scheduler.BeforeDraw, scheduler.AfterDraw} {
		s := scheduler.New(scheduler.Options{})
		s.BeginFrame(deadline.Now())
		s.RunPhase(first)
		s.Post(deadline.Normal, s.RequestDraw)
		s.RunUntil(deadline.Deadline{})
		s.BeginFrame(deadline.Now())
		if !s.DrawRequested() {
			t.Errorf("%v: the beginning of a frame is not its drawing", first)
		}
		if first == scheduler.BeforeDraw {
			s.RunPhase(scheduler.AfterDraw) // of nothing
			if !s.DrawRequested() {
				t.Error("the end of a frame without a drawing is no drawing")
			}
		}
		s.BeginFrame(deadline.Now())
		s.RunPhase(first)
		if s.DrawRequested() {
			t.Errorf("%v: drawn, and requested still", first)
		}
		s.Close()
	}
}

// So does a coroutine that waits for a drawing, wherever the host says that it draws.
func TestAfterDrawOutlivesAFrameThatIsNotDrawn(t *testing.T) {
	for name, phase := range map[string]func(*scheduler.Scheduler, scheduler.Phase){
		"RunPhase":  func(s *scheduler.Scheduler, p scheduler.Phase) { s.RunPhase(p) },
		"NotePhase": (*scheduler.Scheduler).NotePhase,
	} {
		t.Run(name, func(t *testing.T) {
			s := scheduler.New(scheduler.Options{})
			defer s.Close()
			var l log
			frame := func(phases ...scheduler.Phase) {
				s.BeginFrame(deadline.Now())
				for _, p := range phases {
					phase(s, p)
				}
				s.RunUntil(deadline.Deadline{})
			}
			wait := func(co *scheduler.Co) { co.AfterDraw(); l.add("drawn")() }
			frame(scheduler.BeforeDraw, scheduler.AfterDraw)
			s.Go(deadline.Normal, wait)
			frame()
			frame(scheduler.AfterDraw) // of nothing
			frame(scheduler.AfterDraw)
			l.want(t, "")
			if !s.DrawRequested() {
				t.Error("who waits asks for a frame until it is drawn")
			}
			s.Go(deadline.Normal, wait) // comes when the drawing has begun
			frame(scheduler.BeforeDraw)
			phase(s, scheduler.AfterDraw)
			s.RunUntil(deadline.Deadline{})
			frame()
			l.want(t, "drawn")
			frame(scheduler.BeforeDraw, scheduler.AfterDraw)
			frame()
			l.want(t, "drawn")
		})
	}
}

// The slice runs beside a host that presents the frame and then wants to go on.
func ExampleScheduler_StopOn() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var stop atomic.Bool
	s.StopOn(&stop)
	for n := range 3 {
		s.Post(deadline.Normal, func() {
			fmt.Println("task", n)
			if n == 1 {
				stop.Store(true) // another goroutine would
			}
		})
	}
	left := s.RunUntil(deadline.Deadline{}).Ready
	fmt.Println(left, "left")
	// Output:
	// task 0
	// task 1
	// 1 left
}

// The update asks for a drawing, and the frame is drawn: the slice has nothing to end for.
func ExampleScheduler_NotePhase() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.BeginFrame(deadline.Now())
	s.RequestDraw()
	s.NotePhase(scheduler.BeforeDraw)
	fmt.Println(s.DrawRequested())
	// Output: false
}

// renderer is a host in virtual time that does, after its frames, what tasks have left to it.
type renderer struct {
	s     *scheduler.Scheduler
	now   deadline.Instant
	paced bool // a display of 60 Hz holds it up
	deaf  bool // it does not tell how long its frames take
	own   time.Duration
	lag   int // frames between a task and the work for it
	left  [3]time.Duration
}

const refresh = time.Second / 60

func newRenderer(t *testing.T, paced bool) *renderer {
	r := &renderer{now: 1, paced: paced, own: time.Millisecond}
	r.s = scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return r.now }})
	t.Cleanup(r.s.Close)
	return r
}

func (r *renderer) spend(d time.Duration) { r.now = r.now.Add(d) }

// leave has a task take some time, and leave some work to the host.
func (r *renderer) leave(cost, after time.Duration) {
	r.spend(cost)
	r.left[r.lag] += after
}

// frame is one frame, after which the host takes extra time. It returns the frame's interval.
func (r *renderer) frame(extra time.Duration) time.Duration {
	begin := r.now
	r.s.BeginFrame(begin)
	r.spend(r.own)
	r.s.RunUntil(deadline.At(begin.Add(refresh - 4*time.Millisecond)))
	busy := r.now.Sub(begin)
	r.spend(time.Millisecond + extra + r.left[0])
	r.left = [3]time.Duration{r.left[1], r.left[2]}
	if r.paced {
		n := (r.now.Sub(begin) + refresh - 1) / refresh
		r.now = begin.Add(n * refresh)
	}
	if !r.deaf {
		r.s.NoteHost(r.now.Sub(begin), busy, refresh)
	}
	return r.now.Sub(begin)
}

// Fifty pictures, whatever their uploads take and whenever they come, make no frame longer than twice what a
// frame with one picture takes, and are there after about as many frames at most.
func TestUploadsAfterTheFrame(t *testing.T) {
	for _, paced := range []bool{true, false} {
		for lag := range 3 {
			for _, after := range []time.Duration{100, 500, 1000, 3000, 9000, 14_000, 30_000, 100_000} {
				after *= time.Microsecond
				r := newRenderer(t, paced)
				r.lag = lag
				cost := 240 * time.Microsecond
				for range 10 {
					r.frame(0)
				}
				r.s.Post(deadline.Normal, func() { r.leave(cost, after) })
				one := refresh
				for range 10 {
					one = max(one, r.frame(0))
				}
				n, worst, frames := 0, time.Duration(0), 0
				for range 50 {
					r.s.Submit(&scheduler.Task{Label: "picture", Func: func() { n++; r.leave(cost, after) }})
				}
				for ; n < 50 || r.left != [3]time.Duration{}; frames++ {
					worst = max(worst, r.frame(0))
				}
				what := fmt.Sprintf("paced %v, lag %d, %v", paced, lag, after)
				if worst > 2*one || frames > 60 {
					t.Errorf("%s: %d frames, the longest %v; with one picture %v", what, frames, worst, one)
				}
				if kind, late := r.s.HostCause(); late > 0 && kind != "picture" || late == 0 && worst > one+one/4 {
					t.Errorf("%s: the cause is %q of %d frames", what, kind, late)
				}
			}
		}
	}
}

// Tasks that leave nothing to the host get nearly as much time beside a host that is late by itself, and all of it when
// that has ended.
func TestHostThatIsLateByItself(t *testing.T) {
	for _, paced := range []bool{true, false} {
		for _, every := range []int{3, 10, 30} {
			var ran [2]int
			for i, deaf := range []bool{true, false} {
				r := newRenderer(t, paced)
				r.deaf = deaf
				rng := rand.New(rand.NewPCG(1, uint64(every)))
				n := 0
				r.s.Submit(&scheduler.Task{Label: "step", Step: func() bool {
					n++
					r.spend(200 * time.Microsecond)
					return true
				}})
				for range 60 {
					r.frame(0)
				}
				n = 0
				for range 1000 {
					extra := time.Duration(0)
					if rng.IntN(every) == 0 {
						extra = refresh + time.Duration(rng.Int64N(int64(3*refresh)))
					}
					r.frame(extra)
				}
				ran[i], n = n, 0
				for range 20 {
					r.frame(0)
				}
				n = 0
				if r.frame(0); n < 50 {
					t.Errorf("paced %v, 1 of %d late: %d steps in a frame afterwards", paced, every, n)
				}
			}
			least := 85
			if ran[1] < ran[0]*least/100 {
				t.Errorf("paced %v, 1 of %d late: %d steps of %d", paced, every, ran[1], ran[0])
			}
		}
	}
}

// A host that is slow for good, with or without tasks, is no reason to hold tasks back.
func TestHostThatIsSlow(t *testing.T) {
	r := newRenderer(t, false)
	n := 0
	r.s.Submit(&scheduler.Task{Label: "step", Step: func() bool { n++; r.spend(200 * time.Microsecond); return true }})
	for range 120 {
		r.frame(2 * refresh)
	}
	n = 0
	for range 100 {
		r.frame(2 * refresh)
	}
	if n < 4000 {
		t.Errorf("%d steps in 100 frames", n)
	}
}

// A kind that may not run any more in this frame still runs at Immediate, and in a slice without a deadline. Tasks of
// other kinds behind it run.
func TestHeldTasks(t *testing.T) {
	r := newRenderer(t, true)
	r.frame(0)
	n, others := 0, 0
	upload := func() { n++; r.leave(100*time.Microsecond, 0) }
	for range 40 {
		r.s.Submit(&scheduler.Task{Label: "picture", Func: upload})
	}
	r.s.Submit(&scheduler.Task{Label: "other", Func: func() { others++ }})
	if r.frame(0); n != 1 || others != 1 {
		t.Errorf("the first frame ran %d pictures and %d others, want 1 and 1", n, others)
	}
	n = 0
	for range 3 {
		r.s.Submit(&scheduler.Task{Label: "picture", Priority: deadline.Immediate, Func: upload})
	}
	if r.frame(0); n < 3 {
		t.Errorf("%d pictures ran, 3 of them of Immediate", n)
	}
	if r.s.RunUntil(deadline.Deadline{}); n != 42 {
		t.Errorf("%d pictures ran, want 42", n)
	}
}

// A slice that is stopped while it reads a long inbox, or ends the members of a large group, does not go on to the
// end of that: there are portions.
func TestStopEndsReadingAndGroups(t *testing.T) {
	const n = 40_000
	var stop atomic.Bool
	s, _ := virtual(t, scheduler.Options{})
	s.StopOn(&stop)
	g := s.NewGroup("g")
	for range n {
		g.Post(deadline.Normal, nop)
	}
	stop.Store(true)
	if r := s.RunUntil(deadline.Deadline{}); r.Ran != 1 {
		t.Errorf("ran %d, want 1", r.Ran)
	}
	if got := scheduler.Members(g); got < 1 || got > n/4 {
		t.Errorf("a slice that is stopped read %d of %d", got, n)
	}
	stop.Store(false)
	s.Post(deadline.Immediate, func() {
		s.ShouldYield() // reads what is left
		g.Cancel()
		stop.Store(true)
	})
	s.RunUntil(deadline.Deadline{})
	before := scheduler.Members(g)
	s.RunUntil(deadline.Deadline{}) // one task, if there is one
	if left := scheduler.Members(g); left < n/2 || before < left {
		t.Errorf("a slice that is stopped ended all but %d of %d members", left, before)
	}
	stop.Store(false)
	s.RunUntil(deadline.Deadline{})
	if left := scheduler.Members(g); left != 0 {
		t.Errorf("%d members are left", left)
	}
}
