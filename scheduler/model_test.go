package scheduler_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

// Random scripts, played on the scheduler and on the naive reference of model_ref_test.go.

// spec is a task of a random script, for both the scheduler and the reference.
type spec struct {
	id      int
	kind    byte // 'f'unc, 's'tep, 'c'oroutine that yields between its steps, 't'icks of a period, 'p'ost
	prio    deadline.Priority
	cost    time.Duration // of a step
	delay   time.Duration
	timeout time.Duration
	steps   int
	pause   time.Duration // of a coroutine after a step: 0 is Yield, -1 NextFrame, -2 AfterDraw, else it sleeps
	period  time.Duration
	acts    []act
	group   int // 0 is none
}

// act is what a step does, or what happens between slices.
type act struct {
	step   int
	op     byte // 's'ubmit, 'a'gain, 'c'ancel, 'p'riority, 'J' takes the jump out; see doGroup and doFrame
	child  *spec
	target int
	prio   deadline.Priority
	speed  float64

	phase scheduler.Phase
	group int   // of a callback
	acts  []act // of a callback or microtask
}

// real is the scheduler under test, driven by the same script.
type real struct {
	s     *scheduler.Scheduler
	now   deadline.Instant
	jump  time.Duration // of the clock, which no Shift has taken out
	tasks []canceler
	log   []string

	groups []*scheduler.Group
	calls  []scheduler.Handle // by id
	hosted int                // how many phases the host runs
	agains agains
}

type canceler interface {
	Cancel() bool
	SetPriority(deadline.Priority) bool
	State() scheduler.State
}

// agains counts how often each task was to be submitted again. What submits itself in its run would do so without end.
type agains map[int]int

func (n agains) more(id int) bool {
	n[id]++
	return n[id] <= 3
}

func (w *real) do(a act) {
	switch a.op {
	case 's':
		c := a.child
		for len(w.tasks) <= c.id {
			w.tasks = append(w.tasks, nil)
		}
		if x := w.tasks[c.id]; x != nil && x.State() != scheduler.Unsubmitted && x.State() < scheduler.Done {
			return // a callback that runs again, before its task has ended
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
			t.Func = func() { n = 0; step() }
		case 't':
			t.Label, t.Period = "ticks", c.period
			t.Func = func() {
				if !step() {
					t.Period = 0
				}
			}
		case 's':
			var done <-chan struct{}
			t.Step = func() bool {
				if done == nil || isDone(done) {
					n, done = 0, t.Done() // another generation
				}
				return step()
			}
		case 'c':
			t.Co = func(co *scheduler.Co) {
				defer func() {
					if v := recover(); v != nil {
						w.log = append(w.log, fmt.Sprintf("unwound %d", c.id))
						panic(v)
					}
				}()
				for n = 0; step(); {
					switch c.pause {
					case -1:
						co.NextFrame()
					case -2:
						co.AfterDraw()
					default:
						co.Sleep(c.pause) // of zero is Yield
					}
				}
			}
		}
		w.tasks[c.id] = t
		w.s.Submit(t)
	case 'a':
		if a.target >= len(w.tasks) {
			return
		}
		if t, ok := w.tasks[a.target].(*scheduler.Task); ok && t.Label != "ticks" && w.agains.more(a.target) {
			_ = testkit.PanicOf(func() { w.s.Submit(t) }) // if it waits
		}
	case 'c':
		ok := a.target < len(w.tasks) && w.tasks[a.target] != nil && w.tasks[a.target].Cancel()
		w.log = append(w.log, fmt.Sprintf("cancel %d: %v", a.target, ok))
	case 'p':
		ok := a.target < len(w.tasks) && w.tasks[a.target] != nil && w.tasks[a.target].SetPriority(a.prio)
		w.log = append(w.log, fmt.Sprintf("priority %d: %v", a.target, ok))
	case 'J':
		if w.jump != 0 {
			w.s.Shift(w.jump)
		}
		w.jump = 0
	case 'C', 'P', 'N', 'Z', 'R', 'V':
		w.doGroup(a)
	default:
		w.doFrame(a)
	}
}

func drawSpec(t *rapid.T, ids *int, depth int) *spec {
	c := &spec{
		id:    *ids,
		kind:  rapid.SampledFrom([]byte("fsscpppt")).Draw(t, "kind"),
		prio:  drawPriority(t),
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
		timeouts := []time.Duration{0, 0, 0, -3 * ms, ms, 10 * ms, 4 * time.Second, refForever}
		c.timeout = rapid.SampledFrom(timeouts).Draw(t, "timeout")
	}
	if c.kind != 'f' && c.kind != 'p' {
		c.steps = rapid.IntRange(1, 4).Draw(t, "steps")
	}
	if c.kind == 't' {
		c.period = rapid.SampledFrom([]time.Duration{ms, 3 * ms, 20 * ms}).Draw(t, "period")
	}
	if c.kind == 'c' {
		c.pause = rapid.SampledFrom([]time.Duration{0, 0, 0, -1, -1, -2, -2, ms, 5 * ms}).Draw(t, "pause")
	}
	if depth > 0 {
		c.acts = drawActs(t, ids, depth-1)
		for i := range c.acts {
			c.acts[i].step = rapid.IntRange(1, c.steps).Draw(t, "step")
		}
	}
	return c
}

func drawPriority(t *rapid.T) deadline.Priority {
	all := deadline.Priorities()
	return rapid.SampledFrom(all[:]).Draw(t, "priority")
}

func drawActs(t *rapid.T, ids *int, depth int) (acts []act) {
	for range rapid.IntRange(0, 2).Draw(t, "acts") {
		acts = append(acts, drawAct(t, ids, depth, "sssscccpppaaCPPPNZRVoemxd"))
	}
	return acts
}

// drawAct draws one of ops.
func drawAct(t *rapid.T, ids *int, depth int, ops string) act {
	a := act{op: rapid.SampledFrom([]byte(ops)).Draw(t, "op")}
	switch a.op {
	case 's':
		a.child = drawSpec(t, ids, depth)
	case 'o', 'e', 'm':
		drawFrameAct(t, &a, ids, depth)
	default:
		a.target = rapid.IntRange(0, max(*ids-1, 0)).Draw(t, "target")
		a.prio = drawPriority(t)
		if a.op == 'V' {
			a.speed = rapid.SampledFrom([]float64{0, 0.25, 0.5, 1, 1, 2, 8}).Draw(t, "speed")
		}
	}
	return a
}

func TestSchedulerMatchesTheReference(t *testing.T) {
	for name, byPriority := range map[string]bool{ // scripts/model.sh has the names
		"ByExpiration": false, "ByPriority": true,
	} {
		t.Run(name, func(t *testing.T) {
			passes := 50 // a second: what is rare is found by thousands of scripts
			if testing.Short() || race.Enabled {
				passes = 10
			}
			if flag.Lookup("rapid.checks").Value.String() != "100" {
				passes = 1 // somebody has said how many
			}
			for range passes {
				rapid.Check(t, func(t *rapid.T) { matchReference(t, byPriority) })
			}
		})
	}
}

func matchReference(t *rapid.T, byPriority bool) {
	o := scheduler.Options{ByPriority: byPriority}
	share := rapid.SampledFrom([]float64{0.5, 0.5, 0, 0.25, 1}).Draw(t, "share")
	patience := rapid.SampledFrom([]int{3, 3, 1, 5}).Draw(t, "patience")
	o.Timeouts.Idle = rapid.SampledFrom([]time.Duration{0, 10 * time.Second}).Draw(t, "idle")
	events := watchSome(t, &o)
	w := &real{s: scheduler.New(o), now: 1, agains: agains{}}
	scheduler.SetClock(w.s, func() deadline.Instant { return w.now })
	defer w.s.Close()
	scheduler.SetShare(w.s, share)
	scheduler.SetPatience(w.s, patience)
	r := newRef(o, share, patience)
	ids := 0
	framed := rapid.Bool().Draw(t, "framed")
	w.hosted = rapid.SampledFrom([]int{0, 0, 1, scheduler.NumPhases}).Draw(t, "hosted")
	r.hosts = w.hosted
	for range rapid.IntRange(1, 40).Draw(t, "length") {
		switch rapid.SampledFrom([]string{"act", "act", "act", "slice", "slice", "time"}).Draw(t, "next") {
		case "act":
			a := drawAct(t, &ids, 2, "sssssscccpppaaCPPPNZZRRVVoemxd")
			w.do(a)
			r.do(a)
		case "time":
			pass := rapid.SampledFrom([]int{1, 10, 250, 5000, 20000}).Draw(t, "pass")
			d := time.Duration(pass) * ms
			w.now, r.now = w.now.Add(d), r.now.Add(d)
			if rapid.IntRange(0, 2).Draw(t, "shift") == 2 {
				w.jump, r.jump = d, d
				if rapid.Bool().Draw(t, "Next before the shift") {
					logNext(w, r)
				}
				for range rapid.IntRange(0, 4).Draw(t, "acts before the shift") {
					a := drawAct(t, &ids, 0, "sZRRVV")
					w.do(a)
					r.do(a)
					pass := time.Duration(rapid.IntRange(0, 2).Draw(t, "pass before the shift")) * ms
					w.now, r.now = w.now.Add(pass), r.now.Add(pass)
				}
				shifts := rapid.Bool().Draw(t, "a task shifts")
				if shifts {
					c := &spec{id: ids, kind: 'f', prio: drawPriority(t), steps: 1, acts: []act{{step: 1, op: 'J'}}}
					ids++
					w.do(act{op: 's', child: c})
					r.do(act{op: 's', child: c})
				}
				if shifts || rapid.Bool().Draw(t, "slice before the shift") {
					f := drawFrame(t)
					f.begin = f.begin && framed
					w.frame(f)
					r.frame(f)
				}
				w.do(act{op: 'J'})
				r.do(act{op: 'J'})
			}
		case "slice":
			f := drawFrame(t)
			f.begin = f.begin && framed
			w.frame(f)
			r.frame(f)
		}
		logNext(w, r)
		for i := range min(len(w.groups), len(r.groups)) {
			w.log = append(w.log, fmt.Sprintf("group %d at %v", i, time.Duration(w.groups[i].Now())))
			r.log = append(r.log, fmt.Sprintf("group %d at %v", i, time.Duration(r.timeOf(r.groups[i], r.now))))
		}
		if !slices.Equal(w.log, r.log) {
			t.Fatalf("got:\n  %s\nwant:\n  %s", strings.Join(w.log, "\n  "), strings.Join(r.log, "\n  "))
		}
	}
	for id, x := range r.tasks {
		if task, ok := w.tasks[id].(*scheduler.Task); ok && (task.State() != x.outcome() || task.Missed() != x.missed) {
			const format = "%d is %v and has missed %d, want %v and %d\n  %s"
			t.Fatalf(format, id, task.State(), task.Missed(), x.outcome(), x.missed, strings.Join(w.log, "\n  "))
		}
	}
	w.s.Close()
	if err := events.end(); err != nil {
		t.Fatal(err)
	}
}

// logNext asks both when there is something to do.
func logNext(w *real, r *ref) {
	at, ok := w.s.Next()
	w.log = append(w.log, fmt.Sprintf("next: %v %v", time.Duration(max(at, w.now)), ok))
	at, ok = r.nextWork()
	r.log = append(r.log, fmt.Sprintf("next: %v %v", time.Duration(max(at, r.now)), ok))
}

// FuzzSchedulerMatchesTheReference is TestSchedulerMatchesTheReference with scripts that are drawn from what reached
// new code before.
func FuzzSchedulerMatchesTheReference(f *testing.F) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, 4000) // what rapid draws from, 8 at a time; beyond them a script ends
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(seed%2 == 0, data)
	}
	f.Fuzz(func(t *testing.T, byPriority bool, data []byte) {
		rapid.MakeFuzz(func(t *rapid.T) { matchReference(t, byPriority) })(t, data)
	})
}
