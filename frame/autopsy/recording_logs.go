package autopsy

import (
	"cmp"
	"fmt"
)

// log keeps what frameslice has logged.
func (r *recording) log(v event, category, message string) {
	at := max(v.at, r.last())
	switch category {
	case logFrame:
		var number uint64
		if _, err := fmt.Sscan(message, &number); err == nil {
			f := instant{at: at, g: v.g, number: number, sample: -1}
			for n := len(r.samples); n > 0 && n > len(r.samples)-8 && at-r.samples[n-1].at <= int64(near); n-- {
				if r.samples[n-1].g == v.g { // the slice's goroutine may have told of itself since
					f.sample = n - 1
					break
				}
			}
			r.frames = append(r.frames, f)
		}
	case logWait:
		if n := len(r.frames) - 1; n >= 0 && r.frames[n].g == v.g {
			_, _ = fmt.Sscan(message, &r.frames[n].waited, &r.frames[n].woke)
		}
	case logThread:
		s := sample{at: at, g: v.g, m: v.m}
		n, _ := fmt.Sscan(message, &s.cpu, &s.delay, &s.minor, &s.major, &s.quota, &s.process)
		if n >= 5 { // earlier traces have no more
			r.samples = append(r.samples, s)
		}
	case logLate:
		l := later{at: at, g: v.g}
		_, err := fmt.Sscan(message, &l.number, &l.since, &l.interval, &l.target, &l.fault)
		if err == nil {
			r.laters = append(r.laters, l)
		}
	case logFile:
		_, _ = fmt.Sscan(message, &r.file)
	case logContinued:
		r.resumed = append(r.resumed, at)
	}
}

// late returns the frame that is asked for, or that of the Box's file, or the latest that Box.Late reported, or else
// the longest that the trace has whole.
func (r *recording) late() (l later, ok bool) {
	wanted := cmp.Or(r.wanted, r.file)
	for _, l := range r.laters {
		if wanted > 0 && l.number == wanted {
			return l, true
		}
	}
	if n := len(r.laters); n > 0 {
		return r.laters[n-1], true
	}
	for i := 1; i < len(r.frames); i++ {
		a, b := r.frames[i-1], r.frames[i]
		if d := b.at - a.at; a.g == b.g && d > l.interval {
			l = later{at: b.at, interval: d, number: b.number, g: b.g}
			ok = true
		}
	}
	return l, ok
}
