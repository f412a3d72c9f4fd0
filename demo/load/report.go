package load

import (
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
)

// A Report is what a run or a comparison found. Its JSON form is the file report.json.
type Report struct {
	Partial  bool               `json:"partial"` // the run was interrupted: fewer slices than planned
	Slices   [2]int             `json:"slices"`  // run, planned
	Settings Settings           `json:"settings"`
	Env      record.Environment `json:"env"`
	Modes    []Result           `json:"modes"`           // in the order of Config.Modes
	Loops    []Loop             `json:"loops,omitempty"` // one for each mode that ran, in the order of Modes
}

// Loop is everything that is known of the frames of one mode, over all its turns, and of what ran in them.
type Loop struct {
	Mode   Mode           `json:"mode"`
	Report *record.Report `json:"report"`
}

// Settings repeats what was asked for, after defaults, in the units of the report.
type Settings struct {
	DurationS  float64 `json:"duration_s"` // per mode, measured
	SliceS     float64 `json:"slice_s"`    // of a comparison
	IntervalMS float64 `json:"interval_ms"`
	Wait       string  `json:"wait"`
	Load       float64 `json:"load"`               // asked for at the start; Result.Load is each mode's own
	Offered    float64 `json:"jobs_offered_per_s"` // by the schedule
	JobMS      float64 `json:"job_ms"`             // as calibrated, alone on the machine
	OwnMS      float64 `json:"own_ms"`             // as calibrated; 0 = not known, as in a window
}

// A Result is one mode's figures over all its slices. Lateness is max(0, d-r) of the interval d between the starts of
// two successive frames, against the target r.
type Result struct {
	Mode      Mode    `json:"mode"`
	Frames    int     `json:"frames"` // intervals measured
	Missed    int     `json:"missed"` // refreshes without a new frame
	MissedPct float64 `json:"missed_pct"`
	P50       float64 `json:"late_p50_ms"`
	P99       float64 `json:"late_p99_ms"`
	P999      float64 `json:"late_p999_ms"`
	Max       float64 `json:"late_max_ms"`
	Hitch     float64 `json:"hitch_ms_per_s"`
	Jobs      float64 `json:"jobs_per_s"` // finished and committed
	Load      float64 `json:"load"`       // that the mode had, in the mean if it was changed meanwhile
	Offered   float64 `json:"jobs_offered_per_s"`
	Dropped   float64 `json:"jobs_dropped_per_s"` // of those offered, refused at the bound on waiting jobs
	SoundGaps float64 `json:"sound_gaps_per_min"` // times that nothing was left to play
	SoundWait float64 `json:"sound_wait_max_ms"`  // the longest of the goroutine that writes it; 0 = not known
	Cores     float64 `json:"cpu_cores"`          // processor time used per second; 0 = not known
	Others    float64 `json:"other_cores"`        // used by all others on the machine, hypervisor included
	Allocs    float64 `json:"allocs_per_frame"`
	GC        uint64  `json:"gc_cycles"`
	Seconds   float64 `json:"seconds"` // measured
	Slices    int     `json:"slices"`
	Says      string  `json:"says"` // how the mode runs a job, and the crowd

	intervals record.Intervals // in order, slice after slice
}

// Report returns what has been measured so far.
func (s *Session) Report() *Report {
	c := s.cfg
	r := &Report{
		Partial: s.k < len(s.plan),
		Slices:  [2]int{s.k, len(s.plan)},
		Env:     s.env,
		Settings: Settings{
			DurationS: c.Duration.Seconds(), SliceS: c.SliceLength().Seconds(), IntervalMS: words.Millis(c.Interval),
			Wait: waitName, Load: c.Load, Offered: s.rig.offer.Rate(c.Load), JobMS: s.rig.jobMS, OwnMS: s.rig.ownMS,
		},
	}
	for _, m := range c.Modes {
		r.Add(s.sums[m], c.Interval)
	}
	return r
}
