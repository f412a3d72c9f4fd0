package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/timeline"
)

// Stats is what a Pool reports of itself.
type Stats struct {
	Workers    int  // ordinary workers
	Background int  // background workers
	Procs      int  // what the pool has added to GOMAXPROCS
	Virtual    bool // New was called within a testing/synctest bubble: see Options

	Queued [numLanes]int // jobs that wait, by Priority.Lane; a moment's guess

	// Unserved counts jobs that only RunUntil, Wait or Close can run: jobs that have yielded, and the part of Queued in
	// lanes without a worker.
	Unserved int

	// Run is what workers have run: jobs, stolen forks, parts of loops and graphs. A worker adds its runs after each
	// one that it has timed, and before it sleeps.
	Run         uint64
	Stolen      uint64 // of them: taken from another worker
	Parked      uint64 // times that a worker slept
	Woken       uint64 // wake-ups, without those at a change of the number of workers
	RanByCaller uint64 // jobs that ran within a call, such as RunUntil or Wait
	Forced      uint64 // jobs that RunUntil began although they did not fit
	Panicked    uint64 // jobs that panicked
	Dropped     uint64 // jobs that Close dropped

	IO        int    // functions of SubmitIO that run
	IOWaiting int    // those that wait for one of Options.IO places
	IOEnded   uint64 // those that have ended, however

	Held time.Duration // how long background workers stood back, for late frames and collections

	PerWorker []WorkerStats // the ordinary ones first

	// Notes say what the system refused, and what was done instead.
	Notes []string
}

// WorkerStats is what one worker has done. Counts and times lag behind a little, and never go back.
type WorkerStats struct {
	Index   int           // Worker.Index: with Low it names the worker, as its place in PerWorker may change
	Busy    time.Duration // time within jobs
	Run     uint64
	Running bool   // within a job that is long enough to be timed
	Label   string // label or function of its job
	Low     bool   // a background worker
	Class   string // how the system sees its thread: "ordinary", "nice" or "lowest"
}

// Cost is what the jobs of one kind have cost: one Label, or one function without a label. Jobs that panicked or called
// Goexit are left out. Expected is what RunUntil expects a further job to take.
type Cost = costs.Cost

// A Run is one run of a job, for a trace. A job that yields has several. ID is the job's address.
type Run = timeline.Run

// A Profile is what a Pool with Options.Profile has recorded since New. A Histogram counts durations, in buckets no
// wider than 1/32 of them. Its methods are Count, Max, Mean and Percentile(p).
type Profile struct {
	// Lanes are the jobs of each priority, by Priority.Lane.
	Lanes [numLanes]struct {
		Run      uint64 // begun by workers
		Stolen   uint64 // of them: taken from another worker's queue
		ByCaller uint64 // begun by RunUntil, Wait and Close

		// Delay is the time from the submission, or from the end of the job that the job follows (Then), to the start.
		Delay hist.Histogram
	}

	// Wake is how long workers took to wake up. Late counts the wake-ups of more than a millisecond.
	Wake hist.Histogram
	Late uint64

	Kinds []Cost // what each kind of job has cost, the greatest total first

	// Runs are the latest runs of jobs, if Options.Profile is positive. RunsDropped counts those that are not kept.
	Runs        []Run
	RunsDropped uint64
}

// Stats fills in s, reusing its slices. It takes about 100 ns for each worker.
func (p *Pool) Stats(s *Stats) {
	now := deadline.Now()
	per := s.PerWorker[:0]
	*s = Stats{
		Workers:     int(p.classes[ordinary].want.Load()),
		Background:  int(p.classes[background].want.Load()),
		Procs:       p.procs.By(),
		Virtual:     p.machine.virtual,
		Woken:       p.classes[ordinary].woken() + p.classes[background].woken(),
		RanByCaller: p.byCaller.Load(),
		Forced:      p.pump.forced.Load(),
		Panicked:    p.failures.panicked.Load(),
		Dropped:     p.failures.dropped.Load(),
		IO:          int(p.io.places.Load()),
		IOWaiting:   int(p.io.waits.Load()),
		IOEnded:     p.io.ended.Load(),
		Held:        p.frameFirst.Held(),
		Notes:       s.Notes[:0],
	}
	for i := range p.lanes {
		s.Queued[i] = max(p.lanes[i].entries()-int(p.lanes[i].stale.count.Load()), 0) // J8
	}
	for i := range p.classes {
		c := &p.classes[i]
		for k := range c.used.Load() {
			w := c.slots[k].Load()
			run := w.seen.runs.Load()
			s.Run += run
			s.Stolen += w.seen.stolen.Load()
			s.Parked += w.sleeper.Waits()
			if !w.alive.Load() {
				continue
			}
			one := WorkerStats{
				Index: w.index,
				Run:   run,
				Low:   c.low,
				Class: osthread.Class(w.osClass.Load()).String(),
			}
			if one.Busy, one.Running = w.seen.busyAt(now); one.Running {
				one.Label = nameOf(w.seen.kind.Load())
			}
			per = append(per, one)
		}
	}
	for i := range p.lanes {
		s.Unserved += p.lanes[i].yielded.Size()
		if !p.lanes[i].served() {
			s.Unserved += s.Queued[i]
		}
	}
	s.PerWorker = per
	p.machine.notes.Lock()
	s.Notes = append(s.Notes, p.machine.notes.text...)
	p.machine.notes.Unlock()
}

// Profile fills in s, reusing its slice, and reports whether the pool has Options.Profile. It takes some µs for each
// worker.
func (p *Pool) Profile(s *Profile) bool {
	kinds := s.Kinds[:0]
	*s = Profile{Kinds: kinds, Runs: s.Runs[:0]}
	all := p.callerProfiler
	if all == nil {
		return false
	}
	s.Kinds = p.kinds.Report(kinds)
	for l := range s.Lanes {
		s.Lanes[l].ByCaller = all.run[l].Load()
		all.delay[l].AddTo(&s.Lanes[l].Delay)
	}
	all.addRuns(s)
	for i := range p.classes {
		c := &p.classes[i]
		for k := range c.used.Load() {
			c.slots[k].Load().profiler.addTo(s)
		}
	}
	return true
}

// Add adds the counts of o.
func (s *Profile) Add(o *Profile) {
	for i := range s.Lanes {
		to, from := &s.Lanes[i], &o.Lanes[i]
		to.Run += from.Run
		to.Stolen += from.Stolen
		to.ByCaller += from.ByCaller
		to.Delay.Add(&from.Delay)
	}
	s.Wake.Add(&o.Wake)
	s.Late += o.Late
	s.Runs = append(s.Runs, o.Runs...)
	s.RunsDropped += o.RunsDropped
	s.Kinds = costs.Merge(s.Kinds, o.Kinds)
}
