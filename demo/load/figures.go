package load

import (
	"cmp"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A Stretch is a time in one mode without interruption, as far as it is measured.
type Stretch struct {
	Frames *record.Snapshot
	Warmup int // frames before
	Procs  int // GOMAXPROCS

	// Within the stretch.
	Span  time.Duration
	Jobs  Counts
	Tasks uint64 // further tasks, with -tasks of a window
	Used  Usage
	Sound Sound

	// The tasks and jobs of a loop of ours; nil = not known.
	Times   *scheduler.Times
	Insight *workers.Insight
}

// Figures sum up all stretches of a mode.
type Figures struct {
	Turn
	own OwnWork

	parts             []record.Intervals
	owns, busy        record.Intervals
	wokeLate, ranLong int
	sum               Stretch
	runs              []workers.Run
	dropped           uint64
}

// OwnWork is how long the frame's own work took, or -1 if nobody knows. ok is false for a frame that does not count.
type OwnWork func(r *record.Record) (d time.Duration, ok bool)

// NewFigures returns the figures of a mode without a stretch.
func NewFigures(m Mode, own OwnWork) *Figures { return &Figures{Turn: Turn{m, None}, own: own} }

// Add adds a stretch, whose frames are held against the target. The snapshot belongs to f then.
func (f *Figures) Add(s Stretch, target time.Duration) {
	d := s.Frames.Intervals()
	sum := &f.sum
	sum.Warmup += s.Warmup
	if len(d) == 0 {
		return
	}
	f.parts = append(f.parts, d)
	woke, ran := late(s.Frames, target)
	f.wokeLate, f.ranLong = f.wokeLate+woke, f.ranLong+ran
	for i := range s.Frames.Records {
		r := &s.Frames.Records[i]
		if d, ok := f.own(r); ok {
			f.busy = append(f.busy, r.Busy())
			if d >= 0 {
				f.owns = append(f.owns, d)
			}
		}
	}
	if sum.Frames == nil {
		sum.Frames = s.Frames
	} else {
		sum.Frames.Merge(s.Frames)
	}
	sum.Procs, sum.Span, sum.Tasks = s.Procs, sum.Span+s.Span, sum.Tasks+s.Tasks
	sum.Jobs, sum.Used, sum.Sound = sum.Jobs.Plus(s.Jobs), sum.Used.Plus(s.Used), sum.Sound.Plus(s.Sound)
	if s.Times != nil {
		if sum.Times == nil {
			sum.Times = new(scheduler.Times)
		}
		sum.Times.Add(s.Times)
	}
	if s.Insight != nil {
		if sum.Insight == nil {
			sum.Insight = new(workers.Insight)
		}
		sum.Insight.Add(s.Insight)
		f.runs, f.dropped = append(f.runs, s.Insight.Runs...), f.dropped+s.Insight.RunsDropped
	}
}

// Frames reports whether a frame has been measured.
func (f *Figures) Frames() bool { return len(f.parts) > 0 }

// Own returns how long the own work of each frame took.
func (f *Figures) Own() record.Intervals { return f.owns }

// LateBeyond is how late a frame must be to be asked why.
const LateBeyond = time.Millisecond

// late counts the frames that were late by more than LateBeyond: because the wait for the refresh ended late, or
// because the frame before was still busy.
func late(s *record.Snapshot, target time.Duration) (woke, ran int) {
	for i := range s.Records {
		switch r := &s.Records[i]; {
		case i == 0 || r.Flags&s.Exclude != 0 || r.Interval <= target+LateBeyond:
		case s.Records[i-1].Busy() > target:
			ran++
		default:
			woke++
		}
	}
	return woke, ran
}

// result returns the line of the table.
func (f *Figures) result(target time.Duration) Result {
	out := Measured(f.Mode, f.parts, target)
	out.Beside = f.Beside
	out.Warmup, out.Procs = f.sum.Warmup, f.sum.Procs
	out.RanLong, out.WokeLate = f.ranLong, f.wokeLate
	out.OwnP50, out.OwnP99 = ms(f.owns.Percentile(50)), ms(f.owns.Percentile(99))
	out.BusyP99 = ms(f.busy.Percentile(99))
	if f.sum.Frames != nil {
		out.Jumps, out.JumpS = int(f.sum.Frames.Totals.Jumps), f.sum.Frames.Totals.JumpTime.Seconds()
	}
	jobs, used := f.sum.Jobs, f.sum.Used
	out.Load = jobs.Load()
	if s := f.sum.Span.Seconds(); s > 0 {
		out.Jobs, out.Offered, out.Dropped = float64(jobs.Finished)/s, float64(jobs.Due)/s, float64(jobs.Dropped)/s
		out.Cores, out.Others = used.CPU.Seconds()/s, max(0, (used.Machine.Used-used.CPU).Seconds()/s)
		out.Stolen = ms(used.Machine.Stolen) / s
		out.SoundGaps, out.SoundWait = float64(f.sum.Sound.Gaps)*60/s, ms(f.sum.Sound.Wait)
	}
	if n := float64(out.Frames); n > 0 {
		out.Allocs, out.Bytes = float64(used.Allocs)/n, float64(used.Bytes)/n
	}
	out.GC = used.GCs
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
	frames := record.NewReport(f.String(), sum.Frames, env)
	if sum.Insight != nil {
		sum.Insight.Runs, sum.Insight.RunsDropped = f.runs, f.dropped
		frames.AddWork(sum.Times, sum.Insight)
	}
	r.Loops = append(r.Loops, Loop{
		Mode: f.Mode, Beside: f.Beside, TasksPerS: float64(sum.Tasks) / sum.Span.Seconds(), Report: frames,
	})
}
