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
	op     byte // 's'ubmit, 'c'ancel, 'p'riority; of a group: 'C'ancel, 'P'riority, 'W'eight, 'N'otify
	child  *spec
	target int
	prio   deadline.Priority
}

// The reference: a list that is searched from end to end for every decision.
type ref struct {
	policy  deadline.Policy
	now     deadline.Instant
	seq     int
	tasks   []*refTask // by id
	inbox   []func()
	forced  []*refTask
	log     []string
	slice   int
	framed  bool
	begun   bool
	until   deadline.Instant
	length  time.Duration
	fresh   bool
	ran     int
	passed  int
	lateRan int
	late    time.Duration
	forcedN bool

	// See model_group_test.go.
	groups   []*refGroup
	busy     []*refGroup
	again    bool
	common   [deadline.NumPriorities]time.Duration
	unit     time.Duration
	grace    time.Duration
	owe      [2]time.Duration
	owing    [2]bool
	owed     *refTask
	owedUsed time.Duration
}

type refTask struct {
	*spec
	cur, want  deadline.Priority
	plain      bool
	start, exp deadline.Instant
	seq        int
	cont       bool
	state      byte // 'n'ew, 'q'ueued, 'r'unning, 'e'nded
	passed     bool
	passedAt   int
	skips      int
	done       int // steps
	cancel     bool
	linked     bool
	wants      bool
	unwind     bool
	slice      int
	used       time.Duration
	group      *refGroup
	stamp      int
}

var refTimeouts = deadline.Timeouts{}

const refForever = time.Duration(1 << 61)

func (r *ref) push(t *refTask, p deadline.Priority, delay time.Duration) {
	r.seq++
	timeout := t.timeout
	if timeout == 0 || t.plain || t.unwind {
		timeout = min(refTimeouts.Of(p), refForever)
	}
	t.cur, t.seq, t.cont, t.state, t.passed = p, r.seq, false, 'q', false
	t.start = r.now.Add(delay)
	t.exp = t.start.Add(timeout)
}

func (r *ref) do(a act) {
	switch a.op {
	case 's':
		t := &refTask{spec: a.child, state: 'n', cur: a.child.prio, group: r.group(a.child.group)}
		if t.group != nil && t.group.canceled {
			t.state = 'e'
		}
		for len(r.tasks) <= t.id {
			r.tasks = append(r.tasks, nil)
		}
		r.tasks[t.id] = t
		due := r.now.Add(t.delay) // a delay counts from the submission
		r.inbox = append(r.inbox, func() {
			if t.state == 'n' {
				delay := time.Duration(0)
				if t.delay > 0 {
					delay = due.Sub(r.now)
				}
				t.plain = t.cur != t.prio
				r.join(t)
				r.push(t, t.cur, delay)
				if t.group != nil && t.group.canceled {
					r.cancel(t)
					r.again = true
				}
			}
		})
	case 'c':
		t := r.task(a.target)
		ok := t != nil && r.cancel(t)
		r.log = append(r.log, fmt.Sprintf("cancel %d: %v", a.target, ok))
	case 'p':
		t := r.task(a.target)
		ok := t != nil && t.state != 'e'
		if ok && t.state == 'n' {
			t.cur = a.prio
		} else if ok {
			t.want, t.wants = a.prio, true
			r.message(t)
		}
		r.log = append(r.log, fmt.Sprintf("priority %d: %v", a.target, ok))
	default:
		r.doGroup(a)
	}
}

func (r *ref) cancel(t *refTask) (ok bool) {
	switch {
	case t.cancel || t.state == 'e':
	case t.state == 'r':
		ok = t.kind == 's' || t.kind == 'c'
		t.cancel = ok
	case t.kind == 'c' && t.done > 0:
		ok, t.cancel = true, true
		r.message(t)
	default:
		ok = true
		if t.state != 'n' {
			r.message(t)
		}
		r.end(t)
	}
	return ok
}

// message puts t into the inbox; what is asked of it until the inbox is read is one message, at the place
// of the first.
func (r *ref) message(t *refTask) {
	if t.linked {
		return
	}
	t.linked = true
	r.inbox = append(r.inbox, func() {
		t.linked = false
		if t.cancel {
			r.unwind(t)
		} else if t.wants {
			r.catchUp(t)
			r.setPriority(t, t.want)
		}
		if t.wants = false; t.state == 'e' {
			r.part(t)
		}
	})
}

func (r *ref) unwind(t *refTask) {
	if t.state == 'q' && !t.unwind {
		r.unforce(t)
		t.unwind = true
		r.push(t, deadline.Immediate, 0)
	}
}

func (r *ref) setPriority(t *refTask, p deadline.Priority) {
	switch {
	case t.state == 'e':
	case p != t.cur:
		t.cur, t.plain = p, true
		t.exp = t.start.Add(min(refTimeouts.Of(p), refForever))
	}
}

func (r *ref) task(id int) *refTask {
	if id >= len(r.tasks) {
		return nil
	}
	return r.tasks[id]
}

func (r *ref) end(t *refTask) {
	t.state = 'e'
	r.unforce(t)
}

func (r *ref) unforce(t *refTask) {
	if i := slices.Index(r.forced, t); i >= 0 {
		r.forced = slices.Delete(r.forced, i, i+1)
		t.skips = 0
	}
}

func (r *ref) overdue(t *refTask) bool {
	return t.cur != deadline.Immediate && t.exp <= r.now && t.exp.Sub(t.start) < refForever
}

func byExpiration(a, b *refTask) bool { return a.exp < b.exp || a.exp == b.exp && a.seq < b.seq }

func byPriority(a, b *refTask) bool {
	switch {
	case a.cur != b.cur:
		return a.cur > b.cur
	case a.cont != b.cont:
		return a.cont
	case a.cont || a.start == b.start:
		return a.seq < b.seq
	}
	return a.start < b.start
}

// least returns the first ready task by the order among those that are wanted.
func (r *ref) least(before func(a, b *refTask) bool, want func(*refTask) bool) (first *refTask) {
	for _, t := range r.tasks {
		if t != nil && t.state == 'q' && !t.passed && (t.start <= r.now || t.cont) && want(t) {
			if first == nil || before(t, first) {
				first = t
			}
		}
	}
	return first
}

func all(*refTask) bool { return true }

// expired reports whether t is seen to be overdue. Under ByPriority a continuation hides those behind it.
func (r *ref) expired(t *refTask) bool {
	if r.policy == deadline.ByPriority && t.cont {
		first := r.least(byPriority, func(x *refTask) bool { return x.cont && x.cur == t.cur })
		if first != t {
			return false
		}
	}
	return t.exp <= r.now && t.exp.Sub(t.start) < refForever
}

func (r *ref) candidate() *refTask {
	if len(r.forced) > 0 && r.fresh && r.ran <= 1 && !r.forcedN {
		if r.ran == 1 || r.least(byExpiration, r.expired) == nil {
			return r.forced[0]
		}
	}
	if r.policy == deadline.ByPriority && r.ran == 0 {
		if t := r.least(byExpiration, r.expired); t != nil {
			return t
		}
	}
	t := r.first(all)
	if x := r.owedTo(t); x != nil {
		return x
	}
	if r.policy == deadline.ByExpiration && t != nil && r.late >= r.length/2 && r.lateRan > 0 && r.overdue(t) {
		f := r.least(byExpiration, func(t *refTask) bool {
			return !r.overdue(t) && t.exp.Sub(t.start) < refForever
		})
		if f != nil {
			t = f
		}
	}
	return r.shared(t)
}

func (r *ref) fits(t *refTask) bool {
	left := r.until.Sub(r.now)
	return left <= 0 || t.unwind || t.cost <= left
}

func (r *ref) pick() *refTask {
	r.owed = nil
	for {
		r.drain()
		if r.ran > 0 && r.now >= r.until {
			return nil
		}
		if t := r.choose(); t != nil || len(r.inbox) == 0 || r.now >= r.until {
			return t
		}
	}
}

func (r *ref) choose() *refTask {
	t := r.candidate()
	first := t
	for t != nil && !r.fits(t) {
		forced := len(r.forced) > 0 && r.forced[0] == t && r.fresh && r.ran <= 1 && !r.forcedN
		if r.ran == 0 && r.overdue(t) || forced {
			return t
		}
		if r.passed == scheduler.PassLimit {
			t = nil
			break
		}
		t.passed, t.passedAt = true, r.passed
		r.passed++
		t = r.candidate()
	}
	if t == nil && r.ran == 0 {
		return first
	}
	return t
}

func (r *ref) run(budget time.Duration) {
	r.slice++
	r.until, r.length = r.now.Add(budget), max(budget, 0)
	r.fresh = r.begun || !r.framed
	r.begun, r.ran, r.passed, r.lateRan, r.late, r.forcedN = false, 0, 0, 0, 0, false
	r.owing, r.owedUsed = [2]bool{r.owe[0] >= 0, r.owe[1] >= 0}, 0
	start := r.now
	if r.fresh {
		for range 3 { // the phases look at the inbox too
			r.drain()
		}
	}
	for t := r.pick(); t != nil; t = r.pick() {
		owed, shared, prio := t == r.owed, r.isShared(t), t.cur
		r.forcedN = r.forcedN || len(r.forced) > 0 && r.forced[0] == t
		r.unforce(t)
		late := r.overdue(t)
		r.ran++
		if late {
			r.lateRan++
		}
		t.passed = false
		begin := r.now
		r.step(t)
		cost := r.now.Sub(begin)
		r.pay(t, owed, shared, prio, cost)
		if late {
			r.late += cost
		}
		t.skips = 0
		if t.slice != r.slice {
			t.slice, t.used = r.slice, 0
		}
		t.used += cost
		r.after(t)
	}
	var passed []*refTask
	for _, t := range r.tasks {
		if t != nil && t.passed {
			t.passed = false
			if t.state == 'q' {
				passed = append(passed, t)
			}
		}
	}
	slices.SortFunc(passed, func(a, b *refTask) int { return a.passedAt - b.passedAt })
	for _, t := range passed {
		if r.fresh && t.skips < 3 {
			if t.skips++; t.skips == 3 {
				r.forced = append(r.forced, t)
			}
		}
	}
	r.starve(r.now.Sub(start))
}

func (r *ref) step(t *refTask) {
	t.state = 'r'
	if t.unwind {
		r.log = append(r.log, fmt.Sprintf("unwound %d", t.id))
		return
	}
	t.done++
	r.log = append(r.log, fmt.Sprintf("%d.%d at %v", t.id, t.done, time.Duration(r.now)))
	r.now += deadline.Instant(t.cost)
	for _, a := range t.acts {
		if a.step == t.done {
			r.do(a)
		}
	}
}

func (r *ref) after(t *refTask) {
	switch {
	case t.kind == 'c' && t.cancel && t.done < t.steps && !t.unwind:
		r.log = append(r.log, fmt.Sprintf("unwound %d", t.id))
		fallthrough
	case t.unwind || t.cancel || t.done == t.steps:
		r.end(t)
		r.part(t)
	case t.used < r.length/2:
		t.state = 'q'
		if r.policy == deadline.ByPriority {
			r.seq++
			t.seq, t.cont = r.seq, true
		}
	default:
		t.used = 0
		r.catchUp(t)
		r.push(t, t.cur, 0)
	}
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
			if g := w.group(c.group); g != nil {
				w.tasks[c.id] = g.Post(c.prio, func() { step() })
			} else {
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
		kind:  rapid.SampledFrom([]byte("fsscp")).Draw(t, "kind"),
		prio:  deadline.Priority(rapid.IntRange(-2, 2).Draw(t, "prio")),
		steps: 1,
		group: drawGroup(t),
	}
	*ids++
	if c.kind != 'p' {
		c.cost = time.Duration(rapid.SampledFrom([]int{0, 1, 1, 1, 2, 3, 6}).Draw(t, "cost")) * ms
		delays := []int{0, 0, 0, -1, 1, 5, 20, 300, 6000}
		c.delay = time.Duration(rapid.SampledFrom(delays).Draw(t, "delay")) * ms
		if policy == deadline.ByExpiration {
			timeouts := []int{0, 0, 0, -3, 1, 10, 4000}
			c.timeout = time.Duration(rapid.SampledFrom(timeouts).Draw(t, "timeout")) * ms
		}
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
	a := act{op: rapid.SampledFrom([]byte("sssscpcpCPWPWN")).Draw(t, "op")}
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
	r := &ref{policy: policy, now: 1, grace: 10 * ms}
	r.owe = [2]time.Duration{-r.grace, -r.grace}
	scheduler.SetGrace(w.s, r.grace)
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
