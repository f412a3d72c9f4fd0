package record

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/internal/hdr"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/refresh"
)

// Totals are sums over a run.
type Totals struct {
	// WarmUp, Jumps (JumpTime in sum) and Excluded are frames that the statistics leave out. First had no interval.
	Frames   uint64        `json:"frames"`
	WarmUp   uint64        `json:"warm_up"`
	Jumps    uint64        `json:"jumps"`
	Excluded uint64        `json:"excluded"`
	First    uint64        `json:"first"`
	JumpTime time.Duration `json:"jump_ns"`
	// Lost frames count, but have no record: too many readers held the memory.
	Lost uint64 `json:"lost"`
	// ShownWrongly counts times of Recorder.Presented that cannot be: before the frame, in the future, or of no frame.
	ShownWrongly uint64 `json:"shown_wrongly,omitempty"`

	// N intervals count, with the sum Time, the T of the formulas.
	N    uint64        `json:"n"`
	Time time.Duration `json:"time_ns"`
	// The sums of max(0, d-r), of r*m and of m = max(0, round(d/r)-1).
	Hitch          time.Duration `json:"hitch_ns"`
	QuantizedHitch time.Duration `json:"quantized_hitch_ns"`
	Missed         uint64        `json:"missed"`
	// Jank counts intervals above 2r.
	Jank uint64 `json:"jank"`
	// Frames with 0, 1, 2, 3 or more updates.
	Updates [4]uint64 `json:"updates_0_1_2_3"`

	// Overran slices ended after their deadline.
	Sliced uint64 `json:"sliced"`
	// BelowRate slices were the share of work, because the host was late without any work.
	BelowRate uint64 `json:"below_rate"`
	Overran   uint64 `json:"overran"`
	// Withheld slices ended early by WithheldTime, because each ready task was too long, or its kind may
	// leave the host too much work.
	Withheld     uint64        `json:"withheld"`
	WithheldTime time.Duration `json:"withheld_ns"`

	Counts
	// The most expensive task.
	WorstLabel string        `json:"worst_label"`
	WorstCost  time.Duration `json:"worst_cost_ns"`
	// The longest job that a slice ran.
	WorstJob     string        `json:"worst_job"`
	WorstJobCost time.Duration `json:"worst_job_cost_ns"`
}

// none says why no frame counts.
func (t *Totals) none() string {
	return fmt.Sprintf("no frame counts: %d in all, %d of warm-up, %d jumps of %v, %d excluded, %d without an interval",
		t.Frames, t.WarmUp, t.Jumps, t.JumpTime, t.Excluded, t.First)
}

// worst keeps the more expensive task and the longer job.
func (t *Totals) worst(label string, cost time.Duration, job string, took time.Duration) {
	if cost > t.WorstCost {
		t.WorstLabel, t.WorstCost = label, cost
	}
	if took > t.WorstJobCost {
		t.WorstJob, t.WorstJobCost = job, took
	}
}

// plus adds o.
func (t *Totals) plus(o *Totals) {
	label, cost, job, took := t.WorstLabel, t.WorstCost, t.WorstJob, t.WorstJobCost
	sum(t, o, 1)
	t.WorstLabel, t.WorstCost, t.WorstJob, t.WorstJobCost = label, cost, job, took
	t.worst(o.WorstLabel, o.WorstCost, o.WorstJob, o.WorstJobCost)
}

// A Snapshot is a copy of what a Recorder holds. It belongs to the caller. Target is that of the latest record.
type Snapshot struct {
	Target  time.Duration
	Exclude Flags
	// The whole run, at one moment.
	Totals Totals
	// The distributions of d, of max(0, d-r), and of r-d if above 0. Each histogram has a Count, Mean, Max, Sum and
	// Percentile. Percentiles are off by at most 0.1 %, or half a microsecond.
	Interval, Lateness, Earliness *hdr.Histogram
	// Slices: their lengths, how late they ended, how much time they left. Woke is of Record.Woke.
	Used, Overrun, Unused, Woke *hdr.Histogram
	// The parts of an interval beside the slice: own work, the rest (the host, a swap that blocks), and Record.Waited.
	// A slice in the shadow runs beside Host and Wait. Own and Host lack the intervals after frames that are not Timed.
	Own, Host, Wait *hdr.Histogram
	// Latency is from Record.Input to Record.HandedOver.
	Latency *hdr.Histogram
	// The latest frames, oldest first, also frames left out. Totals may lack the newest.
	Records []Record

	beside  beside // since New or Reset
	metered bool   // the collections are those of this process, and not given by a test

	sentences sentences // about late frames
}

func (s *Snapshot) histograms() [11]**hdr.Histogram {
	return [...]**hdr.Histogram{
		&s.Interval, &s.Lateness, &s.Earliness, &s.Used, &s.Overrun, &s.Unused, &s.Woke, &s.Own, &s.Host, &s.Wait,
		&s.Latency,
	}
}

// newSnapshot returns an empty one.
func newSnapshot() *Snapshot {
	s := new(Snapshot)
	for _, h := range s.histograms() {
		*h = hdr.New()
	}
	return s
}

// Merge adds what o recorded later. s keeps its Target and Exclude, and o does not change.
func (s *Snapshot) Merge(o *Snapshot) {
	s.mustBeMade("Merge into")
	o.mustBeMade("Merge of")
	s.add(o)
	s.beside.plus(&o.beside)
	s.Records = append(s.Records, o.Records...)
	s.metered = s.metered || o.metered
}

// mustBeMade panics if s has no histograms.
func (s *Snapshot) mustBeMade(what string) {
	switch {
	case s == nil:
		panic("record: " + what + " a nil Snapshot")
	case s.Interval == nil:
		panic("record: " + what + " a Snapshot that no Recorder made")
	}
}

// Intervals returns the intervals of Records that count and have Target, give or take 1 %.
func (s *Snapshot) Intervals() Intervals {
	d := make(Intervals, 0, len(s.Records))
	for i := range s.Records {
		if r := &s.Records[i]; r.Interval > 0 && r.Flags&s.Exclude == 0 && s.current(r) {
			d = append(d, r.Interval)
		}
	}
	return d
}

// current reports whether r has the snapshot's target, or none.
func (s *Snapshot) current(r *Record) bool {
	return r.Target <= 0 || (r.Target-s.Target).Abs() <= s.Target/100
}

// count counts a frame. own and host are of the frame before, as r's Interval is. own is less than 0 if nobody has
// recorded these two.
func (s *Snapshot) count(r *Record, target, own, host time.Duration, exclude Flags, kept bool) {
	t := &s.Totals
	t.Frames++
	if !kept {
		t.Lost++
	}
	t.Counts.add(&r.Counts)
	t.worst(r.WorstLabel, r.WorstCost, r.WorstJob, r.WorstJobCost)
	if r.Flags&exclude != 0 {
		switch {
		case r.Flags&Jump != 0:
			t.Jumps++
			t.JumpTime = hist.AddSaturating(t.JumpTime, max(0, r.Interval))
		case r.Flags&WarmUp != 0:
			t.WarmUp++
		default:
			t.Excluded++
		}
		return
	}
	t.Updates[min(r.Updates, 3)]++
	if r.Woke > 0 {
		s.Woke.Record(r.Woke)
	}
	if d, ok := r.Latency(r.HandedOver); ok {
		s.Latency.Record(d)
	}
	if r.Flags&Sliced != 0 {
		over, unused := r.Overrun(), r.unused()
		t.Sliced++
		if r.Flags&BelowRate != 0 {
			t.BelowRate++
		}
		if over > 0 {
			t.Overran++
		}
		if unused > 0 && r.Deferred > 0 {
			t.Withheld++
			t.WithheldTime = hist.AddSaturating(t.WithheldTime, unused)
		}
		s.Used.Record(r.Used())
		s.Overrun.Record(over)
		s.Unused.Record(unused)
	}
	if r.Interval <= 0 {
		t.First++
		return
	}
	if own >= 0 {
		s.Own.Record(own)
		s.Host.Record(host)
	}
	if own >= 0 || r.Waited > 0 {
		s.Wait.Record(r.Waited)
	}
	s.countInterval(r.Interval, target)
}

func (s *Snapshot) countInterval(d, r time.Duration) {
	t := &s.Totals
	t.N++
	t.Time = hist.AddSaturating(t.Time, d)
	s.Interval.Record(d)
	s.Lateness.Record(d - r)
	if d < r {
		s.Earliness.Record(r - d)
		return
	}
	t.Hitch = hist.AddSaturating(t.Hitch, d-r)
	missed := refresh.Missed(d, r)
	t.Missed += uint64(missed)
	t.QuantizedHitch = hist.AddSaturating(t.QuantizedHitch, time.Duration(missed)*r)
	if d > 2*r {
		t.Jank++
	}
}

// add adds the totals and histograms of o.
func (s *Snapshot) add(o *Snapshot) {
	s.Totals.plus(&o.Totals)
	theirs := o.histograms()
	for i, h := range s.histograms() {
		(*h).Merge(*theirs[i])
	}
}

// reset empties the totals and histograms.
func (s *Snapshot) reset() {
	s.Totals = Totals{}
	for _, h := range s.histograms() {
		(*h).Reset()
	}
}
