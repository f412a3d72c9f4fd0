package workers

import (
	"slices"
	"strings"
	"sync"

	"github.com/frameslice/frameslice/internal/where"
)

// A waitTable knows which job waits for what, if Options.FindCycles is set. It is for development: a lock, and
// some µs for each wait within a job.
//
// A wait is entered before the waiting goroutine sleeps, or runs what it waits for, under the one lock under
// which the table is searched: so the last of those who wait in a circle finds all the others. Who waits is the
// job that the goroutine runs, found by the goroutine's number: of a worker, or of a coroutine or goroutine on
// which a job runs that is not on a worker, which is in runs meanwhile. A wait in the body of a loop or in a node
// of a graph counts as one of the job that called ParallelFor or Run, on a helper too, but not in a node that is bound
// to a worker; nor does one on a goroutine that a job has started.
//
// A job on whose stack another one runs, because it yields or waits, waits for that one, unless that stands aside.
type waitTable struct {
	mu    sync.Mutex
	waits map[*Job][]*waitFor    // several in the parts of a loop
	runs  map[uintptr]runningJob // by goroutine, where that is not a worker's, or is a helper's
}

// A waitFor is what a job waits for: another, or all of a scope; with the waiting job's name.
type waitFor struct {
	job   *Job
	scope *Scope
	name  string
	onTop bool // as it runs on top of it
}

type runningJob struct {
	job  *Job
	name string
}

func newWaitTable(o Options) *waitTable {
	if !o.FindCycles {
		return nil
	}
	return &waitTable{waits: map[*Job][]*waitFor{}, runs: map[uintptr]runningJob{}}
}

// A waitMark is what leaveWait takes back.
type waitMark struct {
	job *Job // nil: nothing
	to  *waitFor
}

// enterWait notes that the job of the calling goroutine, if it is one's, is going to wait. It panics if that
// closes a circle.
func (p *Pool) enterWait(to waitFor) waitMark {
	cur := p.current()
	if cur.job == nil {
		return waitMark{}
	}
	var aside *Job
	if w := p.workerHere(); w != nil {
		if h, j := w.stopOver(to); j != nil {
			aside = h.w.cur.job()
		}
	}
	t := p.cycles
	t.mu.Lock()
	defer t.mu.Unlock()
	if path, closed := t.path(to, cur.job, search{map[*Job]bool{}, aside}); closed {
		path = append([]string{cur.name}, append(path, cur.name)...)
		panic("workers: jobs wait for one another in a circle: " + strings.Join(path, " -> "))
	}
	return t.enter(cur, to)
}

// enter notes that cur waits. The lock is held.
func (t *waitTable) enter(cur runningJob, to waitFor) waitMark {
	to.name = cur.name
	t.waits[cur.job] = append(t.waits[cur.job], &to)
	return waitMark{cur.job, &to}
}

// bury notes that the job of that goroutine does not go on before the other one, which runs on top of it.
func (p *Pool) bury(id uintptr, top *Job) waitMark {
	cur := p.runningOn(id)
	if cur.job == nil || top == nil {
		return waitMark{}
	}
	t := p.cycles
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.enter(cur, waitFor{job: top, onTop: true})
}

func (p *Pool) leaveWait(m waitMark) {
	if m.job == nil {
		return
	}
	t := p.cycles
	t.mu.Lock()
	defer t.mu.Unlock()
	left := t.waits[m.job]
	at := slices.Index(left, m.to)
	if t.waits[m.job] = slices.Delete(left, at, at+1); len(left) == 1 {
		delete(t.waits, m.job)
	}
}

// A search is one for a circle.
type search struct {
	seen  map[*Job]bool
	aside *Job // stands aside for this wait, or nil: so who is beneath it does not wait for it
}

// path looks for the job end, following what waits for what, and returns the names in between.
func (t *waitTable) path(to waitFor, end *Job, s search) (names []string, found bool) {
	if to.scope != nil {
		if k, ok := end.exec.(*scopeJob); ok && k.scope == to.scope {
			return nil, true
		}
		for j := range t.waits {
			if k, ok := j.exec.(*scopeJob); ok && k.scope == to.scope {
				if names, found = t.path(waitFor{job: j}, end, s); found {
					return names, true
				}
			}
		}
		return nil, false
	}
	// Without recursion where a job waits for one, as a chain of Then may be long.
	for j := to.job; j != end; {
		if j == nil || s.seen[j] {
			return nil, false
		}
		s.seen[j] = true
		waits := t.waits[j]
		switch k, follows := j.exec.(follower); {
		case len(waits) == 1 && waits[0].scope == nil && !waits[0].onTop:
			names = append(names, waits[0].name)
			j = waits[0].job
			continue
		case len(waits) == 0 && follows:
			j = k.source()
			continue
		}
		for _, next := range waits {
			if next.onTop && next.job == s.aside {
				continue
			}
			if more, found := t.path(*next, end, s); found {
				return append(append(names, next.name), more...), true
			}
		}
		return nil, false
	}
	return names, true
}

// current returns the job that the calling goroutine runs, if it is known.
func (p *Pool) current() runningJob { return p.runningOn(where.ID()) }

// runningOn is current for another goroutine, which is where a worker is.
func (p *Pool) runningOn(id uintptr) runningJob {
	t := p.cycles
	t.mu.Lock()
	cur, here := t.runs[id]
	t.mu.Unlock()
	if here {
		return cur
	}
	for i := range p.crews {
		c := &p.crews[i]
		for k := range c.used.Load() {
			if w := c.slots[k].Load(); w != nil && w.goid.Load() == id { // this goroutine's own
				return runningJob{w.cur.job(), w.shown.name()}
			}
		}
	}
	return runningJob{}
}

// runsHere notes that the calling goroutine, which is not a worker's, runs it, until the result is called.
func (p *Pool) runsHere(it item) (ended func()) {
	key, entry := p.kinds.key(it)
	return p.runsAs(runningJob{it.job(), p.kinds.intern(key, entry, it).name()})
}

// runsAs is runsHere for a part of that job.
func (p *Pool) runsAs(cur runningJob) (ended func()) {
	id := where.ID()
	t := p.cycles
	t.mu.Lock()
	defer t.mu.Unlock()
	before, outer := t.runs[id]
	t.runs[id] = cur
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if delete(t.runs, id); outer {
			t.runs[id] = before
		}
	}
}
