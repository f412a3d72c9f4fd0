package scheduler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Random scripts, played on the scheduler and on the naive reference of model_ref_test.go.

// spec is a task of a random script, for both the scheduler and the reference.
type spec struct {
	id      int
	kind    byte // 'f'unc, 's'tep, 'c'oroutine that yields between its steps, 'p'ost
	prio    deadline.Priority
	cost    time.Duration // of a step
	delay   time.Duration
	timeout time.Duration
	steps   int
	acts    []act
	group   int // 0 is none
}

// act is what a step does, or what happens between slices.
type act struct {
	step   int
	op     byte // 's'ubmit, 'c'ancel, 'p'riority; of a group: 'C'ancel, 'P'riority, 'N'otify
	child  *spec
	target int
	prio   deadline.Priority
}

// real is the scheduler under test, driven by the same script.
type real struct {
	s     *scheduler.Scheduler
	now   deadline.Instant
	tasks []canceler
	log   []string

	groups []*scheduler.Group
}

type canceler interface {
	Cancel() bool
	SetPriority(deadline.Priority) bool
}

func (w *real) do(a act) {
	switch a.op {
	case 's':
		c := a.child
		for len(w.tasks) <= c.id {
			w.tasks = append(w.tasks, nil)
		}
		n := 0
		step := func() bool {
			n++
			w.log = append(w.log, fmt.Sprintf("%d.%d at %v", c.id, n, time.Duration(w.now)))
			w.now += deadline.Instant(c.cost)
			for _, a := range c.acts {
				if a.step == n {
					w.do(a)
				}
			}
			return n < c.steps
		}
		if c.kind == 'p' {
			switch g := w.group(c.group); {
			case g != nil:
				w.tasks[c.id] = g.Post(c.prio, func() { step() })
			case c.delay != 0:
				w.tasks[c.id] = w.s.After(c.prio, c.delay, func() { step() })
			default:
				w.tasks[c.id] = w.s.Post(c.prio, func() { step() })
			}
			return
		}
		t := &scheduler.Task{Priority: c.prio, Cost: c.cost, Delay: c.delay, Timeout: c.timeout}
		t.Group = w.group(c.group)
		switch c.kind {
		case 'f':
			t.Func = func() { step() }
		case 's':
			t.Step = step
		case 'c':
			t.Co = func(co *scheduler.Co) {
				defer func() {
					if v := recover(); v != nil {
						w.log = append(w.log, fmt.Sprintf("unwound %d", c.id))
						panic(v)
					}
				}()
				for step() {
					co.Yield()
				}
			}
		}
		w.tasks[c.id] = t
		w.s.Submit(t)
	case 'c':
		ok := a.target < len(w.tasks) && w.tasks[a.target] != nil && w.tasks[a.target].Cancel()
		w.log = append(w.log, fmt.Sprintf("cancel %d: %v", a.target, ok))
	case 'p':
		ok := a.target < len(w.tasks) && w.tasks[a.target] != nil && w.tasks[a.target].SetPriority(a.prio)
		w.log = append(w.log, fmt.Sprintf("priority %d: %v", a.target, ok))
	default:
		w.doGroup(a)
	}
}

func drawSpec(t *rapid.T, ids *int, depth int, policy deadline.Policy) *spec {
	c := &spec{
		id:    *ids,
		kind:  rapid.SampledFrom([]byte("fsscppp")).Draw(t, "kind"),
		prio:  deadline.Priority(rapid.IntRange(-2, 2).Draw(t, "prio")),
		steps: 1,
		group: drawGroup(t),
	}
	*ids++
	delays := []int{0, 0, 0, -1, 1, 5, 20, 300, 6000}
	c.delay = time.Duration(rapid.SampledFrom(delays).Draw(t, "delay")) * ms
	if c.kind == 'p' && c.group != 0 {
		c.delay = 0 // Group has no After
	}
	if c.kind != 'p' {
		c.cost = time.Duration(rapid.SampledFrom([]int{0, 1, 1, 1, 2, 3, 6}).Draw(t, "cost")) * ms
		timeouts := []int{0, 0, 0, -3, 1, 10, 4000}
		c.timeout = time.Duration(rapid.SampledFrom(timeouts).Draw(t, "timeout")) * ms
	}
	if c.kind == 's' || c.kind == 'c' {
		c.steps = rapid.IntRange(1, 4).Draw(t, "steps")
	}
	if depth > 0 {
		for range rapid.IntRange(0, 2).Draw(t, "acts") {
			a := drawAct(t, ids, depth-1, policy)
			a.step = rapid.IntRange(1, c.steps).Draw(t, "step")
			c.acts = append(c.acts, a)
		}
	}
	return c
}

func drawAct(t *rapid.T, ids *int, depth int, policy deadline.Policy) act {
	a := act{op: rapid.SampledFrom([]byte("sssscpccppCPPPPN")).Draw(t, "op")}
	switch a.op {
	case 's':
		a.child = drawSpec(t, ids, depth, policy)
	default:
		a.target = rapid.IntRange(0, max(*ids-1, 0)).Draw(t, "target")
		a.prio = deadline.Priority(rapid.IntRange(-2, 2).Draw(t, "to"))
	}
	return a
}

func TestSchedulerMatchesTheReference(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		t.Run(policy.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { matchReference(t, policy) })
		})
	}
}

func matchReference(t *rapid.T, policy deadline.Policy) {
	o := scheduler.Options{Policy: policy}
	events := watchSome(t, &o)
	w := &real{s: scheduler.New(o), now: 1}
	scheduler.SetClock(w.s, func() deadline.Instant { return w.now })
	defer w.s.Close()
	r := &ref{policy: policy, now: 1}
	ids := 0
	framed := rapid.Bool().Draw(t, "framed")
	for range rapid.IntRange(1, 40).Draw(t, "length") {
		switch rapid.SampledFrom([]string{"act", "act", "act", "slice", "slice", "time"}).Draw(t, "next") {
		case "act":
			a := drawAct(t, &ids, 2, policy)
			w.do(a)
			r.do(a)
		case "time":
			pass := rapid.SampledFrom([]int{1, 10, 250, 5000, 20000}).Draw(t, "pass")
			d := deadline.Instant(pass) * deadline.Instant(ms)
			w.now += d
			r.now += d
		case "slice":
			budget := time.Duration(rapid.SampledFrom([]int{0, 1, 4, 4, 4, 8, 30}).Draw(t, "budget")) * ms
			if framed && rapid.Bool().Draw(t, "begin") {
				w.s.BeginFrame(w.now)
				r.framed, r.begun = true, true
			}
			res := w.s.RunUntil(deadline.At(w.now.Add(budget)))
			r.run(budget)
			if res.Ran != r.ran || res.Expired != r.lateRan || w.now != r.now {
				const format = "slice: %d ran, %d overdue, until %v"
				r.log = append(r.log, fmt.Sprintf(format, r.ran, r.lateRan, r.now))
				w.log = append(w.log, fmt.Sprintf(format, res.Ran, res.Expired, w.now))
			}
		}
		if !slices.Equal(w.log, r.log) {
			t.Fatalf("got:\n  %s\nwant:\n  %s", strings.Join(w.log, "\n  "), strings.Join(r.log, "\n  "))
		}
	}
	st := w.s.Stats()
	ended := 0
	for _, x := range r.tasks {
		if x != nil && x.state == 'e' {
			ended++
		}
	}
	if int(st.Done+st.Canceled) != ended {
		t.Fatalf("%+v: %d tasks have ended", st, ended)
	}
	w.s.Close()
	if err := events.end(); err != nil {
		t.Fatal(err)
	}
}
