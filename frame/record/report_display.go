package record

import (
	"time"

	"github.com/frameslice/frameslice/internal/hist"
)

// A DisplayReport tells what the display showed, by the times of Recorder.Presented. It is over the latest records
// with the present Target that count. An interval is between two changes of the display, in one row of frames.
type DisplayReport struct {
	// Shown frames have a time. Unshown frames have none, although a later frame has: the display never showed them.
	Shown   int `json:"shown"`
	Unshown int `json:"unshown"`
	// Backward frames have a time not after that of the frame before, and do not count.
	Backward int `json:"backward,omitempty"`

	Interval Distribution `json:"interval"`
	// As of Metrics, but true: the intervals are the display's own.
	Missed              int64   `json:"missed"`
	MissedPercent       float64 `json:"missed_percent"`
	HitchRatio          float64 `json:"hitch_ratio_ms_per_s"`
	QuantizedHitchRatio float64 `json:"quantized_hitch_ratio_ms_per_s"`
	HitchBand           string  `json:"hitch_band"`
	// Of |Step - interval|, if the game calls Loop.Step.
	AnimationError Distribution `json:"animation_error_abs"`
	// From Record.Input to Record.Shown.
	Latency Distribution `json:"input_to_display"`
}

// display returns nil if no record was shown.
func (s *Snapshot) display() *DisplayReport {
	var r DisplayReport
	var d, errs, lags Intervals
	all := s.changes()
	for i := range all {
		rec, c := &s.Records[i], &all[i]
		if rec.Flags&s.Exclude != 0 || !s.current(rec) {
			continue
		}
		switch {
		case c.dropped:
			r.Unshown++
		case c.backward:
			r.Backward++
		case rec.Shown != 0:
			r.Shown++
			if lag, ok := rec.Latency(rec.Shown); ok {
				lags = append(lags, lag)
			}
		}
		if c.interval > 0 {
			d = append(d, c.interval)
			if c.stepped {
				errs = append(errs, (c.step - c.interval).Abs())
			}
		}
	}
	if r.Shown+r.Backward == 0 {
		return nil
	}
	m := d.Figures(s.Target)
	r.Interval, r.Missed, r.MissedPercent, r.HitchRatio = m.ByFrame, m.Missed, m.MissedPercent, m.HitchRatio
	r.QuantizedHitchRatio, r.HitchBand = m.QuantizedHitchRatio, m.HitchBand
	r.AnimationError, r.Latency = distributionOf(errs.ascending()), distributionOf(lags.ascending())
	return &r
}

// A change is what the display did with one record.
type change struct {
	interval time.Duration // since the change before, or 0 if unknown
	step     time.Duration // of the simulation in this interval, if stepped
	stepped  bool
	dropped  bool // a later frame was shown, and this one was not
	backward bool // shown not after the frame before
}

// changes returns a change for each record. A change before a rest or a jump is no begin of an interval, as nobody
// waited for a picture meanwhile.
func (s *Snapshot) changes() []change {
	all := make([]change, len(s.Records))
	var last *Record // shown in this row of frames
	var step time.Duration
	stepped := true
	open := 0 // all[open:i] are in this row, after last
	for i := range s.Records {
		rec, c := &s.Records[i], &all[i]
		if i > 0 && !rec.follows(&s.Records[i-1]) {
			last, step, stepped, open = nil, 0, true, i
		}
		step = hist.AddSaturating(step, rec.Step)
		stepped = stepped && rec.Flags&Stepped != 0
		switch {
		case rec.Shown == 0:
			continue
		case last != nil && rec.Shown <= last.Shown:
			c.backward = true
			continue
		case last != nil:
			c.interval, c.step, c.stepped = rec.Shown.Sub(last.Shown), step, stepped
		}
		for k := open; k < i && last != nil; k++ {
			all[k].dropped = !all[k].backward
		}
		last, step, stepped, open = rec, 0, true, i+1
	}
	return all
}
