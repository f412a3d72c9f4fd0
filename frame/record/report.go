package record

import (
	"encoding/json"
	"errors"
	"io"
	"time"
)

// A Report is what a run measured. Run is over all frames that count, from histograms and sums. Window is over the
// latest records, from the intervals themselves. After a change of the target, Window is over the records with the
// present Target, and Run judges each frame by its own. Durations are in nanoseconds in JSON.
//
// All hitch figures are estimates from the loop's own clock: when a frame was shown is not known here.
type Report struct {
	// Name is the variant's, as it stands in tables.
	Name        string        `json:"name"`
	Environment Environment   `json:"environment"`
	Target      time.Duration `json:"target_ns"`
	Run         RunReport     `json:"run"`
	Window      Window        `json:"window"`
	// Whole tells that Window covers all of Run.
	Whole bool `json:"window_is_whole_run"`
	// AnimationError is of |Step - Interval| over the latest records whose step is known.
	AnimationError Distribution `json:"animation_error_abs"`
	// Late is how many of the latest records that count missed a refresh. LateNearGC is how many of these had a garbage
	// collection end in their frame or the one before.
	Late       int `json:"late"`
	LateNearGC int `json:"late_near_gc"`
	// Dropped is how many tasks, posted functions and callbacks waited for a run when the loop closed, or came later.
	// frame.Loop.Report sets it.
	Dropped uint64 `json:"dropped,omitempty"`
	// Tasks are the times of tasks by priority, TaskCosts their costs by kind. AddTasks sets both.
	Tasks     []Times    `json:"scheduler,omitempty"`
	TaskCosts []KindCost `json:"task_costs,omitempty"`

	// HostCause is the kind of task that most often made the host late after End, and HostLate counts these frames: see
	// scheduler.Scheduler.HostCause. frame.Loop.Report sets both.
	HostCause string `json:"host_cause,omitempty"`
	HostLate  uint64 `json:"host_late,omitempty"`
	// Pool are the figures of the pool that the Recorder watches, if there is one.
	Pool *PoolReport `json:"pool,omitempty"`
	// Jobs are the waits of jobs by priority, JobCosts their costs by kind. Wake is how long wake-ups of workers took,
	// and WokenLate how many took more than a millisecond. AddJobs sets all four.
	Jobs      []Times      `json:"jobs,omitempty"`
	JobCosts  []KindCost   `json:"job_costs,omitempty"`
	Wake      Distribution `json:"worker_wake,omitzero"`
	WokenLate uint64       `json:"workers_woken_late,omitempty"`
	// Runtime is from Go's runtime. A report of an older version may have none.
	Runtime *RuntimeReport `json:"runtime,omitempty"`

	// Snapshot is what the report was made from; nil in a report that was read from JSON.
	Snapshot *Snapshot `json:"-"`
}

// RunReport is the part of a Report over all frames that count.
type RunReport struct {
	Totals
	AverageFPS float64 `json:"average_fps"`
	HitchRatio float64 `json:"hitch_ratio_ms_per_s"`
	// QuantizedHitchRatio is of the refreshes without a new frame. HitchBand names its band.
	QuantizedHitchRatio float64 `json:"quantized_hitch_ratio_ms_per_s"`
	HitchBand           string  `json:"hitch_band"`
	MissedPercent       float64 `json:"missed_percent"`
	// The distributions are those of the Snapshot.
	Interval  Distribution `json:"interval"`
	Lateness  Distribution `json:"lateness"`
	Earliness Distribution `json:"earliness"`
	Used      Distribution `json:"slice_used"`
	Overrun   Distribution `json:"slice_overrun"`
	Unused    Distribution `json:"slice_unused"`
	Own       Distribution `json:"own_work"`
	Host      Distribution `json:"host"`
	Wait      Distribution `json:"wait"`
	Woke      Distribution `json:"woke_late"`
	// Over is how many intervals were longer than the histogram's range of a minute.
	Over uint64 `json:"over_range"`
}

// NewReport computes the report of a snapshot, which it keeps. It takes some 20 ms.
func NewReport(name string, s *Snapshot, env Environment) *Report {
	s.mustBeMade("NewReport of")
	d, t := s.Intervals(), &s.Totals
	shown := 1000 * share(t.QuantizedHitch, t.Time)
	r := &Report{
		Name: name, Environment: env, Target: s.Target, Snapshot: s,
		Run: RunReport{
			Totals: *t, AverageFPS: rate(float64(t.N), t.Time), HitchRatio: 1000 * share(t.Hitch, t.Time),
			QuantizedHitchRatio: shown, HitchBand: hitchBand(shown), MissedPercent: t.MissedPercent(),
			Over: s.Interval.over,
		},
		Window: d.window(s.Target),
		Whole:  uint64(len(d)) >= s.Totals.N,
	}
	run := &r.Run
	for i, to := range [...]*Distribution{
		&run.Interval, &run.Lateness, &run.Earliness, &run.Used, &run.Overrun, &run.Unused, &run.Woke, &run.Own,
		&run.Host, &run.Wait,
	} {
		*to = (*s.histograms()[i]).distribution()
	}
	r.AnimationError = distributionOf(s.animationErrors().ascending())
	r.Runtime = s.beside.runtime.report()
	if p := s.beside.pool; p != (PoolReport{}) {
		r.Pool = &p
	}
	for i := range s.Records {
		rec := &s.Records[i]
		if rec.Flags.Has(s.Exclude) || !s.current(rec) || missedFrames(rec.Interval, s.Target) == 0 {
			continue
		}
		r.Late++
		if rec.GCCycles > 0 || i > 0 && s.Records[i-1].GCCycles > 0 {
			r.LateNearGC++
		}
	}
	return r
}

func (s *Snapshot) animationErrors() Intervals {
	var errs Intervals
	for i := range s.Records {
		if rec := &s.Records[i]; !rec.Flags.Has(s.Exclude) {
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

// maxReport is the most bytes that ReadReport reads. A report has some ten thousand.
const maxReport = 16 << 20

// ReadReport reads the JSON of a report, as Save or package json writes it. The report has no Snapshot. JSON that is no
// report is an error, and so is more than 16 MiB.
func ReadReport(rd io.Reader) (*Report, error) {
	limited := &io.LimitedReader{R: rd, N: maxReport + 1}
	r, d := new(Report), json.NewDecoder(limited)
	err, end := d.Decode(r), error(nil)
	if err == nil {
		_, end = d.Token()
	}
	if limited.N == 0 {
		return nil, errors.New("record: not a report: it has more than 16 MiB")
	}
	if err != nil {
		return nil, err
	}
	if end != io.EOF {
		return nil, errors.New("record: not a report: there is something after it")
	}
	if r.Target <= 0 { // every report has one
		return nil, errors.New("record: not a report: it has no target_ns")
	}
	return r, nil
}
