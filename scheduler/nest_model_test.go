package scheduler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A nestTask is a task of a script: what it does in each of its runs. More than one makes it a coroutine with
// Yield between them.
type nestTask struct {
	id   int
	prio deadline.Priority
	runs [][]nestOp
}

// A nestOp posts a task, or opens a modal loop: slices, each of one task (true) or until nothing is left.
type nestOp struct {
	post   *nestTask
	slices []bool
	fails  bool // the modal loop ends with a panic, which ends the task
}

func drawNestTask(t *rapid.T, id *int, depth int) *nestTask {
	*id++
	n := &nestTask{id: *id, prio: deadline.Idle + deadline.Priority(rapid.IntRange(0, 4).Draw(t, "prio"))}
	for range rapid.IntRange(1, 3).Draw(t, "runs") {
		var ops []nestOp
		for range rapid.IntRange(0, 3).Draw(t, "ops") {
			switch rapid.IntRange(0, 2).Draw(t, "op") {
			case 0:
				ops = append(ops, nestOp{
					slices: rapid.SliceOfN(rapid.Bool(), 1, 3).Draw(t, "slices"),
					fails:  rapid.IntRange(0, 7).Draw(t, "fails") == 0,
				})
			default:
				if depth < 3 && *id < 28 { // so that no modal loops are more than 32 deep
					ops = append(ops, nestOp{post: drawNestTask(t, id, depth+1)})
				}
			}
		}
		n.runs = append(n.runs, ops)
	}
	return n
}

// A nestModel runs a script without a scheduler: a list, and recursion.
type nestModel struct {
	journal
	strict bool // by priority
	inbox  []*nestTask
	wait   []*waiting
	seq    int
}

type waiting struct {
	*nestTask
	seq  int
	next int  // run
	cont bool // it has its old place
}

func (m *nestModel) post(n *nestTask) { m.inbox = append(m.inbox, n) }

// read is what comes before each choice.
func (m *nestModel) read() {
	for _, n := range m.inbox {
		m.seq++
		m.wait = append(m.wait, &waiting{nestTask: n, seq: m.seq})
	}
	m.inbox = nil
}

// before is the order while time stands still. A continuation has its place by submission; under ByPriority it
// goes before its peers.
func (m *nestModel) before(a, b *waiting) bool {
	switch {
	case a.prio != b.prio:
		return a.prio > b.prio
	case m.strict && a.cont != b.cont:
		return a.cont
	}
	return a.seq < b.seq
}

func (m *nestModel) slice(one bool) {
	for m.read(); len(m.wait) > 0; m.read() {
		best := 0
		for i, w := range m.wait {
			if m.before(w, m.wait[best]) {
				best = i
			}
		}
		w := m.wait[best]
		m.wait = slices.Delete(m.wait, best, best+1)
		m.run(w, one)
		if one {
			m.read()
			return
		}
	}
}

func (m *nestModel) run(w *waiting, one bool) {
	m.note("%d.%d", w.id, w.next)
	for _, op := range w.runs[w.next] {
		if op.post != nil {
			m.post(op.post)
			continue
		}
		m.note("(")
		for _, one := range op.slices {
			m.slice(one)
		}
		m.note(")")
		if op.fails {
			return
		}
	}
	if w.next++; w.next < len(w.runs) {
		m.seq++
		if w.cont = !one; m.strict || one {
			w.seq = m.seq // a continuation is the last of them; in a slice without time it goes behind its peers
		}
		m.wait = append(m.wait, w)
	}
}

// play runs a script with a scheduler.
type nestPlay struct {
	journal
	s *scheduler.Scheduler
}

func (p *nestPlay) post(n *nestTask) {
	if len(n.runs) == 1 {
		p.s.Post(n.prio, func() { p.run(n, 0) })
		return
	}
	p.s.Go(n.prio, func(co *scheduler.Co) {
		for i := range n.runs {
			if i > 0 {
				co.Yield()
			}
			p.run(n, i)
		}
	})
}

func (p *nestPlay) run(n *nestTask, i int) {
	p.note("%d.%d", n.id, i)
	for _, op := range n.runs[i] {
		if op.post != nil {
			p.post(op.post)
			continue
		}
		p.note("(")
		p.s.Nest(func() {
			for _, one := range op.slices {
				p.slice(one)
			}
			p.note(")")
			if op.fails {
				panic("failed")
			}
		})
	}
}

func (p *nestPlay) slice(one bool) {
	if one {
		p.s.RunUntil(deadline.In(-1))
	} else {
		p.s.RunUntil(deadline.Deadline{})
	}
}

// TestNestModel: with modal loops anywhere, the order is that of a sorted list and plain recursion.
func TestNestModel(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		t.Run(fmt.Sprint(policy), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				var script []*nestTask
				id := 0
				for range rapid.IntRange(1, 5).Draw(rt, "tasks") {
					script = append(script, drawNestTask(rt, &id, 0))
				}
				want := &nestModel{strict: policy == deadline.ByPriority}
				for _, n := range script {
					want.post(n)
				}
				want.slice(false)
				var got string
				synctest.Test(t, func(*testing.T) {
					o := scheduler.Options{Policy: policy, OnPanic: func(*scheduler.PanicError) {}}
					p := &nestPlay{s: scheduler.New(o)}
					for _, n := range script {
						p.post(n)
					}
					for p.slice(false); ; p.slice(false) {
						if _, ok := p.s.Next(); !ok {
							break
						}
					}
					st := p.s.Stats()
					p.s.Close()
					got = strings.Join(p.journal, " ")
					if n := len(strings.Fields(got)) - 2*strings.Count(got, "("); uint64(n) != st.Ran {
						rt.Errorf("%d runs, and Stats says %d", n, st.Ran)
					}
				})
				if w := strings.Join(want.journal, " "); got != w {
					rt.Fatalf("got  %s\nwant %s", got, w)
				}
			})
		})
	}
}
