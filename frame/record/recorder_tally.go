package record

import (
	"fmt"
	"time"
)

// Totals are sums over all frames of a run, also over those whose records are gone.
type Totals struct {
	// Frames is how many frames were recorded; Jumps, WarmUp and Excluded are those among them which were
	// left out of the statistics, each counted once, in this order: a jump in the warm-up is a jump. Of the
	// rest, First are those without an interval, because nothing came before. JumpTime is how long the Jumps
	// were together.
	Frames   uint64        `json:"frames"`
	WarmUp   uint64        `json:"warm_up"`
	Jumps    uint64        `json:"jumps"`
	Excluded uint64        `json:"excluded"`
	First    uint64        `json:"first"`
	JumpTime time.Duration `json:"jump_ns"`
	// Lost is how many of the frames have no record, because too many readers held chunks. They count.
	Lost uint64 `json:"lost"`

	// N is how many intervals the statistics are over, and Time is their sum, the T of the formulas.
	N    uint64        `json:"n"`
	Time time.Duration `json:"time_ns"`
	// Hitch sums max(0, d-r), QuantizedHitch sums r*max(0, round(d/r)-1), Missed sums max(0, round(d/r)-1).
	Hitch          time.Duration `json:"hitch_ns"`
	QuantizedHitch time.Duration `json:"quantized_hitch_ns"`
	Missed         uint64        `json:"missed"`
	// Jank is how many intervals were above 2r.
	Jank uint64 `json:"jank"`
	// Updates tells in how many of the frames the game updated 0, 1, 2, 3 or more times: its updates per draw.
	Updates [4]uint64 `json:"updates_0_1_2_3"`

	// Sliced is how many frames had a slice, Overran how many slices ended after their deadline.
	Sliced  uint64 `json:"sliced"`
	Overran uint64 `json:"overran"`
	// Withheld is how many slices ended before their deadline although a task was ready, as no task that waited was
	// expected to fit. WithheldTime is the time that was left unused so.
	Withheld     uint64        `json:"withheld"`
	WithheldTime time.Duration `json:"withheld_ns"`

	// Sums of the fields of Record by these names, over all frames, also those which are left out above.
	Ran        uint64        `json:"ran"`
	Expired    uint64        `json:"expired"`
	Deferred   uint64        `json:"deferred"`
	Canceled   uint64        `json:"canceled"`
	Jobs       uint64        `json:"jobs"`
	HandedBack uint64        `json:"handed_back"`
	GCCycles   uint64        `json:"gc_cycles"`
	GCPause    time.Duration `json:"gc_pause_ns"`
	// WorstLabel and WorstCost tell the most expensive task.
	WorstLabel string        `json:"worst_label"`
	WorstCost  time.Duration `json:"worst_cost_ns"`
}

// MissedPercent returns 100 * Missed / (N + Missed), and 0 if no frame counts: who judges by it looks at N and
// Jumps, too, as ExampleTotals_MissedPercent does.
func (t *Totals) MissedPercent() float64 { return missedPercent(t.N, t.Missed) }

// none says why no frame counts.
func (t *Totals) none() string {
	return fmt.Sprintf("no frame counts: %d in all, %d of warm-up, %d jumps, %d excluded, %d without an interval%s",
		t.Frames, t.WarmUp, t.Jumps, t.Excluded, t.First, t.jumped())
}

// jumped names the jumps, for the end of a line that says how many frames were missed: in none of them is the time that
// they took, in which the picture stood still. It is empty where there are none.
func (t *Totals) jumped() string {
	switch t.Jumps {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; 1 jump of the clock left out, of %v", t.JumpTime)
	}
	return fmt.Sprintf("; %d jumps of the clock left out, of %v together", t.Jumps, t.JumpTime)
}

// A Snapshot is a copy of what a Recorder holds. It belongs to the caller.
type Snapshot struct {
	// Target is the interval which a frame should have, that of the latest record.
	Target time.Duration
	// Exclude is which frames the statistics leave out.
	Exclude Flags
	// Totals and the histograms are over the whole run; they are one consistent cut.
	Totals Totals
	// Interval is the distribution of d, Lateness of max(0, d-r) and Earliness of r-d where that is
	// above 0: Lateness and Earliness together are the signed distribution of d-r. Used is how long
	// slices were, Overrun by how much they missed their deadlines, over frames with a slice.
	// Unused is what slices left of their time. Woke is how late the loop's own waits ended, of those there were.
	Interval, Lateness, Earliness, Used, Overrun, Unused, Woke *Histogram
	// Own, Host and Wait are the parts of each interval that counts, beside the slice. Own is the frame's own work, up
	// to the slice. Wait is Record.Waited. Host is the rest: what the host did until the next frame began, a swap that
	// blocks included. A slice in the shadow (frame.PlaceShadow) runs beside Host and Wait.
	Own, Host, Wait *Histogram
	// Records are the latest frames, oldest first, among them those which the statistics leave out.
	// They are taken at the same time as Totals, but a frame may end in between.
	Records []Record

	beside beside // since New or Reset
}

// String returns the gist in one line: how many frames, how many refreshes were missed, and how late frames were;
// and where the clock has jumped, how often and for how long: that is in none of the others. For all there is to know
// see NewReport.
func (s *Snapshot) String() string {
	t, late := &s.Totals, s.Lateness
	if t.N == 0 {
		return t.none()
	}
	return fmt.Sprintf("%d frames in %v, %d missed; late by %v at p50, %v at p99, %v at most%s", t.N, t.Time, t.Missed,
		late.Percentile(50), late.Percentile(99), late.Max(), t.jumped())
}

// Merge adds what o recorded later, in another turn of the same loop or in another loop of the same program, so that
// there is one report of all: o's records follow those of s. Their first one has no Interval, if o's Recorder was not
// reset; nothing here reaches over the border. The Target and Exclude of s stay. o is left as it is.
func (s *Snapshot) Merge(o *Snapshot) {
	s.mustBeMade("Merge into")
	o.mustBeMade("Merge of")
	s.Totals.add(&o.Totals)
	s.beside = s.beside.plus(&o.beside)
	theirs := o.histograms()
	for i, h := range s.histograms() {
		h.merge(theirs[i])
	}
	s.Records = append(s.Records, o.Records...)
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

func (s *Snapshot) histograms() [10]*Histogram {
	return [...]*Histogram{
		s.Interval, s.Lateness, s.Earliness, s.Used, s.Overrun, s.Unused, s.Woke, s.Own, s.Host, s.Wait,
	}
}

// Intervals returns the intervals of Records that belong into the statistics and have the snapshot's Target, give or
// take 1 %: metrics of frames that were to be 7 ms and 17 ms long together would say nothing. (Totals and Lateness can
// hold both: each of their frames is judged by its own target.)
func (s *Snapshot) Intervals() Intervals {
	d := make(Intervals, 0, len(s.Records))
	for i := range s.Records {
		if r := &s.Records[i]; r.Interval > 0 && !r.Flags.Has(s.Exclude) && s.current(r) {
			d = append(d, r.Interval)
		}
	}
	return d
}

// current reports whether r is of the time since the target is what it is. One without a target is.
func (s *Snapshot) current(r *Record) bool {
	return r.Target <= 0 || (r.Target-s.Target).Abs() <= s.Target/100
}

// tally is the totals and the histograms of some frames.
type tally struct {
	Totals
	interval, lateness, earliness, used, overrun, unused, woke, own, host, wait *Histogram
}

func newTally() *tally {
	return &tally{
		interval: NewHistogram(), lateness: NewHistogram(), earliness: NewHistogram(),
		used: NewHistogram(), overrun: NewHistogram(), unused: NewHistogram(), woke: NewHistogram(),
		own: NewHistogram(), host: NewHistogram(), wait: NewHistogram(),
	}
}

func (t *tally) histograms() [10]*Histogram {
	return [...]*Histogram{
		t.interval, t.lateness, t.earliness, t.used, t.overrun, t.unused, t.woke, t.own, t.host, t.wait,
	}
}

// add counts a frame. own and host are of the frame before, as r's Interval is.
func (t *tally) add(r *Record, target, own, host time.Duration, exclude Flags, kept bool) {
	t.Frames++
	if !kept {
		t.Lost++
	}
	t.Ran += uint64(r.Ran)
	t.Expired += uint64(r.Expired)
	t.Deferred += uint64(r.Deferred)
	t.Canceled += uint64(r.Canceled)
	t.Jobs += uint64(r.Jobs)
	t.HandedBack += uint64(r.HandedBack)
	t.GCCycles += uint64(r.GCCycles)
	t.GCPause += r.GCPause
	if r.WorstCost > t.WorstCost {
		t.WorstLabel, t.WorstCost = r.WorstLabel, r.WorstCost
	}
	if r.Flags.Has(exclude) {
		switch {
		case r.Flags.Has(Jump):
			t.Jumps++
			t.JumpTime = addSaturating(t.JumpTime, max(0, r.Interval))
		case r.Flags.Has(WarmUp):
			t.WarmUp++
		default:
			t.Excluded++
		}
		return
	}
	t.Updates[min(r.Updates, 3)]++
	if r.Woke > 0 {
		t.woke.Record(r.Woke)
	}
	if r.Flags.Has(Sliced) {
		over := r.Overrun()
		t.Sliced++
		if over > 0 {
			t.Overran++
		}
		if unused := r.unused(); unused > 0 && r.Deferred > 0 {
			t.Withheld++
			t.WithheldTime = addSaturating(t.WithheldTime, unused)
		}
		t.used.Record(r.Used())
		t.overrun.Record(over)
		t.unused.Record(r.unused())
	}
	if r.Interval <= 0 {
		t.First++
		return
	}
	t.own.Record(own)
	t.host.Record(host)
	t.wait.Record(r.Waited)
	t.addInterval(r.Interval, target)
}

func (t *tally) addInterval(d, r time.Duration) {
	t.N++
	t.Time = addSaturating(t.Time, d)
	t.interval.Record(d)
	t.lateness.Record(d - r)
	if d < r {
		t.earliness.Record(r - d)
		return
	}
	t.Hitch = addSaturating(t.Hitch, d-r)
	missed := missedFrames(d, r)
	t.Missed += uint64(missed)
	t.QuantizedHitch = addSaturating(t.QuantizedHitch, time.Duration(missed)*r)
	if d > 2*r {
		t.Jank++
	}
}

func (t *tally) merge(u *tally) {
	t.Totals.add(&u.Totals)
	theirs := u.histograms()
	for i, h := range t.histograms() {
		h.merge(theirs[i])
	}
}

func (t *Totals) add(o *Totals) {
	t.Frames += o.Frames
	t.WarmUp += o.WarmUp
	t.Jumps += o.Jumps
	t.Excluded += o.Excluded
	t.First += o.First
	t.Lost += o.Lost
	t.JumpTime = addSaturating(t.JumpTime, o.JumpTime)
	t.N += o.N
	t.Time = addSaturating(t.Time, o.Time)
	t.Hitch = addSaturating(t.Hitch, o.Hitch)
	t.QuantizedHitch = addSaturating(t.QuantizedHitch, o.QuantizedHitch)
	t.Missed += o.Missed
	t.Jank += o.Jank
	for i := range t.Updates {
		t.Updates[i] += o.Updates[i]
	}
	t.Sliced += o.Sliced
	t.Overran += o.Overran
	t.Withheld += o.Withheld
	t.WithheldTime = addSaturating(t.WithheldTime, o.WithheldTime)
	t.Ran += o.Ran
	t.Expired += o.Expired
	t.Deferred += o.Deferred
	t.Canceled += o.Canceled
	t.Jobs += o.Jobs
	t.HandedBack += o.HandedBack
	t.GCCycles += o.GCCycles
	t.GCPause += o.GCPause
	if o.WorstCost > t.WorstCost {
		t.WorstLabel, t.WorstCost = o.WorstLabel, o.WorstCost
	}
}

func (t *tally) reset() {
	t.Totals = Totals{}
	for _, h := range t.histograms() {
		h.reset()
	}
}
