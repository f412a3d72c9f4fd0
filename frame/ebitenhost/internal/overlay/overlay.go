// Package overlay is the model behind the overlay of package ebitenhost: frame times, and why one frame was late. It
// reads what the loop knows anyway, and lays out panels on a canvas. It needs no display.
package overlay

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/internal/latest"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
	"github.com/frameslice/frameslice/workers"
)

// A View is what the overlay shows of one loop. The zero View is ready. It belongs to the frame goroutine.
type View struct {
	loop *frame.Loop
	at   deadline.Instant // of the latest look

	frames latest.Frames
	hitch  hitch
	work   work

	target         time.Duration
	own, used      smooth // of the frame before
	budget, spare  smooth
	latency        smooth // from input to the frame handed over
	short          string // why its slice was short, or ""
	tasks, delayed [deadline.NumPriorities]int
	pool           workers.Stats
	shadow         bool
	active         bool // the loop has workers, or has run tasks

	shown  figures // read twice a second: faster than that nobody can read them
	readAt deadline.Instant
}

// hitch is the latest frame that was shown late.
type hitch struct {
	at    deadline.Instant
	late  time.Duration // the interval; 0 = there was no hitch
	frame uint64        // that came late
	cause []byte        // why, in words; reused
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
		*v = View{loop: l, pool: v.pool, hitch: hitch{cause: v.hitch.cause[:0]}}
	}
	now := l.Scheduler().Now()
	stats := l.Stats()
	v.short = stats.Short
	v.shadow = l.Placement() == frame.PlaceShadow

	first := v.frames.Last == 0
	v.frames.Read(l.Recorder(), stats.Interval, func(r, prev *record.Record, s *latest.Frame) {
		if s.Counts && s.Missed > 0 {
			v.hitch = hitch{r.Start, r.Interval, r.Number, prev.AppendCause(v.hitch.cause[:0], r, v.frames.Target)}
		}
		if !v.frames.Past {
			v.work.add(aTask, words.Short(r.WorstLabel), r.WorstCost-r.OfWorst().Time)
			for i := range r.Sections {
				s := &r.Sections[i]
				v.work.add(aSection, s.Name, s.Own-r.OfSection(s).Time)
			}
		}
	})
	if why := l.Recorder().Explained(v.hitch.frame); why != "" && v.hitch.late > 0 {
		v.hitch.cause = append(v.hitch.cause[:0], why...)
	}
	v.target = v.frames.Target
	if v.frames.N == 0 {
		v.hitch.late = 0 // the recorder was reset
	}
	if r := &v.frames.Newest; r.Number > 0 {
		v.own.follow(r.Own())
		v.used.follow(r.Used())
		v.budget.follow(r.Budget())
		if d, ok := r.Latency(r.HandedOver); ok {
			v.latency.follow(d)
		}
		v.spare.follow(min(max(v.target-r.Own()-r.Budget(), 0), v.target))
	}

	v.readTasks(l)
	l.Pool().Stats(&v.pool)
	v.active = v.active || len(v.pool.PerWorker) > 0
	if span := now.Sub(v.at); !first && span > 0 {
		v.work.look(v.pool.PerWorker, span)
	}
	v.at = now
	if now.Sub(v.readAt) >= time.Second/2 || first {
		v.readAt = now
		v.take()
	}
}

// readTasks reads the queues of the loop's scheduler, and of the host's if that is another one.
func (v *View) readTasks(l *frame.Loop) {
	own := l.Scheduler()
	s := own.Stats()
	v.tasks, v.delayed = s.Ready, s.Delayed
	ran := s.Ran
	if host := l.Host(); host != own {
		s = host.Stats()
		for i := range s.Ready {
			v.tasks[i] += s.Ready[i]
			v.delayed[i] += s.Delayed[i]
		}
		ran += s.Ran
	}
	v.active = v.active || ran > 0
}

// take takes the figures that are written until the next time.
func (v *View) take() {
	f := &v.frames
	v.shown = figures{
		fps: f.FPS(), p50: f.Percentile(50), p99: f.Percentile(99), worst: float64(f.Worst),
		share: f.MissedPercent(), missed: f.Missed, counted: f.N, running: running(v.pool.PerWorker),
		own: time.Duration(v.own), used: time.Duration(v.used),
		budget: time.Duration(v.budget), spare: time.Duration(v.spare), latency: time.Duration(v.latency),
	}
	v.work.rank()
}
