package play

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
)

// Probe is the Runner that the world sees: it passes everything on to the executor of the mode, and
// watches. As it stands outside the executors, the overlay can show the same things of every mode: how many
// jobs of each priority wait, how many run at once, of which kind, and what ran longest on the frame
// goroutine.
//
// It also owns the jobs while a mode is exchanged for another: an executor that closes discards what it has
// not started, the world however waits for each of its jobs. The probe knows which have not been run and
// hands them to the next executor.
//
// All methods belong to the frame goroutine, except those of watched.Run.
type Probe struct {
	exec load.Executor // nil while one mode is closing and the next not open yet
	kept []*watched    // accepted and not committed, in no order
	free []*watched

	moving []*watched // scratch of Adopt
	old    int        // jobs kept that an earlier executor was given

	lanes   [maxLanes]lane
	taken   atomic.Uint64 // a bit for each lane in use
	running atomic.Int32
	started [deadline.NumPriorities]atomic.Uint64
	given   [deadline.NumPriorities]uint64
	done    atomic.Uint64 // jobs run, in all

	// Inline says that the executor runs jobs on the frame goroutine only. Run touches Work in that case
	// alone, so the frame goroutine alone does.
	Inline  bool
	forkSum time.Duration // of ParallelFor
	forks   int
	Work    FrameWork
}

// maxLanes is how many jobs are told apart while they run at once: one bit each in taken.
const maxLanes = 64

// lane is one place where jobs run after one another. It stands for no thread: a job takes the lowest that
// is free, so as many lanes are lit as jobs run at once.
type lane struct {
	busy  atomic.Int64 // ns of ended jobs
	since atomic.Int64 // Instant at which the running one began, 0 = none
	kind  atomic.Int32
}

// States of a watched job.
const (
	jobWaiting int32 = iota
	jobRunning
	jobRun
)

// watched is a job under the probe's eyes. Recycled.
type watched struct {
	probe *Probe
	job   sim.Job
	name  string
	kind  int32
	prio  deadline.Priority
	state atomic.Int32
	at    int           // index in kept
	old   bool          // counted in Probe.old
	apart time.Duration // spent in pauses
}

// Kinds returns the kinds of jobs in the order of their colours: the frequent ones first.
func Kinds() [6]string {
	return [...]string{KindOffered, sim.KindPath, sim.KindDecode, sim.KindTerrain, sim.KindText, sim.KindSave}
}

// KindOffered is the steady stream of jobs that -load sets: terrain chunks that no one sees.
const KindOffered = "chunk"

func kindIndex(kind string) int32 {
	for i, k := range Kinds() {
		if k == kind {
			return int32(i)
		}
	}
	return 0
}

// ParallelFor passes on what it is given, and takes the time; serial while there is no executor.
func (p *Probe) ParallelFor(n, grain int, body func(lo, hi int)) {
	begin := deadline.Now()
	defer func() { p.forkSum, p.forks = p.forkSum+deadline.Now().Sub(begin), p.forks+1 }()
	if p.exec == nil {
		sim.Inline{}.ParallelFor(n, grain, body)
		return
	}
	p.exec.ParallelFor(n, grain, body)
}

// Submit passes the job on under the probe's eyes; it is kept while there is no executor.
func (p *Probe) Submit(kind string, prio deadline.Priority, j sim.Job) {
	var w *watched
	if n := len(p.free); n > 0 {
		w, p.free = p.free[n-1], p.free[:n-1]
	} else {
		w = &watched{probe: p}
	}
	w.job, w.name, w.kind, w.prio, w.at = j, kind, kindIndex(kind), prio, len(p.kept)
	w.state.Store(jobWaiting)
	p.kept = append(p.kept, w)
	p.given[prio.Lane()]++
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

// Fork returns how long a ParallelFor of the world takes in the mean: the part of a frame that can fork.
func (p *Probe) Fork() time.Duration { return p.forkSum / time.Duration(max(p.forks, 1)) }

// Adopt makes x the executor and gives it what its predecessor left. Jobs that were run and not committed are
// committed here: each is a matter of microseconds.
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

// Backlog returns what runs the jobs that no executor has started, one after the other on the goroutine that
// calls it, so that the next executor inherits none. It is taken after Suspend, and called when the old
// executor has ended; frames may go on meanwhile, and what they submit is not among them. Adopt commits the
// jobs.
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

// Finish runs and commits the jobs of a kind that no executor has: at the end, when the last has closed.
func (p *Probe) Finish(kind string) {
	for i := 0; i < len(p.kept); {
		w := p.kept[i]
		if w.name != kind {
			i++
			continue
		}
		if w.state.Load() == jobWaiting {
			w.Run()
		}
		w.Commit() // puts another in its place
	}
}

// add counts a job that ran on the frame goroutine.
func (f *FrameWork) add(cost time.Duration, kind int32) {
	f.Jobs++
	f.Sum += cost
	if cost > f.Worst {
		f.Worst, f.Kind = cost, kind
	}
}

// TakeWork returns what was seen of the frame, and starts the next.
func (p *Probe) TakeWork() FrameWork {
	f := p.Work
	f.Running = int(p.running.Load())
	for i := range p.given {
		f.Waiting += p.Waiting(i)
	}
	p.Work = FrameWork{}
	return f
}

// Waiting returns how many jobs of a lane are accepted and not started.
func (p *Probe) Waiting(lane int) int { return int(p.given[lane] - p.started[lane].Load()) }

// Run runs the job in the lowest lane that is free.
func (w *watched) Run() { w.RunPatiently(nil) }

// RunPatiently is Run that calls pause, if it is not nil and the job knows how to. A job that pause unwinds by a panic,
// as its executor closes, waits again.
func (w *watched) RunPatiently(pause func()) {
	p := w.probe
	w.state.Store(jobRunning)
	p.started[w.prio.Lane()].Add(1)
	p.running.Add(1)
	begin := deadline.Now()
	n := p.take()
	if n >= 0 {
		p.lanes[n].kind.Store(w.kind)
		p.lanes[n].since.Store(int64(begin))
	}
	w.apart = 0
	whole := false
	defer func() { w.ran(n, deadline.Now().Sub(begin)-w.apart, whole) }()
	if j, ok := w.job.(sim.Patient); ok && pause != nil {
		j.RunPatiently(func() {
			out := deadline.Now()
			defer func() { w.apart += deadline.Now().Sub(out) }()
			pause()
		})
	} else {
		w.job.Run()
	}
	whole = true
}

// ran notes that the job has run, or only begun to, in lane n.
func (w *watched) ran(n int, cost time.Duration, whole bool) {
	p := w.probe
	if n >= 0 {
		p.lanes[n].since.Store(0)
		p.lanes[n].busy.Add(int64(cost))
		p.taken.And(^(uint64(1) << n))
	}
	p.running.Add(-1)
	if !whole {
		p.started[w.prio.Lane()].Add(^uint64(0))
		w.state.Store(jobWaiting)
		return
	}
	if p.Inline {
		p.Work.add(cost, w.kind)
	}
	p.done.Add(1)
	w.state.Store(jobRun)
}

// take returns a free lane and marks it, or -1.
func (p *Probe) take() int {
	for {
		old := p.taken.Load()
		n := bits.TrailingZeros64(^old)
		if n == maxLanes {
			return -1
		}
		if p.taken.CompareAndSwap(old, old|1<<n) {
			return n
		}
	}
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
