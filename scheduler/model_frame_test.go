package scheduler_test

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/scheduler"
)

// The parts of a frame in the scripts: callbacks, microtasks, and frames that begin.

// aFrame is a frame of the host.
type aFrame struct {
	begin  bool
	budget time.Duration
	skips  int  // bits of phases that it does not have
	notes  bool // NotePhase instead of RunPhase
}

func drawFrame(t *rapid.T) aFrame {
	budget := rapid.SampledFrom([]int{0, 1, 4, 4, 4, 8, 30}).Draw(t, "budget")
	f := aFrame{begin: rapid.Bool().Draw(t, "begin"), budget: time.Duration(budget) * ms}
	f.skips = rapid.SampledFrom([]int{0, 0, 0, 1, 2, 4, 6, 7}).Draw(t, "skips")
	f.notes = rapid.IntRange(0, 4).Draw(t, "notes") == 4
	return f
}

// drawFrameAct draws what is to be done in a callback or a microtask.
func drawFrameAct(t *rapid.T, a *act, ids *int, depth int) {
	a.phase = scheduler.Phase(rapid.IntRange(0, scheduler.NumPhases-1).Draw(t, "phase"))
	if a.op == 'o' || a.op == 'e' {
		a.group = drawGroup(t)
	}
	if depth > 0 {
		a.acts = drawActs(t, ids, depth-1)
	}
}

// doFrame is an act: 'o'nce, 'e'ach, 'm'icrotask, 'x' cancels one of these, 'd' requests a drawing.
func (w *real) doFrame(a act) {
	id := len(w.calls)
	if id == mostCalls && (a.op == 'o' || a.op == 'e' || a.op == 'm') {
		return
	}
	call := func() {
		w.log = append(w.log, fmt.Sprintf("call %d at %v", id, time.Duration(w.now)))
		for _, a := range a.acts {
			w.do(a)
		}
	}
	once, each := w.s.Once, w.s.Each
	if g := w.group(a.group); g != nil {
		once, each = g.Once, g.Each
	}
	switch a.op {
	case 'o':
		w.calls = append(w.calls, once(a.phase, call))
	case 'e':
		w.calls = append(w.calls, each(a.phase, call))
	case 'm':
		w.calls = append(w.calls, w.s.Microtask(call))
	case 'x':
		if id > 0 {
			w.log = append(w.log, fmt.Sprintf("cancel call %d: %v", a.target%id, w.calls[a.target%id].Cancel()))
		}
	case 'd':
		w.s.RequestDraw()
	}
}

// Callbacks of Each may register others, and would do so without end.
const mostCalls = 40

func (w *real) frame(f aFrame) {
	if f.begin {
		w.s.BeginFrame(w.now)
	}
	for p := range scheduler.Phase(w.hosted) {
		switch n := 0; {
		case f.skips>>p&1 != 0:
		case f.notes:
			bridge.Of(w.s).NotePhase(p)
		default:
			n = w.s.RunPhase(p)
			w.log = append(w.log, fmt.Sprintf("%v: %d", p, n))
		}
	}
	w.log = append(w.log, fmt.Sprintf("to draw: %v", w.s.DrawRequested()))
	res := w.s.RunUntil(deadline.At(w.now.Add(f.budget)))
	w.log = append(w.log, sliceText(res.Ran, res.Expired, res.Deferred, res.TooBig, res.Used, w.now),
		fmt.Sprintf("to draw: %v, %v", res.Draw, w.s.DrawRequested()))
}

func sliceText(ran, expired, deferred, tooBig int, used time.Duration, now deadline.Instant) string {
	const format = "slice: %d ran, %d overdue, %d deferred, %d too big, %v used, until %v"
	return fmt.Sprintf(format, ran, expired, deferred, tooBig, used, time.Duration(now))
}

// refFrames is what the reference knows of frames.
type refFrames struct {
	hosts  int // phases that the host runs
	hosted [scheduler.NumPhases]bool
	calls  []*refCall    // by id
	lists  [3][]*refCall // in the order of registration
	micros []*refCall
	frames []*refTask // that wait for a frame

	told            [scheduler.NumPhases]bool
	drawSent        bool // the request is in the inbox
	drawAsked       bool
	drawOwed        bool
	draws, drawLate []*refTask // that wait for a drawing: the late ones not for the one that has begun
}

type refCall struct {
	act
	id     int
	state  byte // 'n'ew, 'w'aits, 'r'uns, 'e'nded
	cancel bool
	gone   bool // of a callback of Once: it was cancelled, and neither that is read nor has its phase passed it
	within *refGroup
}

func (r *ref) doFrame(a act) {
	c := &refCall{act: a, id: len(r.calls), state: 'n', within: r.group(a.group)}
	if c.id == mostCalls && (a.op == 'o' || a.op == 'e' || a.op == 'm') {
		return
	}
	switch a.op {
	case 'o', 'e':
		r.calls = append(r.calls, c)
		if c.within.isCanceled() {
			c.state = 'e'
		}
		r.inbox = append(r.inbox, func() {
			if c.state == 'n' {
				c.state = 'w'
				r.lists[c.phase] = append(r.lists[c.phase], c)
				r.join(c, c.within)
				if c.within.isCanceled() {
					r.cancelCall(c)
					r.again = true
				}
			}
		})
	case 'm':
		c.state = 'w'
		r.calls, r.micros = append(r.calls, c), append(r.micros, c)
	case 'x':
		if c.id > 0 {
			c = r.calls[a.target%c.id]
			r.log = append(r.log, fmt.Sprintf("cancel call %d: %v", c.id, r.cancelCall(c)))
		}
	case 'd':
		if !r.drawSent {
			r.drawSent = true
			r.inbox = append(r.inbox, func() { r.drawSent, r.drawAsked = false, true })
		}
	}
}

func (r *ref) cancelCall(c *refCall) bool {
	switch {
	case c.state == 'e' || c.cancel || c.state == 'r' && c.op != 'e':
		return false
	case c.state == 'r':
		c.cancel = true
		return true
	case c.state == 'w':
		c.gone = c.op == 'o'
		r.inbox = append(r.inbox, func() { // which reports it
			c.gone = false
			r.part(c, c.within)
		})
	}
	r.leave(c)
	return true
}

// leave ends a callback.
func (r *ref) leave(c *refCall) {
	c.state = 'e'
	is := func(x *refCall) bool { return x == c }
	r.lists[c.phase] = slices.DeleteFunc(r.lists[c.phase], is)
	r.micros = slices.DeleteFunc(r.micros, is)
}

// runCall runs a callback or microtask.
func (r *ref) runCall(c *refCall) {
	r.log = append(r.log, fmt.Sprintf("call %d at %v", c.id, time.Duration(r.now)))
	if c.op != 'e' {
		r.leave(c)
	}
	c.state = 'r'
	for _, a := range c.acts {
		r.do(a)
	}
	if c.state = 'w'; c.op != 'e' || c.cancel {
		r.leave(c)
		r.part(c, c.within)
	}
}

func (r *ref) runMicros() {
	for len(r.micros) > 0 {
		r.runCall(r.micros[0])
	}
}

// runPhase runs what is registered now, in the order of registration, each once.
func (r *ref) runPhase(p scheduler.Phase) (n int) {
	if p == scheduler.AfterDraw {
		r.drawn()
	}
	var left []*refCall
	for _, c := range r.lists[p] {
		if c.state == 'w' {
			left = append(left, c)
		}
	}
	for r.runMicros(); len(left) > 0; r.runMicros() {
		c := left[0]
		left = left[1:]
		switch {
		case c.state != 'w': // it was cancelled
			c.gone = false
		case c.within.stopped() != nil: // it stays in its place
		case c.within.isCanceled():
			r.cancelCall(c)
			c.gone = false
			r.part(c, c.within)
		default:
			n++
			r.runCall(c)
		}
	}
	return n
}

// unhostedPhases runs the phases that the host does not run. They look at the inbox, and so do the others.
func (r *ref) unhostedPhases() {
	for _, p := range scheduler.Phases() {
		r.drain()
		if !r.hosted[p] && r.hasPhase(p) {
			r.runPhase(p)
		}
	}
}

func (r *ref) hasPhase(p scheduler.Phase) bool {
	return slices.ContainsFunc(r.lists[p], func(c *refCall) bool { return c.state == 'w' }) ||
		p == scheduler.AfterDraw && len(r.draws)+len(r.drawLate) > 0
}

// absorb ends the requests for the drawing that p is about (S17).
func (r *ref) absorb(p scheduler.Phase) {
	r.told[p] = true
	switch {
	case p == scheduler.BeforeDraw:
		r.drawAsked, r.drawOwed = false, true
		r.draws, r.drawLate = append(r.draws, r.drawLate...), nil
	case p == scheduler.AfterDraw:
		r.drawAsked = r.drawAsked && r.told[scheduler.BeforeDraw]
	}
}

// drawn wakes those that wait for the drawing which has ended.
func (r *ref) drawn() {
	if r.told[scheduler.BeforeDraw] && !r.drawOwed {
		return
	}
	r.wake(r.draws)
	r.draws, r.drawLate = r.drawLate, nil
	r.drawOwed = false
}

func (r *ref) frame(f aFrame) {
	if f.begin {
		r.framed, r.begun = true, true
		r.forgetPaces()
		r.drawAsked = r.drawAsked && (r.told[scheduler.BeforeDraw] || r.told[scheduler.AfterDraw])
		r.releaseFrames()
	}
	for p := range scheduler.Phase(r.hosts) {
		switch {
		case f.skips>>p&1 != 0:
		case f.notes:
			r.drain()
			r.absorb(p)
		default:
			r.hosted[p] = true
			r.drain()
			n := 0
			if r.absorb(p); r.hasPhase(p) || len(r.micros) > 0 {
				n = r.runPhase(p)
			}
			r.log = append(r.log, fmt.Sprintf("%v: %d", p, n))
		}
	}
	r.log = append(r.log, fmt.Sprintf("to draw: %v", r.drawRequested()))
	r.run(f.budget)
	r.log = append(r.log, sliceText(r.ran, r.overdueRan, r.passed, r.tooBig, r.now.Sub(r.start), r.now),
		fmt.Sprintf("to draw: %v, %v", r.drawAsked, r.drawRequested()))
}

func (r *ref) drawRequested() bool {
	once := func(c *refCall) bool { return c.op == 'o' && (c.state == 'w' || c.gone) && c.within.stopped() == nil }
	return r.drawAsked || r.drawSent || len(r.frames)+len(r.draws)+len(r.drawLate) > 0 ||
		slices.ContainsFunc(r.calls, once)
}

// frameWaits reports whether something waits for a frame or for the end of a run.
func (r *ref) frameWaits() bool {
	return r.drawRequested() || len(r.micros) > 0
}
