package load

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/autopsy"
	"github.com/frameslice/frameslice/frame/record"
)

// A Report is what a run or a comparison found. Its JSON form is the file that Config.JSON names.
type Report struct {
	Partial  bool               `json:"partial"` // the run was interrupted: fewer slices than planned
	Slices   [2]int             `json:"slices"`  // run, planned
	Settings Settings           `json:"settings"`
	Env      record.Environment `json:"env"`
	Modes    []Result           `json:"modes"` // in the order of Config.Modes, beside each of Config.Beside
	Verdict  []Check            `json:"verdict,omitempty"`
	Plain    string             `json:"plain"` // in three sentences, what was asked and what became of it

	Loops  []Loop           `json:"loops,omitempty"`  // one for each mode that ran, in the order of Modes
	Traces []autopsy.Report `json:"traces,omitempty"` // of late frames, with Config.Flight
}

// Loop is everything that is known of the frames of one mode, over all its turns, and of what ran in them.
type Loop struct {
	Mode      Mode           `json:"mode"`
	Beside    Beside         `json:"beside"`
	TasksPerS float64        `json:"tasks_per_s"` // further tasks run, with -tasks of a window
	Report    *record.Report `json:"report"`
}

// Settings repeats what was asked for, after defaults, in the units of the report.
type Settings struct {
	DurationS  float64 `json:"duration_s"` // per mode, measured
	SliceS     float64 `json:"slice_s"`
	WarmupMS   float64 `json:"warmup_ms"`
	IntervalMS float64 `json:"interval_ms"`
	Wait       string  `json:"wait"`
	Load       float64 `json:"load"`               // asked for at the start; Result.Load is each mode's own
	Offered    float64 `json:"jobs_offered_per_s"` // by the schedule
	MaxPending int     `json:"max_pending_jobs"`
	Alloc      bool    `json:"alloc"`
	HeapMiB    float64 `json:"heap_mib"` // kept alive in every mode
	Seed       uint64  `json:"seed"`
	JobMS      float64 `json:"job_ms"`            // asked for
	OwnMS      float64 `json:"own_ms"`            // asked for
	JobRealMS  float64 `json:"job_calibrated_ms"` // shortest of the calibration, alone on the machine
	OwnRealMS  float64 `json:"own_calibrated_ms"`
	StepMS     float64 `json:"own_step_ms"` // the part of it that can fork
	Boids      int     `json:"boids"`       // of the crowd that it moves
}

// A Result is one mode's figures over all its slices. Lateness is max(0, d-r) of the interval d between the starts of
// two successive frames, against the target r.
type Result struct {
	Mode      Mode    `json:"mode"`
	Beside    Beside  `json:"beside"` // other programs that the comparison ran
	Frames    int     `json:"frames"` // intervals measured
	Missed    int     `json:"missed"` // refreshes without a new frame
	MissedPct float64 `json:"missed_pct"`
	P50       float64 `json:"late_p50_ms"`
	P99       float64 `json:"late_p99_ms"`
	P999      float64 `json:"late_p999_ms"`
	Max       float64 `json:"late_max_ms"`
	P99CI     CI      `json:"late_p99_ci95_ms"`
	Hitch     float64 `json:"hitch_ms_per_s"`
	HitchCI   CI      `json:"hitch_ci95_ms_per_s"`
	RanLong   int     `json:"late_1ms_ran_long"`  // late by more than 1 ms: the frame before was still busy
	WokeLate  int     `json:"late_1ms_woke_late"` // or the wait for the tick ended late
	Jobs      float64 `json:"jobs_per_s"`         // finished and committed
	Load      float64 `json:"load"`               // that the mode had, in the mean if it was changed meanwhile
	Offered   float64 `json:"jobs_offered_per_s"`
	SoundGaps float64 `json:"sound_gaps_per_min"`      // times that nothing was left to play
	SoundWait float64 `json:"sound_wait_max_ms"`       // the longest of the goroutine that writes it; 0 = not known
	Work      float64 `json:"work_ms_per_s,omitempty"` // jobs and frames drawn: see Settings.work
	Dropped   float64 `json:"jobs_dropped_per_s"`      // of those offered, refused at the bound on waiting jobs
	Cores     float64 `json:"cpu_cores"`               // processor time used per second; 0 = not known
	Others    float64 `json:"other_cores"`             // used by all others on the machine, hypervisor included
	Stolen    float64 `json:"stolen_ms_per_s"`         // of the processors' time, by a hypervisor; 0 may be not known
	OwnP50    float64 `json:"own_p50_ms"`              // the frame's own work as it ran; 0 = not known
	OwnP99    float64 `json:"own_p99_ms"`
	BusyP99   float64 `json:"busy_p99_ms"` // start of the frame to its end
	Allocs    float64 `json:"allocs_per_frame"`
	Bytes     float64 `json:"alloc_bytes_per_frame"`
	GC        uint64  `json:"gc_cycles"`
	Seconds   float64 `json:"seconds"` // measured
	Slices    int     `json:"slices"`
	Warmup    int     `json:"warmup_frames"` // left out
	Jumps     int     `json:"jumps"`         // of the clock, left out
	JumpS     float64 `json:"jump_s"`        // their sum
	Says      string  `json:"says"`          // how the mode runs a job, and the crowd

	// Env is the report's, with the mode's own GOMAXPROCS, so that a mode can be read alone; set by Judge.
	Env record.Environment `json:"env"`

	Procs int `json:"-"` // GOMAXPROCS while it ran, which some modes raise; 0 = as in the report's Env

	Intervals record.Intervals `json:"intervals_ns,omitempty"` // in order, slice after slice
}

// Report returns what has been measured so far.
func (s *Session) Report() *Report {
	c := s.cfg
	r := &Report{
		Partial: s.k < len(s.plan),
		Slices:  [2]int{s.k, len(s.plan)},
		Env:     s.env,
		Settings: Settings{
			DurationS: c.Duration.Seconds(), SliceS: c.SliceLength().Seconds(),
			WarmupMS: ms(c.Warmup), IntervalMS: ms(c.Interval), Wait: waitName(c.Wait),
			Load: c.Load, Alloc: c.Alloc, Seed: c.Seed,
			JobMS: ms(c.Job), OwnMS: ms(Own),
		},
	}
	s.scene.Describe(&r.Settings)
	for _, t := range c.turns() {
		r.Add(s.sums[t], c.Interval)
	}
	r.Judge()
	return r
}

// Judge fills in Verdict and Plain from what else is in r. A host that measures frames itself calls Add for each
// mode, and then Judge.
func (r *Report) Judge() {
	for i := range r.Modes {
		x := &r.Modes[i]
		x.Env = r.Env
		x.Env.GOMAXPROCS = cmp.Or(x.Procs, x.Env.GOMAXPROCS)
		x.Work = r.Settings.work(x)
	}
	if r.Verdict = nil; !r.changed() {
		for rows := range r.tables() {
			r.Verdict = append(r.Verdict, verdict(rows)...)
		}
	}
	r.Plain = strings.Join(r.sentences(), " ")
}

// changed reports whether somebody has changed the load while the modes ran. Then each row has a load of its own, and
// nothing can be said of one mode beside another.
func (r *Report) changed() bool {
	for _, x := range r.Modes {
		if x.Offered > 0 && math.Abs(x.Load-r.Settings.Load) >= 0.005 {
			return true
		}
	}
	return false
}

// Measured returns a Result with everything in it that follows from the intervals between frames, slice by slice,
// against the target r.
func Measured(m Mode, parts []record.Intervals, r time.Duration) Result {
	d := record.Intervals(slices.Concat(parts...))
	all := d.Measure(r)
	late := &all.Lateness
	out := Result{
		Mode: m, Beside: None, Says: m.Says(), Frames: len(d), Slices: len(parts), Seconds: all.Time.Seconds(),
		Missed: int(all.Missed), MissedPct: all.MissedPercent, Hitch: all.HitchRatio,
		P50: ms(late.P50), P99: ms(late.P99), P999: ms(late.P999), Max: ms(late.Max), Intervals: d,
	}
	p99, hitch := all.P99Confidence, all.HitchRatioConfidence
	out.P99CI = CI{max(0, p99.Low-ms(r)), max(0, p99.High-ms(r))}
	out.HitchCI = CI{hitch.Low, hitch.High}
	return out
}

// A CI is a 95 % confidence interval, by bootstrap.
type CI struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// Find returns the figures of a mode.
func (r *Report) Find(m Mode) (Result, bool) { return find(r.Modes, m) }

// tables returns the rows of the modes beside each of the other programs. Only rows of one table can be compared.
func (r *Report) tables() iter.Seq[[]Result] {
	return func(yield func([]Result) bool) {
		for from, to := 0, 0; from < len(r.Modes); from = to {
			for to = from; to < len(r.Modes) && r.Modes[to].Beside == r.Modes[from].Beside; to++ {
			}
			if !yield(r.Modes[from:to]) {
				return
			}
		}
	}
}

// turn returns the turns that x is the result of.
func (x *Result) turn() Turn { return Turn{x.Mode, x.Beside} }

func find(rs []Result, m Mode) (Result, bool) {
	for _, x := range rs {
		if x.Mode == m && x.Frames > 0 {
			return x, true
		}
	}
	return Result{}, false
}
