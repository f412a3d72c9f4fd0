package record

import (
	"encoding/json"
	"io"
	"time"

	"github.com/frameslice/frameslice/internal/framecsv"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A Report tells what a run measured. Its hitch figures are estimates. Window has the latest records with the present
// Target; Run judges each frame by its own. JSON has nanoseconds.
type Report struct {
	Version     int           `json:"version"` // of the JSON: 1
	Name        string        `json:"name"`
	Environment Environment   `json:"environment"`
	Target      time.Duration `json:"target_ns"`
	Run         RunReport     `json:"run"`
	Window      Metrics       `json:"window"`
	Whole       bool          `json:"window_is_whole_run"`
	// Of |Step - Interval|, over the latest records.
	AnimationError Distribution `json:"animation_error_abs"`
	// Display is nil if no frame has a time of Recorder.Presented.
	Display *DisplayReport `json:"display,omitempty"`
	// Late counts the latest records that missed a refresh, LateNearGC those with a garbage collection in that frame or
	// the one before.
	Late       int `json:"late"`
	LateNearGC int `json:"late_near_gc"`
	// LateFrames are the eight longest of the latest records that missed a refresh, with what ran in them.
	LateFrames []LateFrame `json:"late_frames,omitempty"`
	// Cheaper says which parts of the late frames would save most missed refreshes if they took less.
	Cheaper []Saving `json:"cheaper,omitempty"`
	// Sections are the named parts of the frames' own work, the costliest first.
	Sections []SectionReport `json:"sections,omitempty"`
	// Dropped counts tasks, posted functions and callbacks that never ran, because the loop closed.
	Dropped uint64 `json:"dropped,omitempty"`
	// By priority and by kind, set by AddWork.
	Tasks     []Times          `json:"scheduler,omitempty"`
	TaskCosts []scheduler.Cost `json:"task_costs,omitempty"`

	// frame.Loop.Report sets these: the kind of task that most often made the host late, and how often.
	HostCause string `json:"host_cause,omitempty"`
	HostLate  uint64 `json:"host_late,omitempty"`
	// Of the pool that the Recorder watches.
	Pool *PoolReport `json:"pool,omitempty"`
	// AddWork sets these too: waits, costs, how long workers took to wake, and how many took more than 1 ms.
	Jobs      []Times        `json:"jobs,omitempty"`
	JobCosts  []workers.Cost `json:"job_costs,omitempty"`
	Wake      Distribution   `json:"worker_wake,omitzero"`
	WokenLate uint64         `json:"workers_woken_late,omitempty"`
	Runtime   *RuntimeReport `json:"runtime,omitempty"`

	// Runs are the latest runs of tasks and jobs, for the trace: see frame.Options.Profile. RunsDropped counts those
	// that are not kept. Neither is in the JSON.
	Runs        []workers.Run `json:"-"`
	RunsDropped uint64        `json:"-"`

	// Snapshot is what the report was made of, and not in the JSON.
	Snapshot *Snapshot `json:"-"`
}

// RunReport is over all frames that count, with the distributions of the Snapshot.
type RunReport struct {
	Totals
	AverageFPS float64 `json:"average_fps"`
	HitchRatio float64 `json:"hitch_ratio_ms_per_s"`
	// Of whole refreshes.
	QuantizedHitchRatio float64      `json:"quantized_hitch_ratio_ms_per_s"`
	HitchBand           string       `json:"hitch_band"`
	MissedPercent       float64      `json:"missed_percent"`
	Interval            Distribution `json:"interval"`
	Lateness            Distribution `json:"lateness"`
	Earliness           Distribution `json:"earliness"`
	Used                Distribution `json:"slice_used"`
	Overrun             Distribution `json:"slice_overrun"`
	Unused              Distribution `json:"slice_unused"`
	Own                 Distribution `json:"own_work"`
	Host                Distribution `json:"host"`
	Wait                Distribution `json:"wait"`
	Woke                Distribution `json:"woke_late"`
	Latency             Distribution `json:"input_to_handed_over"`
	// Over counts intervals above one minute.
	Over uint64 `json:"over_range"`
}

// NewReport computes the report of s, which it keeps, in about 20 ms.
func NewReport(name string, s *Snapshot, env Environment) *Report {
	s.mustBeMade("NewReport of")
	d, t := s.Intervals(), &s.Totals
	shown := 1000 * share(t.QuantizedHitch, t.Time)
	r := &Report{
		Version: framecsv.Version, Name: name, Environment: env, Target: s.Target, Snapshot: s,
		Run: RunReport{
			Totals: *t, AverageFPS: rate(float64(t.N), t.Time), HitchRatio: 1000 * share(t.Hitch, t.Time),
			QuantizedHitchRatio: shown, HitchBand: hitchBand(shown), MissedPercent: hist.MissedPercent(t.N, t.Missed),
			Interval: distributionIn(s.Interval), Lateness: distributionIn(s.Lateness),
			Earliness: distributionIn(s.Earliness), Used: distributionIn(s.Used), Overrun: distributionIn(s.Overrun),
			Unused: distributionIn(s.Unused), Own: distributionIn(s.Own), Host: distributionIn(s.Host),
			Wait: distributionIn(s.Wait), Woke: distributionIn(s.Woke), Latency: distributionIn(s.Latency),
			Over: s.Interval.Over(),
		},
		Window: d.Measure(s.Target),
		Whole:  uint64(len(d)) >= s.Totals.N,
	}
	r.AnimationError = distributionOf(s.animationErrors().ascending())
	r.Display = s.display()
	r.Sections = s.sections()
	r.Runtime = s.beside.Runtime.report()
	if p := s.beside.Pool; p != (PoolReport{}) {
		r.Pool = &p
	}
	for i := range s.Records {
		rec := &s.Records[i]
		if rec.Flags&s.Exclude != 0 || !s.current(rec) || refresh.Missed(rec.Interval, s.Target) == 0 {
			continue
		}
		r.Late++
		if rec.GCCycles > 0 || i > 0 && s.Records[i-1].GCCycles > 0 {
			r.LateNearGC++
		}
	}
	r.LateFrames = r.lateFrames()
	r.Cheaper = s.savings(r.Runs)
	return r
}

func (s *Snapshot) animationErrors() Intervals {
	var errs Intervals
	for i := range s.Records {
		if rec := &s.Records[i]; rec.Flags&s.Exclude == 0 {
			if e, ok := rec.animationError(); ok {
				errs = append(errs, max(e, -e))
			}
		}
	}
	return errs
}

// writeJSON writes the report as indented JSON.
func (r *Report) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}
