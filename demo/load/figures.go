package load

import (
	"cmp"
	"slices"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A Stretch is a time in one mode without interruption, as far as it is measured.
type Stretch struct {
	Frames *record.Snapshot
	Procs  int // GOMAXPROCS

	// Within the stretch.
	Span  time.Duration
	Jobs  Counts
	Used  Usage
	Sound Sound

	// The tasks and jobs of a loop of ours; nil = not known.
	Times   *scheduler.Times
	Profile *workers.Profile
}

// Figures sum up all stretches of a mode.
type Figures struct {
	mode    Mode
	parts   []record.Intervals
	sum     Stretch
	runs    []workers.Run
	dropped uint64
}

// NewFigures returns the figures of a mode without a stretch.
func NewFigures(m Mode) *Figures { return &Figures{mode: m} }

// Add adds a stretch. Its snapshot belongs to f then.
func (f *Figures) Add(s Stretch) {
	d := s.Frames.Intervals()
	if len(d) == 0 {
		return
	}
	f.parts = append(f.parts, d)
	sum := &f.sum
	if sum.Frames == nil {
		sum.Frames = s.Frames
	} else {
		sum.Frames.Merge(s.Frames)
	}
	sum.Procs, sum.Span = s.Procs, sum.Span+s.Span
	sum.Jobs, sum.Used, sum.Sound = sum.Jobs.Plus(s.Jobs), sum.Used.Plus(s.Used), sum.Sound.Plus(s.Sound)
	if s.Times != nil {
		if sum.Times == nil {
			sum.Times = new(scheduler.Times)
		}
		sum.Times.Add(s.Times)
	}
	if s.Profile != nil {
		if sum.Profile == nil {
			sum.Profile = new(workers.Profile)
		}
		sum.Profile.Add(s.Profile)
		f.runs, f.dropped = append(f.runs, s.Profile.Runs...), f.dropped+s.Profile.RunsDropped
	}
}

// Frames reports whether a frame has been measured.
func (f *Figures) Frames() bool { return len(f.parts) > 0 }

// result returns the line of the table, with the frames held against the target.
func (f *Figures) result(target time.Duration) Result {
	d := record.Intervals(slices.Concat(f.parts...))
	all := d.Figures(target)
	late, jobs, used := &all.Lateness, f.sum.Jobs, f.sum.Used
	out := Result{
		Mode: f.mode, Says: f.mode.Says(), Frames: len(d), Slices: len(f.parts), Seconds: all.Time.Seconds(),
		Missed: int(all.Missed), MissedPct: all.MissedPercent, Hitch: all.HitchRatio,
		P50: words.Millis(late.P50), P99: words.Millis(late.P99), P999: words.Millis(late.P999),
		Max: words.Millis(late.Max), intervals: d,
		Load: jobs.Load(), GC: used.GCs,
	}
	if s := f.sum.Span.Seconds(); s > 0 {
		out.Jobs, out.Offered, out.Dropped = float64(jobs.Finished)/s, float64(jobs.Due)/s, float64(jobs.Dropped)/s
		out.Cores, out.Others = used.CPU.Seconds()/s, max(0, (used.Machine-used.CPU).Seconds()/s)
		out.SoundGaps, out.SoundWait = float64(f.sum.Sound.Gaps)*60/s, words.Millis(f.sum.Sound.Wait)
	}
	if n := float64(out.Frames); n > 0 {
		out.Allocs = float64(used.Allocs) / n
	}
	return out
}

// Add adds the figures of a mode.
func (r *Report) Add(f *Figures, target time.Duration) {
	r.Modes = append(r.Modes, f.result(target))
	sum := &f.sum
	if sum.Frames == nil {
		return
	}
	env := r.Env
	env.GOMAXPROCS = cmp.Or(sum.Procs, env.GOMAXPROCS)
	frames := record.NewReport(string(f.mode), sum.Frames, env)
	if sum.Profile != nil {
		sum.Profile.Runs, sum.Profile.RunsDropped = f.runs, f.dropped
		frames.AddWork(sum.Times, sum.Profile)
	}
	r.Loops = append(r.Loops, Loop{Mode: f.mode, Report: frames})
}
