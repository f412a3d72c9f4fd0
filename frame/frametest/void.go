package frametest

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A reading is what the system knows of the frame's thread and of the process at one moment. The differences of two
// readings count.
type reading struct {
	at        deadline.Instant
	cpu       time.Duration // of the thread
	delay     time.Duration // for which the thread could run and had no processor
	process   time.Duration // processor time of all threads
	throttled time.Duration // for which the CPU quota kept threads of the process off
}

// voidShare is the part of an interval that the system must have taken away to count. A wake-up always takes some
// microseconds.
const voidShare = 16

// note says whether the system kept the thread off in the frame between two readings. Waiting counts only if the
// process left that much time to others: a program that fills all processors itself has nobody else to accuse.
func (s *sample) note(last, now reading, target time.Duration, processors int) {
	s.Kept = now.delay - last.delay
	left := time.Duration(processors)*now.at.Sub(last.at) - (now.process - last.process)
	switch {
	case now.throttled > last.throttled:
		s.By = byQuota
	case s.Kept >= target/voidShare && left >= s.Kept:
		s.By = byWaiting
	}
}

// A pause is a time in which the process stood still, or nearly so.
type pause struct{ from, to deadline.Instant }

// beatEvery is how often a second thread looks whether the process runs.
const beatEvery = 2 * time.Millisecond

// pauseBetween tells whether the process stood still between two beats, which took cpu of processor time. A beat is
// late for two reasons. Either the process's own goroutines hold every P: then they run, and use at least as much
// processor time. Or the system runs nothing of the process: a signal has stopped it, its quota is used up, or the
// whole machine stands still. The process may have run before the stop, for up to half of the gap. When the stop began
// is unknown, so all the time counts.
func pauseBetween(last, now deadline.Instant, cpu time.Duration) (pause, bool) {
	gap := now.Sub(last) - beatEvery
	return pause{last, now}, gap > beatEvery && cpu < gap/2
}

// notePauses marks the frames in which the process stood still. began is when the first of them began.
func notePauses(frames []sample, began deadline.Instant, pauses []pause, target time.Duration) {
	i := 0
	for n := range frames {
		s := &frames[n]
		end := began.Add(s.Interval)
		for i < len(pauses) && pauses[i].to <= began {
			i++
		}
		for _, p := range pauses[i:] {
			if p.from >= end {
				break
			}
			stood := min(p.to, end).Sub(max(p.from, began))
			if stood >= target/voidShare && s.By == byNobody {
				s.By = byStop
			}
			s.Kept = max(s.Kept, stood)
		}
		began = end
	}
}
