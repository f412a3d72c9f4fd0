package record

import (
	"strconv"
	"time"

	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/words"
)

// AppendCause appends why next, the record after r, came later than target, in words: the part of r that took more than
// half of the delay, or with frame.PlaceFirst the part for which the frame had too little time left beside the host's.
// If there is none, the frame's goroutine waited for the host, the display or a processor. The report, the overlay, the
// live page, framestat, the CSV and a gate all show this sentence. It takes less than a microsecond.
func (r *Record) AppendCause(b []byte, next *Record, target time.Duration) []byte {
	much := refresh.Much(next.Interval, target)
	own, overrun, pause := r.Own(), r.Overrun(), max(r.GCPause, next.GCPause)
	switch {
	case !next.follows(r):
		b = append(b, words.NoRecord...)
	case pause > much:
		b = appendTook(append(b, "a garbage collection stopped the program for"...), pause)
	case !r.Timed() && r.longSection(much) != nil:
		b = r.appendSection(b, r.longSection(much))
	case own > target && own-target/2 > much:
		b = r.appendOwn(b, own)
	case overrun > much:
		b = r.appendSlice(b, overrun)
	case next.System.Before.Time > max(much, next.Woke):
		b = appendTook(append(b, "between the frames the system took"...), next.System.Before.Time)
	case next.Woke > much:
		b = appendTook(append(b, "the system woke the loop late by"...), next.Woke)
	case r.slicedFirst() && r.Busy() > target-hostLeast && r.host(next) < target*3/2: // the host waited for a refresh
		b = r.appendTooLong(b, target-hostLeast)
	default:
		b = r.appendHost(b, next)
	}
	return b
}

// longSection returns a section that took more than much without the sections within, or nil.
func (r *Record) longSection(much time.Duration) *Section {
	for i := range r.Sections {
		if s := &r.Sections[i]; s.Own > much {
			return s
		}
	}
	return nil
}

func (r *Record) appendSection(b []byte, s *Section) []byte {
	return appendPart(append(append(b, "the section "...), s.Name...), s.Own, r.OfSection(s))
}

// appendOwn says which part of the frame's own work was long.
func (r *Record) appendOwn(b []byte, own time.Duration) []byte {
	update := time.Duration(0)
	if r.Updates > 0 {
		update = r.update()
	}
	if r.System.Own.Time > own/2 {
		return append(appendSystem(b, r.System.Own.Time, own), " of the game's own work"...)
	}
	if s := r.longSection(own / 2); s != nil {
		return r.appendSection(b, s)
	}
	switch {
	case update > own/2 && r.Updates > 1:
		own = update
		b = append(strconv.AppendUint(b, uint64(r.Updates), 10), " updates of the game"...)
	case update > own/2:
		own = update
		b = append(b, "Update of the game"...)
	case r.DrawEnd != 0:
		own -= update
		b = append(b, "Draw of the game"...)
	default:
		b = append(b, "the game's own work"...)
	}
	return appendPart(b, own, r.ofOwn(own))
}

// appendSlice says why the slice ended so much after its deadline.
func (r *Record) appendSlice(b []byte, overrun time.Duration) []byte {
	of := func(what, label string, d time.Duration, t Taken) []byte {
		b = appendPart(append(append(b, what...), words.Short(label)...), d, t)
		return appendTook(append(b, " of a slice of"...), r.Budget())
	}
	switch {
	case r.OfWorst().Time > r.WorstCost/2:
		b = append(appendSystem(b, r.OfWorst().Time, r.WorstCost), " of the task "...)
		return append(b, words.Short(r.WorstLabel)...)
	case r.System.Slice.Time > overrun/2:
		return append(appendSystem(b, r.System.Slice.Time, r.Used()), " of the slice"...)
	case r.WorstCost > overrun/2:
		return of("the task ", r.WorstLabel, r.WorstCost, r.OfWorst())
	case r.WorstJobCost > overrun/2:
		return of("the job ", r.WorstJob, r.WorstJobCost, r.OfJob())
	case r.Ran+r.JobsInSlice == 0:
		return appendTook(append(b, "the system had the processor for"...), overrun)
	case r.JobsInSlice > 0:
		return appendTook(append(b, "a job in the slice ended late by"...), overrun)
	}
	return appendTook(append(b, "the slice ended late by"...), overrun)
}

// hostLeast is half of the least time that a slice leaves to a native host, beside the own work as it usually is.
const hostLeast = time.Millisecond / 2

// appendTooLong says which part made a frame with its slice first take more than most. Such a slice leaves time for the
// own work as it usually is, so a frame can be late whose parts are all short.
func (r *Record) appendTooLong(b []byte, most time.Duration) []byte {
	if overrun := r.Overrun(); r.Busy()-overrun <= most {
		return r.appendSlice(b, overrun)
	}
	return appendTook(append(r.appendOwn(b, r.Own()), " after a slice of"...), r.Used())
}

// appendHost says what is known of a time that the frame goroutine did not use.
func (r *Record) appendHost(b []byte, next *Record) []byte {
	host := r.host(next)
	switch {
	case !r.Timed():
		return appendTook(append(b, words.NotRecorded...), host)
	case next.HostTask != "":
		b = appendTook(append(b, words.Host...), host)
		return append(append(b, " after the task "...), words.Short(next.HostTask)...)
	case r.GCCycles+next.GCCycles > 0:
		return append(appendTook(append(b, words.Host...), host), " beside a garbage collection"...)
	}
	b = appendTook(append(b, words.Host...), host)
	return appendTook(append(b, ", the frame itself"...), r.Busy())
}

// appendSystem says how much of a time the system took.
func appendSystem(b []byte, took, of time.Duration) []byte {
	return appendTook(append(appendTook(append(b, "the system took"...), took), " of the"...), of)
}

// appendPart says how long a part took, and whether that may have been the system, or how much was.
func appendPart(b []byte, d time.Duration, t Taken) []byte {
	_, system, either := t.Split(d)
	if either > d/2 {
		b = append(b, ", or the system,"...)
	}
	b = appendTook(append(b, " took"...), d)
	if system > d/10 {
		b = appendTook(append(b, ", of which the system took"...), system)
	}
	return b
}

func appendTook(b []byte, d time.Duration) []byte {
	return append(words.AppendMS(append(b, ' '), words.Millis(d)), " ms"...)
}
