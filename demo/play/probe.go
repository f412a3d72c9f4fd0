package play

import (
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
)

// Probe is the Runner that the world sees. It passes everything on to the executor of the mode, and watches: it
// counts the jobs that wait and those that run, in the same way in every mode.
//
// It also owns the jobs while a mode is exchanged for another. An executor that closes discards what it has not
// started, but the world waits for each of its jobs. So the probe hands the jobs that have not run to the next
// executor.
//
// All methods belong to the frame goroutine, except Run of the jobs, and Running.
type Probe struct {
	exec load.Executor // nil while one mode is closing and the next not open yet
	kept []*watched    // accepted and not committed, in no order
	free []*watched

	moving []*watched // scratch of Adopt
	old    int        // jobs kept that an earlier executor was given

	running atomic.Int32
	started atomic.Uint64
	given   uint64
}

// States of a watched job.
const (
	jobWaiting int32 = iota
	jobRunning
	jobRun
)

// watched is a job that the probe watches. It is used again.
type watched struct {
	probe *Probe
	job   sim.Job
	name  string
	prio  deadline.Priority
	state atomic.Int32
	at    int  // index in kept
	old   bool // counted in Probe.old
}

// ParallelFor passes on what it is given. It is serial while there is no executor.
func (p *Probe) ParallelFor(n, grain int, body func(lo, hi int)) {
	if p.exec == nil {
		sim.Inline{}.ParallelFor(n, grain, body)
		return
	}
	p.exec.ParallelFor(n, grain, body)
}

// Submit passes the job on, and keeps it while there is no executor.
func (p *Probe) Submit(kind string, prio deadline.Priority, j sim.Job) {
	var w *watched
	if n := len(p.free); n > 0 {
		w, p.free = p.free[n-1], p.free[:n-1]
	} else {
		w = &watched{probe: p}
	}
	w.job, w.name, w.prio, w.at = j, kind, prio, len(p.kept)
	w.state.Store(jobWaiting)
	p.kept = append(p.kept, w)
	p.given++
	if p.exec != nil {
		p.exec.Submit(kind, prio, w)
	}
}

// Suspend takes the executor away, before it is closed: jobs that come now are kept.
func (p *Probe) Suspend() { p.exec = nil }

// Executor returns the executor, nil while there is none.
func (p *Probe) Executor() load.Executor { return p.exec }

// Running returns how many jobs are running now. Any goroutine.
func (p *Probe) Running() int { return int(p.running.Load()) }

// Adopt makes x the executor and gives it the jobs that its predecessor left. It commits jobs that have run and are not
// committed, which takes microseconds each.
func (p *Probe) Adopt(x load.Executor) {
	p.exec = x
	for i := 0; i < len(p.kept); {
		w := p.kept[i]
		if w.state.Load() == jobRun {
			w.Commit() // puts another in its place
			continue
		}
		i++
	}
	p.moving = append(p.moving[:0], p.kept...) // an executor may commit a job at once, which changes kept
	for _, w := range p.moving {
		if !w.old {
			w.old = true
			p.old++
		}
	}
	for _, w := range p.moving {
		x.Submit(w.name, w.prio, w)
	}
	clear(p.moving)
}

// Inherited returns how many jobs that Adopt handed on are not committed yet.
func (p *Probe) Inherited() int { return p.old }

// Backlog is called after Suspend. It returns a function that runs the jobs which no executor has started, so that
// the next executor inherits none. The function is called when the old executor has ended, on any goroutine. Frames
// may continue meanwhile. Adopt commits the jobs.
func (p *Probe) Backlog() (run func()) {
	jobs := append([]*watched(nil), p.kept...)
	return func() {
		for _, w := range jobs {
			if w.state.Load() == jobWaiting {
				w.Run()
			}
		}
	}
}

// Waiting returns how many jobs are accepted and not started.
func (p *Probe) Waiting() int { return int(p.given - p.started.Load()) }

// Run runs the job.
func (w *watched) Run() { w.RunPatiently(nil) }

// RunPatiently is Run that calls pause, if pause is not nil and the job is Patient. When the executor closes, pause may
// panic. Then the job waits again.
func (w *watched) RunPatiently(pause func()) {
	p := w.probe
	w.state.Store(jobRunning)
	p.started.Add(1)
	p.running.Add(1)
	whole := false
	defer func() { w.ran(whole) }()
	if j, ok := w.job.(sim.Patient); ok && pause != nil {
		j.RunPatiently(pause)
	} else {
		w.job.Run()
	}
	whole = true
}

// ran notes that the job has run, or only begun to.
func (w *watched) ran(whole bool) {
	p := w.probe
	p.running.Add(-1)
	if !whole {
		p.started.Add(^uint64(0))
		w.state.Store(jobWaiting)
		return
	}
	w.state.Store(jobRun)
}

// Commit commits the job and forgets it.
func (w *watched) Commit() {
	p, j := w.probe, w.job
	last := len(p.kept) - 1
	p.kept[w.at] = p.kept[last]
	p.kept[w.at].at = w.at
	p.kept[last] = nil
	p.kept = p.kept[:last]
	w.job = nil
	if w.old {
		w.old = false
		p.old--
	}
	j.Commit()
	p.free = append(p.free, w)
}

// Hold is the idle mode for a game whose world makes jobs of its own. It takes the jobs and runs none, so that frames
// show what the game alone costs. The Probe hands the jobs to the next mode. Beyond holdLimit the oldest job runs at
// once, so that the queue cannot grow without end.
type Hold struct {
	sim.Inline
	jobs []sim.Job
}

// holdLimit is more than a world asks for in a minute.
const holdLimit = 4096

// Submit keeps j.
func (x *Hold) Submit(_ string, _ deadline.Priority, j sim.Job) {
	x.jobs = append(x.jobs, j)
	if len(x.jobs) > holdLimit {
		oldest := x.jobs[0]
		x.jobs = append(x.jobs[:0], x.jobs[1:]...)
		oldest.Run()
		oldest.Commit()
	}
}

// Begin and End do nothing: there is nothing to hand back.
func (x *Hold) Begin() {}

// End does nothing.
func (x *Hold) End() {}

// Pending returns how many jobs are held.
func (x *Hold) Pending() int { return len(x.jobs) }

// Close forgets them.
func (x *Hold) Close() { x.jobs = nil }
