package scheduler_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// flows is what stands in front of Post, and what it was promised.
type flows struct {
	bounds  []*pledgeBound
	latest  *flow.Latest[int, int]
	keys    [4]struct{ posted, ran int } // the newest values; -1 if canceled
	serial  int
	pulses  []pulser
	called  [2]deadline.Instant
	pulsed  [2]deadline.Instant
	rate    flow.RateLimit
	rated   int
	arrived int
}

type pledgeBound struct {
	b        *flow.Bound
	accepted int
	ran      int
}

func newPledge(t *testing.T, seed uint64) *pledge {
	m := &pledge{r: rand.New(rand.NewPCG(seed, 2)), left: 60 + int(seed%7)*60}
	o := scheduler.Options{Policy: deadline.Policy(m.r.IntN(2)), OnPanic: func(p *scheduler.PanicError) {
		if p.Value != any("on purpose") && p.Value != error(scheduler.ErrGoexit) {
			m.fail("%v\n%s", p, p.Stack)
		}
	}}
	m.s, m.now = virtual(t, o)
	for range 3 {
		m.groups = append(m.groups, &pledgeGroup{g: m.s.NewGroup("g")})
	}
	for full := range flow.CallerRuns + 1 {
		b := flow.NewBound(m.s, flow.BoundOptions{Limit: 2, Full: full})
		m.bounds = append(m.bounds, &pledgeBound{b: b})
	}
	m.latest = flow.NewLatest(m.s, flow.LatestOptions{Keys: 3}, func(k, v int) {
		if c := &m.keys[k]; v != c.posted || v <= c.ran {
			m.fail("Latest runs value %d of key %d, the newest is %d and the last was %d", v, k, c.posted, c.ran)
		} else {
			c.ran = v
		}
		m.act()
		m.fate()
	})
	pulse := func(i int) func() {
		return func() {
			m.pulsed[i] = *m.now
			m.act()
		}
	}
	debounce := flow.DebounceOptions{Wait: 3 * ms, MaxWait: 20 * ms, Leading: m.one(2)}
	throttle := flow.ThrottleOptions{Wait: 4 * ms, NoLeading: m.one(2)}
	m.pulses = []pulser{
		flow.NewDebounce(m.s, debounce, pulse(0)), flow.NewThrottle(m.s, throttle, pulse(1)),
	}
	m.rate = flow.RateLimit{Every: 2 * ms, Burst: 2, Scheduler: m.s, MaxDelay: 30 * ms}
	return m
}

func (m *pledge) group() *pledgeGroup {
	if m.one(2) {
		return nil
	}
	return m.groups[m.r.IntN(len(m.groups))]
}

func (g *pledgeGroup) alive() []*pledgeLife {
	g.lives = slices.DeleteFunc(g.lives, func(l *pledgeLife) bool { return l.ended })
	return slices.Clone(g.lives)
}

// submit submits w into g, if that is allowed.
func (m *pledge) submit(w *pledgeWork, g *pledgeGroup) {
	idle := w.cur == nil || w.cur.ended
	if !idle && (!w.runs || w.next != nil) || idle && w.runs {
		return
	}
	t := w.task
	t.Priority, t.Group = m.prio(), nil
	if t.Delay = 0; m.one(3) {
		t.Delay = time.Duration(m.r.IntN(8)) * ms
	}
	l := &pledgeLife{g: g}
	if g != nil {
		t.Group = g.g
		g.lives = append(g.lives, l)
	}
	m.s.Submit(t)
	switch {
	case !idle:
		l.after, w.next = w.cur, l
		return
	case g != nil && g.canceled, m.closed:
		l.canceled, l.ended = true, true
	}
	w.cur = l
	if m.one(2) {
		l.done = t.Done()
	}
}

// cancel cancels w, and knows what that says.
func (m *pledge) cancel(w *pledgeWork) {
	l, ok := w.cur, w.task.Cancel()
	want := false
	switch {
	case l == nil || l.ended:
	case w.runs && w.task.Func != nil && w.task.Period == 0:
		want = w.next != nil
	case w.runs:
		want, l.canceled = w.next != nil || !l.canceled, true
	default:
		want = !l.canceled
		if l.canceled = true; w.task.Co == nil || !l.begun {
			l.ended = true
		}
	}
	if n := w.next; n != nil {
		n.canceled, n.ended, w.next = true, true, nil
	}
	if ok != want && !l.doomed && (l.g == nil || !l.g.canceled) && !m.closed {
		m.fail("Cancel of %v: %v, want %v", w, ok, want)
	}
}

func (m *pledge) act() {
	if m.left == 0 || m.depth > 4 {
		return
	}
	m.left--
	m.depth++
	defer func() { m.depth-- }()
	switch m.r.IntN(16) {
	case 0, 1, 2:
		m.submit(m.newWork(), m.group())
	case 3, 4:
		m.submit(m.works[m.r.IntN(len(m.works))], m.group())
	case 5, 6:
		m.cancel(m.works[m.r.IntN(len(m.works))])
	case 7:
		m.works[m.r.IntN(len(m.works))].task.SetPriority(m.prio())
	case 8:
		m.actOnGroup(m.r.IntN(len(m.groups)))
	case 9, 10:
		b := m.bounds[m.r.IntN(len(m.bounds))]
		ran := false
		err := b.b.Post(m.prio(), func() {
			if ran {
				m.fail("a function of a Bound runs twice")
			}
			b.ran++
			ran = true
			m.act()
			if !m.one(3) && b != m.bounds[flow.CallerRuns] {
				m.fate()
			}
		})
		if err == nil {
			b.accepted++
		}
	case 11:
		k := m.r.IntN(len(m.keys))
		c := &m.keys[k]
		if m.one(4) {
			if ok := m.latest.Cancel(k); ok != (c.posted > c.ran) && !m.closed {
				m.fail("Latest.Cancel of key %d: %v, posted %d, ran %d", k, ok, c.posted, c.ran)
			} else if ok {
				c.ran = c.posted
			}
		} else if m.serial++; m.latest.Post(k, m.serial) == nil {
			c.posted = m.serial
		} else if c.posted > c.ran && !m.closed {
			m.fail("Latest has no room for a key that waits")
		}
	case 12:
		i := m.r.IntN(2)
		switch m.r.IntN(6) {
		case 0:
			m.pulses[i].Flush()
		case 1:
			m.pulses[i].Cancel()
			m.called[i] = 0
		default:
			m.pulses[i].Call()
			m.called[i] = *m.now
		}
	case 13:
		if t, err := m.rate.Post(m.prio(), func() { m.arrived++ }); err == nil {
			if m.rated++; t.Delay > 30*ms {
				m.fail("RateLimit.Post waits for %v", t.Delay)
			}
		}
	case 14:
		if len(m.jobs) > 0 {
			m.jobs[m.r.IntN(len(m.jobs))].finish()
		}
	case 15:
		if m.s.ShouldYield(); m.one(150) {
			m.closed = true
			m.s.Close()
		}
	}
}

func (m *pledge) actOnGroup(i int) {
	g := m.groups[i]
	switch m.r.IntN(8) {
	case 0:
		if g.g.Cancel() == g.canceled {
			m.fail("Group.Cancel tells the second call from the first wrongly")
		}
		g.canceled = true
		m.groups[i] = &pledgeGroup{g: m.s.NewGroup("another")}
	case 1:
		g.g.SetPriority(m.prio())
	default:
		alive := g.alive()
		g.asked++
		g.g.Notify(func() {
			g.told++
			for _, l := range alive {
				if !l.ended && !l.unsure() && !g.canceled && !m.closed {
					m.fail("a group has ended, and a member has not: %+v", *l)
				}
			}
		})
	}
}

// settle looks at everything when nothing is ready.
func (m *pledge) settle() {
	for _, w := range m.works {
		l := w.cur
		if l == nil {
			continue
		}
		if l.g != nil && l.g.canceled || m.closed || l.canceled {
			if !l.ended {
				if st := w.task.State(); st != scheduler.Canceled && st != scheduler.Failed {
					m.fail("%d was canceled, and is %v", w.id, st)
				}
				l.ended = true
				l.canceled = true
				w.born()
			}
		}
		if l.doomed && !l.begun && w.task.State() >= scheduler.Done {
			l.ended = true // it was taken back, and what the task tells is of the life before
			continue
		}
		if st := w.task.State(); l == w.cur && l.ended != (st >= scheduler.Done) {
			m.fail("%v has ended: %v, and is %v", w, l.ended, st)
		}
		if l.done != nil && isDone(l.done) != l.ended {
			m.fail("%v has ended: %v, and Done not so", w, l.ended)
		}
		if l == w.cur && l.ended {
			l.check(m, "Err", w.task.Err())
		}
	}
	for _, g := range m.groups {
		if len(g.alive()) == 0 && g.told != g.asked {
			m.fail("a group has ended, and %d of %d were told", g.told, g.asked)
		}
	}
}

func playPledge(t *testing.T, seed uint64) string {
	m := newPledge(t, seed)
	m.newWork()
	for i := 0; i < 200 && m.bad == ""; i++ {
		m.frames++
		m.s.BeginFrame(*m.now)
		for range 3 {
			m.act()
		}
		m.s.RunUntil(deadline.Deadline{})
		m.settle()
		*m.now = m.now.Add(time.Duration(m.r.IntN(8)) * ms)
		if m.left == 0 && i < 150 {
			i = 150
			for _, w := range m.works {
				if w.task.Period > 0 {
					m.cancel(w)
				}
			}
		}
	}
	if m.bad == "" && !m.closed {
		m.flowsEnd()
	}
	m.closed = true
	m.s.Close()
	m.settle()
	return m.bad
}

func (m *pledge) flowsEnd() {
	for i, b := range m.bounds {
		if got := b.ran + int(b.b.Stats().Dropped); got != b.accepted {
			m.fail("Bound %d: %d ran or were dropped, and %d were accepted", i, got, b.accepted)
		}
	}
	for k, c := range m.keys {
		if c.posted > c.ran {
			m.fail("Latest: value %d of key %d did not run", c.posted, k)
		}
	}
	for i := range m.pulses {
		if m.called[i] > m.pulsed[i] {
			m.fail("pulse %d: called at %d, ran at %d", i, m.called[i], m.pulsed[i])
		}
	}
	if m.rated != m.arrived {
		m.fail("RateLimit: %d of %d ran", m.arrived, m.rated)
	}
}

// Tasks of every shape that submit themselves and each other again, into groups and out of them, are canceled in every
// state, fail, wait for each other, and stand behind every verb that is in front of Post; now and then the scheduler is
// closed in the middle.
func TestRandomProgramsGetWhatIsPromised(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		if bad := playPledge(t, seed); bad != "" {
			t.Fatalf("seed %d: %s", seed, bad)
		}
	}
}
