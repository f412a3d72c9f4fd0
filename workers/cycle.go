package workers

import (
	"strings"
	"sync"
)

// A waitTable knows which job waits for what, if Options.FindCycles is set. It is for development: a lock, and
// some µs for each wait within a job.
//
// A wait is entered before the waiting goroutine sleeps, or runs what it waits for, under the one lock under
// which the table is searched: so the last of those who wait in a circle finds all the others. Who waits is the
// job that the goroutine runs, found by the goroutine's number: of a worker, or of a coroutine or goroutine on
// which a job runs that is not on a worker, which is in runs meanwhile. A wait in the body of a loop or in a node
// of a graph counts as one of the job that called ParallelFor or Run, or on a helper as nobody's; so does one on
// a goroutine that a job has started.
type waitTable struct {
	mu    sync.Mutex
	waits map[*Job]waitFor
	runs  map[uint64]runningJob // by goroutine, where that is not a worker's
}

// A waitFor is what a job waits for: another, or all of a scope; with the waiting job's name.
type waitFor struct {
	job   *Job
	scope *Scope
	name  string
}

type runningJob struct {
	job  *Job
	name string
}

func newWaitTable(o Options) *waitTable {
	if !o.FindCycles {
		return nil
	}
	return &waitTable{waits: map[*Job]waitFor{}, runs: map[uint64]runningJob{}}
}

// A waitMark is what leaveWait takes back.
type waitMark struct {
	job    *Job    // nil: nothing
	before waitFor // of the same job: a wait within a wait
}

// enterWait notes that the job of the calling goroutine, if it is one's, is going to wait. It panics if that
// closes a circle.
func (p *Pool) enterWait(to waitFor) waitMark {
	cur := p.current()
	if cur.job == nil {
		return waitMark{}
	}
	t := p.cycles
	t.mu.Lock()
	defer t.mu.Unlock()
	if path, closed := t.path(to, cur.job, map[*Job]bool{}); closed {
		path = append([]string{cur.name}, append(path, cur.name)...)
		panic("workers: jobs wait for one another in a circle: " + strings.Join(path, " -> "))
	}
	to.name = cur.name
	before := t.waits[cur.job]
	t.waits[cur.job] = to
	return waitMark{cur.job, before}
}

func (p *Pool) leaveWait(m waitMark) {
	if m.job == nil {
		return
	}
	t := p.cycles
	t.mu.Lock()
	defer t.mu.Unlock()
	if delete(t.waits, m.job); m.before != (waitFor{}) {
		t.waits[m.job] = m.before
	}
}

// path looks for the job end, following what waits for what, and returns the names in between.
func (t *waitTable) path(to waitFor, end *Job, seen map[*Job]bool) (names []string, found bool) {
	if to.scope != nil {
		if k, ok := end.exec.(*scopeJob); ok && k.scope == to.scope {
			return nil, true
		}
		for j := range t.waits {
			if k, ok := j.exec.(*scopeJob); ok && k.scope == to.scope {
				if names, found = t.path(waitFor{job: j}, end, seen); found {
					return names, true
				}
			}
		}
		return nil, false
	}
	// Without recursion, as a chain of Then may be long.
	for j := to.job; j != end; {
		if j == nil || seen[j] {
			return nil, false
		}
		seen[j] = true
		next, waits := t.waits[j]
		switch k, follows := j.exec.(follower); {
		case waits:
			names = append(names, next.name)
		case follows:
			next.job = k.source()
		}
		if next.scope != nil {
			more, found := t.path(next, end, seen)
			return append(names, more...), found
		}
		j = next.job
	}
	return names, true
}

// current returns the job that the calling goroutine runs, if it is known.
func (p *Pool) current() runningJob {
	id := goid()
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
				return runningJob{w.cur.job, w.shown.name()}
			}
		}
	}
	return runningJob{}
}

// runsHere notes that the calling goroutine, which is not a worker's, runs it, until the result is called.
func (p *Pool) runsHere(it item) (ended func()) {
	id := goid()
	key, entry := p.kinds.key(it)
	name := p.kinds.intern(key, entry, it).name()
	t := p.cycles
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs[id] = runningJob{it.job, name}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.runs, id)
	}
}
