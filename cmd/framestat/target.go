package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/words"
)

// parseTarget reads Hz or a time. 0 is none.
func parseTarget(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	number := strings.TrimSpace(strings.TrimSuffix(strings.ToLower(s), "hz"))
	if hz, err := strconv.ParseFloat(number, 64); err == nil && hz >= 1 && hz <= 1000 {
		return time.Duration(float64(time.Second) / hz), nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= time.Millisecond && d <= time.Second {
		return d, nil
	}
	return 0, fmt.Errorf("-target %.20q: want 1 to 1000 Hz, or a time from 1ms to 1s", s)
}

// rates are the usual refresh rates of displays.
var rates = []float64{24, 25, 30, 48, 50, 59.94, 60, 72, 75, 85, 90, 100, 120, 144, 160, 165, 180, 240, 280, 360, 480}

// estimate takes the median for the target. Within half a percent of a usual display's period it takes that one, and
// usual is true.
func estimate(d record.Intervals) (target time.Duration, usual bool) {
	median := d.Percentile(50)
	best, off := time.Duration(0), 0.005
	for _, hz := range rates {
		r := time.Duration(float64(time.Second) / hz)
		if o := (median - r).Abs().Seconds() / r.Seconds(); o < off {
			best, off = r, o
		}
	}
	if best > 0 {
		return best, true
	}
	return max(median, time.Microsecond), false
}

const fewFrames = 500

// judge measures the runs. Runs without a target of their own are judged by the shortest that is known, else by the
// shortest estimate. Else a run that became slow would be judged by its own slow median.
func judge(runs []*measured, wanted time.Duration) {
	shortest, why, odd := time.Duration(0), "", false
	take := func(d time.Duration, usual bool, by string) {
		if shortest == 0 || d < shortest {
			shortest, why, odd = d, by, !usual
		}
	}
	for _, r := range runs {
		if r.Target > 0 {
			take(r.Target, true, "as "+r.label+" has")
		}
	}
	if shortest == 0 {
		for _, r := range runs {
			from := r.Intervals
			if len(r.Displayed) > 0 {
				from = r.Displayed // a program without a limit makes more frames than the display shows
			}
			target, usual := estimate(from)
			take(target, usual, "guessed from the median of "+r.label)
		}
	}
	for _, r := range runs {
		switch {
		case wanted > 0:
			r.target = wanted
		case r.Target > 0:
			r.target = r.Target
		default:
			r.target, r.guessed = shortest, why
			if odd {
				r.Notes = append(r.Notes, "the median is no display's period, as with a variable rate or without a "+
					"limit: whole refreshes mean little; -target sets what a frame should take")
				odd = false // said once
			}
		}
		if r.Report != nil {
			r.Metrics, r.target, r.guessed = *r.Report, r.Target, ""
			if r.Display != nil {
				r.shown = *r.Display
			}
		} else {
			r.Metrics = r.Intervals.Measure(r.target)
			r.shown = r.Displayed.Measure(r.target)
			if len(r.Intervals) < fewFrames {
				r.Notes = append(r.Notes, fmt.Sprintf("fewer than %d frames: a 95 %% interval is a guess", fewFrames))
			}
		}
	}
}

func (r *measured) targetText() string {
	s := fmt.Sprintf("%.3f ms (%.4g Hz)", words.Millis(r.target), 1/r.target.Seconds())
	if r.guessed != "" {
		s += ", " + r.guessed + " (-target sets it)"
	}
	return s
}

// late is a frame that missed a refresh.
type late struct {
	Index    int     `json:"i"`
	Seconds  float64 `json:"s"` // when it began, in the time of the frames that count
	MS       float64 `json:"ms"`
	Why      string  `json:"why"`
	interval time.Duration
}

// Number is the frame's number among those that count, from 1.
func (f late) Number() int { return f.Index + 1 }

// lateFrames returns all frames that missed a refresh, in order. A report without its CSV has none.
func (r *measured) lateFrames() (all []late) {
	at := 0.0
	for i, d := range r.Intervals {
		if refresh.Missed(d, r.target) > 0 {
			all = append(all, late{Index: i, Seconds: at, MS: words.Millis(d), interval: d})
		}
		at += d.Seconds()
	}
	return all
}

// explain sets the cause, which costs a microsecond, for the frames that are shown.
func (r *measured) explain(frames []late) {
	for i := range frames {
		if r.Why != nil {
			frames[i].Why = r.Why(frames[i].Index, r.target)
		}
	}
}
