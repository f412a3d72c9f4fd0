package scheduler_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// What the documentation promises of tasks with many lives, told a second time: each life is noted by who submits it,
// and what Cancel, Done, Err, Co.Wait and Group say of it is held against that.

// pledge is a random program and what it was promised.
type pledge struct {
	s      *scheduler.Scheduler
	r      *rand.Rand
	now    *deadline.Instant
	bad    string
	left   int // things to do
	depth  int
	frames int
	closed bool
	works  []*pledgeWork
	groups []*pledgeGroup
	jobs   []*stormJob
	flows
}

// pledgeWork is a Task.
type pledgeWork struct {
	m    *pledge
	id   int
	task *scheduler.Task
	runs bool // between the beginning and the end of a run
	cur  *pledgeLife
	next *pledgeLife // submitted again in this life
}

// pledgeLife is one submission.
type pledgeLife struct {
	g        *pledgeGroup
	canceled bool // Cancel said so
	begun    bool
	ended    bool
	failed   bool
	after    *pledgeLife
	doomed   bool // it may have been taken back: it was submitted again by a member of a group that was canceled then
	done     <-chan struct{}
}

type pledgeGroup struct {
	g        *scheduler.Group
	canceled bool
	lives    []*pledgeLife
	asked    int // Notify
	told     int
}

func (m *pledge) fail(format string, args ...any) {
	if m.bad == "" {
		m.bad = fmt.Sprintf(format, args...)
	}
}

func (w *pledgeWork) String() string {
	return fmt.Sprintf("%d, a %v, runs: %v, life %+v, next %v", w.id, scheduler.WorkOf(w.task), w.runs, w.cur, w.next)
}

func (m *pledge) one(n int) bool          { return m.r.IntN(n) == 0 }
func (m *pledge) prio() deadline.Priority { return deadline.Priority(m.r.IntN(5) - 2) }

func (m *pledge) newWork() *pledgeWork {
	w := &pledgeWork{m: m, id: len(m.works), task: &scheduler.Task{}}
	m.works = append(m.works, w)
	switch t := w.task; m.r.IntN(5) {
	case 0:
		t.Func = func() { w.run(w.body) }
	case 1:
		t.Period = time.Duration(1+m.r.IntN(5)) * ms
		t.Func = func() { w.run(w.body) }
	case 2:
		t.Step = func() (more bool) {
			l := w.cur
			w.run(func() { w.body(); more = m.left > 0 && m.one(2) })
			if !more {
				w.over(l)
			}
			return more
		}
	default:
		t.Co = w.co
	}
	return w
}

// begin is the beginning of a run.
func (w *pledgeWork) begin() {
	switch l := w.cur; {
	case l == nil || l.ended:
		w.m.fail("%d runs, and has no life", w.id)
	case l.canceled && w.task.Co == nil:
		w.m.fail("%d runs, and was canceled", w.id)
	case !l.begun && l.g != nil && l.g.canceled:
		w.m.fail("%d begins in a group that was canceled", w.id)
	case l.begun && w.task.Func != nil && w.task.Period == 0:
		w.m.fail("%d runs twice", w.id)
	default:
		l.begun = true
	}
	if w.runs {
		w.m.fail("%d runs within itself", w.id)
	}
	w.runs = true
}

// run is a run of a function or a step.
func (w *pledgeWork) run(f func()) {
	w.begin()
	l, returned := w.cur, false
	defer func() {
		if !returned {
			l.failed = true
			w.over(l)
			return
		}
		w.runs = false
		if t := w.task; t.Func != nil && (t.Period == 0 || w.next != nil || l.canceled) {
			w.over(l)
		}
	}()
	f()
	returned = true
	if w.task.Step != nil && l.canceled {
		w.over(l)
	}
}

// unsure reports whether a life may have been taken back, because that in which it was submitted was canceled as a
// member, at a time which is not told.
func (l *pledgeLife) unsure() bool {
	return l.doomed || l.after != nil && l.after.g != nil && l.after.g.canceled
}

// over ends a life, if it is the present one.
func (w *pledgeWork) over(l *pledgeLife) {
	w.runs = false
	if l != w.cur || l.ended {
		return
	}
	l.ended = true
	w.born()
}

// born begins the life that was asked for again.
func (w *pledgeWork) born() {
	if n := w.next; n != nil {
		n.doomed = w.cur.g != nil && w.cur.g.canceled
		w.cur, w.next = n, nil
		if n.g != nil && n.g.canceled {
			n.canceled, n.ended = true, true
		}
	}
}

func (w *pledgeWork) body() {
	m := w.m
	*m.now = m.now.Add(time.Duration(m.r.IntN(2)) * ms)
	for range m.r.IntN(4) {
		if m.one(3) {
			m.submit(w, m.group()) // itself
		} else {
			m.act()
		}
	}
	m.fate()
}

func (m *pledge) fate() {
	if m.left == 0 {
		return
	}
	switch m.r.IntN(25) {
	case 0:
		panic("on purpose")
	case 1:
		runtime.Goexit()
	case 2:
		m.s.ShouldYield()
	}
}

// co is a coroutine.
func (w *pledgeWork) co(co *scheduler.Co) {
	w.begin()
	l, returned := w.cur, false
	defer func() {
		if v := recover(); v != nil && fmt.Sprint(v) == "scheduler: the task was canceled" {
			if !l.canceled && (l.g == nil || !l.g.canceled) && !w.m.closed {
				w.m.fail("%v is unwound, and was not canceled", w)
			}
			w.over(l)
			panic(v)
		} else if !returned {
			l.failed = true
			w.over(l)
			if v != nil {
				panic(v)
			}
			return
		}
		w.over(l)
	}()
	for w.m.left > 0 && !w.m.one(3) {
		w.body()
		w.suspend(co)
	}
	returned = true
}

// suspend suspends the coroutine in one of the ways there are.
func (w *pledgeWork) suspend(co *scheduler.Co) {
	m, at, frame := w.m, *w.m.now, w.m.frames
	w.runs = false
	d := time.Duration(m.r.IntN(6)) * ms
	switch m.r.IntN(7) {
	case 0:
		co.Yield()
	case 1:
		co.Sleep(d)
		if m.now.Sub(at) < d {
			m.fail("Sleep(%v) took %v", d, m.now.Sub(at))
		}
	case 2:
		co.NextFrame()
		if m.frames == frame {
			m.fail("NextFrame, and no other frame")
		}
	case 3, 4:
		w.wait(co, m.works[m.r.IntN(len(m.works))], d)
	case 5:
		if g := m.groups[m.r.IntN(len(m.groups))]; w.cur.g != g && (w.next == nil || w.next.g != g) {
			alive := g.alive()
			err := g.g.Wait(co)
			for _, l := range alive {
				if !l.ended && !l.unsure() && !g.canceled {
					m.fail("Group.Wait in %v returns, and a member has not ended", w)
				}
			}
			if g.canceled && err == nil {
				m.fail("Group.Wait of a canceled group: nil")
			}
		} else {
			co.NextFrame()
		}
	default:
		j := &stormJob{done: m.one(4)}
		m.jobs = append(m.jobs, j)
		if m.one(2) {
			if v, err := scheduler.Await[int](co, j); v != 7 || err != nil {
				m.fail("Await: %v, %v", v, err)
			}
		} else {
			_, err := scheduler.AwaitTimeout[int](co, j, d)
			if took := m.now.Sub(at); err != nil && took < d || err == nil && !j.done {
				m.fail("AwaitTimeout(%v): %v after %v, done: %v", d, err, took, j.done)
			}
		}
	}
	w.runs = true
	if w.cur.canceled && !m.closed {
		m.fail("%d goes on, and was canceled", w.id)
	}
}

func (w *pledgeWork) wait(co *scheduler.Co, other *pledgeWork, d time.Duration) {
	if other == w {
		co.Yield()
		return
	}
	m, at := w.m, *w.m.now
	l := other.cur
	var err error
	if m.one(2) {
		err = co.Wait(other.task)
	} else if err = co.WaitTimeout(other.task, d); errors.Is(err, scheduler.ErrTimeout) {
		if m.now.Sub(at) < d {
			m.fail("WaitTimeout(%v) of %d took %v", d, other.id, m.now.Sub(at))
		}
		return
	}
	if l != nil {
		if !l.ended && !l.unsure() && (l.g == nil || !l.g.canceled) {
			m.fail("%d waited for %d, which has not ended", w.id, other.id)
		}
		if l.ended && !l.unsure() {
			l.check(m, fmt.Sprint("Wait for ", other.id), err)
		}
	}
}

// check holds the outcome of a life that has ended against what became of it.
func (l *pledgeLife) check(m *pledge, who string, err error) {
	var p *scheduler.PanicError
	failed := errors.Is(err, scheduler.ErrGoexit) || errors.As(err, &p)
	canceled := errors.Is(err, scheduler.ErrCanceled)
	switch {
	case failed != l.failed:
		m.fail("%s: %v, failed: %v", who, err, l.failed)
	case failed:
	case l.canceled && !canceled:
		m.fail("%s: %v, and it was canceled", who, err)
	case canceled && !l.canceled && !m.closed && (l.g == nil || !l.g.canceled):
		m.fail("%s: %v, and nobody canceled it", who, err)
	}
}
