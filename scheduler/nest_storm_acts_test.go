package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/frameslice/frameslice/scheduler"
)

// stormOps is how many acts a storm has.
const stormOps = 400

// body is what runs: it takes time, acts, fails now and then, or is a modal loop.
func (m *storm) body() {
	if m.one(3) {
		m.wait(time.Duration(m.r.IntN(3000)) * time.Microsecond)
	}
	for range m.r.IntN(3) {
		m.act()
	}
	switch m.r.IntN(40) {
	case 0:
		panic("on purpose")
	case 1:
		runtime.Goexit()
	case 2, 3:
		if m.depth >= 4 || m.ops >= stormOps {
			return
		}
		m.depth++
		begun, before := *m.now, m.nested
		defer func() {
			m.depth--
			m.nested = before + m.now.Sub(begun)
		}()
		m.s.Nest(func() {
			for range m.r.IntN(4) {
				m.host()
				if m.one(3) {
					m.act()
				}
			}
		})
	}
}

// co is a coroutine that waits for this and that.
func (m *storm) co(co *scheduler.Co) {
	defer func() {
		if m.one(5) {
			m.act()
		}
		if m.one(30) {
			co.Yield() // while it unwinds, perhaps
		}
	}()
	for range m.r.IntN(6) {
		m.body()
		m.suspend(co)
	}
}

func (m *storm) suspend(co *scheduler.Co) {
	var v int
	var err error
	switch m.r.IntN(11) {
	case 0, 1:
		co.Yield()
		return
	case 2:
		co.NextFrame()
		return
	case 3:
		co.AfterDraw()
		return
	case 4:
		co.Sleep(m.some())
		return
	case 5:
		if len(m.tasks) > 0 { // not for itself, nor in a circle
			if t := m.tasks[m.r.IntN(len(m.tasks))]; t.Co == nil {
				_ = co.Wait(t)
			}
		}
		return
	case 6:
		if g := m.groups[m.r.IntN(len(m.groups))]; m.s.Current().Group == nil && m.one(3) {
			_ = g.Wait(co)
		}
		return
	case 7:
		co.ShouldYield()
		co.Priority()
		return
	case 8:
		v, err = scheduler.Await(co, m.job())
	case 9:
		v, err = scheduler.AwaitTimeout(co, m.job(), m.some())
	case 10:
		ctx, cancel := m.s.WithTimeout(context.Background(), m.some())
		v, err = scheduler.AwaitContext(ctx, co, m.job())
		cancel()
	}
	if late := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, scheduler.ErrClosed); late != (v == 0) {
		m.fail("an Await returned %d, %v", v, err)
	}
}

func (m *storm) job() *stormJob {
	j := &stormJob{done: m.one(5)}
	m.jobs = append(m.jobs, j)
	return j
}

// task returns some task.
func (m *storm) task() *scheduler.Task {
	t := &scheduler.Task{Priority: m.prio()}
	if m.one(3) {
		t.Delay = m.some()
	}
	if m.one(5) {
		t.Timeout = m.some() - 5*ms
	}
	if m.one(5) {
		t.Cost = m.some() / 3
	}
	if m.one(3) {
		t.Group = m.groups[m.r.IntN(len(m.groups))]
	}
	switch m.r.IntN(6) {
	case 0:
		t.Func = m.body
	case 1:
		t.Func = func() {
			if m.body(); m.one(3) {
				m.submit(t)
			}
			if m.one(9) {
				t.Cancel()
			}
		}
	case 2:
		n := m.r.IntN(5)
		t.Step = func() bool { m.body(); n--; return n > 0 }
	case 3:
		t.Co = m.co
	case 4:
		t.Delay, t.Idle = 0, func(i scheduler.IdleTime) { m.body(); i.Remaining() }
	case 5:
		t.Period, t.CatchUp = 1+m.some()/3, m.r.IntN(3)
		t.Func = func() {
			if m.body(); m.one(3) {
				t.Period = 0
			}
		}
	}
	return t
}

// submit submits a task that may be queued, which it must say.
func (m *storm) submit(t *scheduler.Task) {
	defer func() {
		if v := recover(); v != nil && !strings.Contains(fmt.Sprint(v), "Submit of a Task that is queued") {
			panic(v)
		}
	}()
	m.s.Submit(t)
}

// act does something.
func (m *storm) act() {
	if m.ops++; m.ops > stormOps {
		return
	}
	var h scheduler.Handle
	var t *scheduler.Task
	s := m.s
	switch m.r.IntN(20) {
	case 0, 1, 2:
		h = s.Post(m.prio(), m.body)
	case 3:
		h = s.After(m.prio(), m.some(), m.body)
	case 4:
		h = s.Once(scheduler.Phase(m.r.IntN(3)), m.body)
	case 5:
		h = s.Each(scheduler.Phase(m.r.IntN(3)), m.body)
	case 6:
		h = s.Microtask(m.body)
	case 7, 8, 9:
		t = m.task()
		s.Submit(t)
	case 10:
		t = s.Go(m.prio(), m.co)
	case 11:
		t = s.WhenIdle(m.some()-5*ms, func(scheduler.IdleTime) { m.body() })
	case 12:
		s.RequestDraw()
	case 13:
		d := m.some()
		m.wait(d)
		s.Shift(d)
	case 14:
		s.Current().Post(m.body)
	default:
		m.actOn()
	}
	if h != (scheduler.Handle{}) {
		m.handles = append(m.handles, h)
	}
	if t != nil {
		m.tasks = append(m.tasks, t)
	}
}

// actOn does something with what there is already.
func (m *storm) actOn() {
	g := m.groups[m.r.IntN(len(m.groups))]
	switch n := m.r.IntN(16); {
	case n == 0 && m.one(3):
		g.Cancel()
		m.groups = append(m.groups, m.s.NewGroup("g"))
	case n == 1:
		g.SetPriority(m.prio())
	case n <= 3:
		m.handles = append(m.handles, g.Post(m.prio(), m.body), g.After(m.prio(), m.some(), m.body))
	case n <= 6:
		m.pulses[m.r.IntN(len(m.pulses))].Call()
	case n == 7:
		m.pulses[m.r.IntN(len(m.pulses))].Flush()
	case n == 8:
		m.pulses[m.r.IntN(len(m.pulses))].Cancel()
	case n == 9:
		_ = m.latest.Post(m.r.IntN(5), 1)
		if m.one(4) {
			m.latest.Cancel(m.r.IntN(5))
		}
	case n == 10:
		_ = m.bounds[m.r.IntN(2)].Post(m.prio(), m.body)
	case n == 11 && m.closes && m.one(60):
		m.s.Close()
	case n == 12 && m.one(3):
		m.wait(5 * time.Second)
	case n == 13 && len(m.handles) > 0:
		h := m.handles[m.r.IntN(len(m.handles))]
		if m.one(2) || !h.SetPriority(m.prio()) {
			h.Cancel()
		}
	case n >= 14 && len(m.jobs) > 0:
		m.jobs[m.r.IntN(len(m.jobs))].finish()
	case len(m.tasks) > 0:
		t := m.tasks[m.r.IntN(len(m.tasks))]
		if m.one(2) {
			t.SetPriority(m.prio())
		} else if t.Cancel(); m.one(3) {
			m.submit(t)
		}
	}
}
