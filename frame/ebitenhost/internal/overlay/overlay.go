// Package overlay is the model behind the overlay of package ebitenhost: how the frames of a loop do, and why one was
// late. It reads what the loop knows anyway, and lays out panels on a canvas. It needs no display.
package overlay

import (
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/internal/recent"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/workers"
)

// A View is what the overlay shows of one loop. The zero View is ready. It belongs to the frame goroutine.
type View struct {
	loop *frame.Loop
	at   deadline.Instant // of the latest look

	frames recent.Frames
	hitch  recent.Hitch
	work   work

	target         time.Duration
	own, used      smooth // of the frame before
	budget, spare  smooth
	latency        smooth // from input to the frame handed over
	short          string // why its slice was short, or ""
	tasks, delayed [deadline.NumPriorities]int
	pool           workers.Stats
	shadow         bool
	active         bool   // the loop has workers, or has run tasks
	cause          string // the kind of task that the loop blames for a late frame of the host, or ""
	uploads        uint64 // how many such frames there were
	runnable       [1]metrics.Sample

	shown  figures // read twice a second: faster than that nobody can read them
	readAt deadline.Instant
}

// figures are numbers that are written.
type figures struct {
	fps, p50, p99, share, worst float64
	missed, counted, running    int
	own, used, budget, spare    time.Duration
	latency                     time.Duration
}

// smooth is a duration that follows its input with the lag of some ten frames.
type smooth float64

func (s *smooth) follow(d time.Duration) { *s += (smooth(d) - *s) * 0.1 }

// Read looks at the loop, once a frame, between Begin and Slice. A View of another loop starts afresh. It takes some
// microseconds. Nothing allocates, except that the first look reads the frames from before.
func (v *View) Read(l *frame.Loop) {
	if v.loop != l {
		*v = View{loop: l, pool: v.pool, hitch: recent.Hitch{Cause: v.hitch.Cause[:0]}}
		v.runnable[0].Name = "/sched/goroutines/runnable:goroutines"
	}
	now := l.Scheduler().Now()
	stats := l.Stats()
	v.short = stats.Short
	v.shadow = l.Placement() == frame.PlaceShadow

	// The newest record is of the frame before. The latest look tells what went on beside that frame.
	first := v.frames.Last == 0
	beside := recent.Around{Uploads: v.cause, Running: running(v.pool.PerWorker), Procs: runtime.GOMAXPROCS(0)}
	if v.runnable[0].Value.Kind() == metrics.KindUint64 {
		beside.Runnable = int(v.runnable[0].Value.Uint64())
	}
	v.frames.Read(l.Recorder(), stats.Interval, func(r, prev *record.Record, s *recent.Sample) {
		if s.Counts && s.Missed > 0 {
			if v.frames.Past { // nobody looked then
				beside = recent.Around{Procs: beside.Procs}
			}
			v.hitch.Blame(r, prev, v.frames.Target, beside)
		}
		if !v.frames.Past {
			v.work.add(aTask, recent.Short(r.WorstLabel), r.WorstCost-r.OfWorst().Time)
			for i := range r.Sections {
				s := &r.Sections[i]
				v.work.add(aSection, s.Name, s.Own-r.OfSection(s).Time)
			}
		}
	})
	v.hitch.Explain(l.Recorder())
	v.target = v.frames.Target
	if v.frames.Counted == 0 {
		v.hitch.Late = 0 // the recorder was reset
	}
	if r := &v.frames.Newest; r.Number > 0 {
		v.own.follow(recent.OwnPart(r))
		v.used.follow(r.Used())
		v.budget.follow(recent.Budget(r))
		if d, ok := recent.Latency(r); ok {
			v.latency.follow(d)
		}
		v.spare.follow(min(max(v.target-recent.OwnPart(r)-recent.Budget(r), 0), v.target))
	}

	v.readTasks(l, first)
	l.Pool().Stats(&v.pool)
	v.active = v.active || len(v.pool.PerWorker) > 0
	metrics.Read(v.runnable[:])
	if span := now.Sub(v.at); !first && span > 0 {
		v.work.look(v.pool.PerWorker, span)
	}
	v.at = now
	if now.Sub(v.readAt) >= time.Second/2 || first {
		v.readAt = now
		v.take()
	}
}

// readTasks reads the queues of the loop's scheduler, and of the host's if that is another one. Late frames from before
// the first look say nothing about the next one.
func (v *View) readTasks(l *frame.Loop, first bool) {
	own := l.Scheduler()
	s := own.Stats()
	v.tasks, v.delayed = s.Ready, s.Delayed
	ran, cause, late := s.Ran, s.HostCause, s.HostLate
	if host := l.Host(); host != own {
		s = host.Stats()
		for i := range s.Ready {
			v.tasks[i] += s.Ready[i]
			v.delayed[i] += s.Delayed[i]
		}
		ran += s.Ran
		if s.HostLate > late {
			cause, late = s.HostCause, s.HostLate
		}
	}
	v.active = v.active || ran > 0
	if first || late <= v.uploads {
		cause = ""
	}
	v.cause, v.uploads = cause, late
}

// take takes the figures that are written until the next time.
func (v *View) take() {
	f := &v.frames
	v.shown = figures{
		fps: f.FPS(), p50: f.Percentile(50), p99: f.Percentile(99), share: f.MissedShare(), worst: float64(f.Worst),
		missed: f.Missed, counted: f.Counted, running: running(v.pool.PerWorker),
		own: time.Duration(v.own), used: time.Duration(v.used),
		budget: time.Duration(v.budget), spare: time.Duration(v.spare), latency: time.Duration(v.latency),
	}
	v.work.rank()
}
