package workers

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
)

// A gated job says that it has begun, on which worker, and ends when it may.
type gated struct {
	job   Job
	began chan int
	end   chan struct{}
}

func newGated(prio deadline.Priority, f func(w *Worker)) *gated {
	g := &gated{began: make(chan int, 1), end: make(chan struct{})}
	g.job = Job{Priority: prio, Func: func(w *Worker) {
		if f != nil {
			f(w)
		}
		g.began <- w.Index()
		<-g.end
	}}
	return g
}

// asleep waits until so many workers sleep.
func asleep(t *testing.T, p *Pool, n int) {
	c := &p.classes[ordinary]
	wait(t, "workers sleep", func() bool { return c.sleep.Resting() == n })
}

// A job of a capped lane that blocks gives its place to another one, which a worker that sleeps then begins; also while
// the spare is kept.
func TestWhoBlocksGivesItsPlaceInTheCap(t *testing.T) {
	needsWorkers(t)
	p := New(Options{Workers: 2})
	defer closeNow(t, p)
	next := &Job{Priority: deadline.Low}
	began := make(chan struct{})
	next.Func = func(*Worker) { close(began) }
	first, second, in := make(chan struct{}), make(chan struct{}), make(chan struct{})
	p.Submit(&Job{Priority: deadline.Low, Func: func(w *Worker) {
		w.Blocking(func() { close(in); <-first })
		<-second
		w.Blocking(func() { <-began })
	}})
	<-in
	a, b := newGated(deadline.Normal, nil), newGated(deadline.Normal, nil)
	p.Submit(&a.job)
	p.Submit(&b.job)
	if <-b.began; <-a.began != 2 {
		a, b = b, a
	}
	close(b.end)
	close(first)
	c := &p.classes[ordinary]
	wait(t, "the spare is not wanted", func() bool { return c.want.Load() == 2 })
	p.Submit(next)
	asleep(t, p, 1)
	close(second)
	wait(t, "another job of the lane has begun", func() bool { return next.State() == Finished })
	close(a.end)
}

// When a job of a capped lane has blocked, and others of its kind have all places, its spare stays for what is urgent.
func TestTheSpareStaysWhereTheOthersAreCapped(t *testing.T) {
	needsWorkers(t)
	p := New(Options{Workers: 2})
	defer closeNow(t, p)
	c := &p.classes[ordinary]
	first, in := make(chan struct{}), make(chan struct{})
	blocked := newGated(deadline.Low, func(w *Worker) {
		w.Blocking(func() { close(in); <-first })
	})
	p.Submit(&blocked.job)
	<-in
	a, b := newGated(deadline.Normal, nil), newGated(deadline.Normal, nil)
	p.Submit(&a.job)
	p.Submit(&b.job)
	if <-b.began; <-a.began != 2 {
		a, b = b, a
	}
	close(b.end)
	other := newGated(deadline.Low, nil)
	p.Submit(&other.job)
	<-other.began
	close(a.end)
	close(first)
	<-blocked.began
	wait(t, "the spare is not wanted", func() bool { return c.want.Load() == 2 })
	urgent := newGated(deadline.UserBlocking, nil)
	p.Submit(&urgent.job)
	wait(t, "an urgent job begins", func() bool { return len(urgent.began) == 1 })
	close(urgent.end)
	close(blocked.end)
	close(other.end)
	wait(t, "the spare has left", func() bool { return !c.slots[2].Load().alive.Load() })
}

// While a job of another lane blocks, those of the capped lanes do not have all that are left.
func TestWhoBlocksElsewhereLeavesTheCapAsItIs(t *testing.T) {
	needsWorkers(t)
	p := New(Options{Workers: 2})
	defer closeNow(t, p)
	in, out := make(chan struct{}), make(chan struct{})
	p.Submit(&Job{Func: func(w *Worker) {
		w.Blocking(func() { close(in); <-out })
	}})
	<-in
	a, b := newGated(deadline.Low, nil), newGated(deadline.Low, nil)
	p.Submit(&a.job)
	p.Submit(&b.job)
	select {
	case <-a.began:
	case <-b.began:
	}
	asleep(t, p, 1)
	urgent := newGated(deadline.UserBlocking, nil)
	close(urgent.end)
	p.Submit(&urgent.job)
	wait(t, "an urgent job begins", func() bool { return urgent.job.State() == Finished })
	close(a.end)
	close(b.end)
	close(out)
}
