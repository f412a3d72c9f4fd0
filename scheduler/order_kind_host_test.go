package scheduler_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/hostcost"
	"github.com/frameslice/frameslice/scheduler"
)

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
		bridge.Of(r.s).NoteHost(hostcost.Frame{Interval: r.now.Sub(begin), Busy: busy, Due: refresh})
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
				st := r.s.Stats()
				if kind, late := st.HostCause, st.HostLate; late > 0 && kind != "picture" ||
					late == 0 && worst > one+one/4 {
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

// A task that is held back says so.
func TestHeldTaskSaysWhy(t *testing.T) {
	r := newRenderer(t, true)
	r.frame(0)
	pictures := make([]scheduler.Task, 3)
	for i := range pictures {
		pictures[i] = scheduler.Task{Label: "picture", Func: func() { r.leave(100*time.Microsecond, 0) }}
		r.s.Submit(&pictures[i])
	}
	r.s.BeginFrame(r.now)
	r.s.RunUntil(deadline.At(r.now.Add(refresh / 2)))
	want := "the frame has run enough of its kind, for the work that the kind leaves to the host"
	if got := pictures[2].Why(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
