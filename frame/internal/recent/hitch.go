package recent

import (
	"strconv"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

// Hitch is the latest frame that was shown late, and why, in words.
type Hitch struct {
	At    deadline.Instant
	Late  time.Duration // the interval; 0 = there was no hitch
	Frame uint64        // that came late
	Cause []byte        // reused
}

// Around is what went on beside a frame.
type Around struct {
	Uploads  string // the kind of task after which the host took long, or ""
	Running  int    // jobs that run
	Runnable int    // goroutines that wait for a processor
	Procs    int    // GOMAXPROCS
}

// Blame fills in h for the frame r, whose interval was too long. cause is the frame before, in which the work was done.
// It names a part that explains half of the delay. If there is none, the frame's goroutine waited: for the host, the
// display or a processor.
func (h *Hitch) Blame(r, cause *record.Record, target time.Duration, w Around) {
	h.At, h.Late, h.Frame = r.Start, r.Interval, r.Number
	much := (r.Interval - target) / 2
	own, overrun := OwnPart(cause), cause.Overrun()
	b := h.Cause[:0]
	switch {
	case cause.Number+1 != r.Number:
		b = append(b, "the frame before has no record"...)
	case max(cause.GCPause, r.GCPause) > much:
		b = appendTook(append(b, "a garbage collection stopped the program for"...), max(cause.GCPause, r.GCPause))
	case longSection(cause, much) != nil:
		b = appendSection(b, cause, longSection(cause, much))
	case own > target && own-target/2 > much:
		if cause.System.Own.Time > own/2 {
			b = appendSystem(b, cause.System.Own.Time, own)
			b = append(b, " of the game's own work"...)
			break
		}
		b = appendOwn(b, cause)
	case overrun > much && cause.OfWorst().Time > cause.WorstCost/2:
		b = appendSystem(b, cause.OfWorst().Time, cause.WorstCost)
		b = append(append(b, " of the task "...), Short(cause.WorstLabel)...)
	case overrun > much && cause.System.Slice.Time > overrun/2:
		b = append(appendSystem(b, cause.System.Slice.Time, cause.Used()), " of the slice"...)
	case overrun > much && cause.WorstCost > overrun/2:
		b = append(append(b, "the task "...), Short(cause.WorstLabel)...)
		b = appendPart(b, cause.WorstCost, cause.OfWorst())
		b = appendTook(append(b, " of a slice of"...), cause.Budget())
	case overrun > much && cause.WorstJobCost > overrun/2:
		b = append(append(b, "the job "...), Short(cause.WorstJob)...)
		b = appendPart(b, cause.WorstJobCost, cause.OfJob())
		b = appendTook(append(b, " of a slice of"...), cause.Budget())
	case overrun > much && cause.Ran+cause.JobsInSlice == 0:
		b = appendTook(append(b, "the system had the processor for"...), overrun)
		b = appendBeside(b, r, cause, w)
	case overrun > much && cause.JobsInSlice > 0:
		b = appendTook(append(b, "a job in the slice ended late by"...), overrun)
	case overrun > much:
		b = appendTook(append(b, "the slice ended late by"...), overrun)
	case r.System.Before.Time > much && r.System.Before.Time > r.Woke:
		b = appendTook(append(b, "between the frames the system took"...), r.System.Before.Time)
	case r.Woke > much:
		b = appendTook(append(b, "the system woke the loop late by"...), r.Woke)
	default:
		b = appendHost(b, r, cause, w)
	}
	h.Cause = b
}

// Explain takes the sentence of the recorder about the frame, once there is one, in place of the cause.
func (h *Hitch) Explain(rec *record.Recorder) {
	if h.Late == 0 {
		return
	}
	if why := rec.Explained(h.Frame); why != "" {
		h.Cause = append(h.Cause[:0], why...)
	}
}

// longSection returns the section that took more than much, of a frame of which only sections are recorded. Of other
// frames own work is asked first.
func longSection(r *record.Record, much time.Duration) *record.Section {
	for i := range r.Sections {
		if s := &r.Sections[i]; !r.Timed() && s.Own > much {
			return s
		}
	}
	return nil
}

func appendSection(b []byte, r *record.Record, s *record.Section) []byte {
	return appendPart(append(append(b, "the section "...), s.Name...), s.Own, r.OfSection(s))
}

// appendSystem says how much of a time the system took.
func appendSystem(b []byte, took, of time.Duration) []byte {
	b = appendTook(append(b, "the system took"...), took)
	return appendTook(append(b, " of the"...), of)
}

// appendPart says how long a part took, and whether that may have been the system, or how much was.
func appendPart(b []byte, d time.Duration, t record.Taken) []byte {
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

// appendOwn says which part of the game's own work was long.
func appendOwn(b []byte, cause *record.Record) []byte {
	update := max(0, cause.UpdateEnd.Sub(cause.UpdateBegin))
	if cause.Updates == 0 {
		update = 0
	}
	own := OwnPart(cause)
	for i := range cause.Sections {
		if s := &cause.Sections[i]; s.Own > own/2 {
			return appendSection(b, cause, s)
		}
	}
	d := own
	switch {
	case update > own/2 && cause.Updates > 1:
		d = update
		b = append(strconv.AppendInt(b, int64(cause.Updates), 10), " updates of the game"...)
	case update > own/2:
		d = update
		b = append(b, "Update of the game"...)
	case cause.DrawEnd != 0:
		d = own - update
		b = append(b, "Draw of the game"...)
	default:
		b = append(b, "the game's own work"...)
	}
	return appendPart(b, d, cause.OfOwn(d))
}

// appendHost says what is known of a time that the frame goroutine did not use.
func appendHost(b []byte, r, cause *record.Record, w Around) []byte {
	host := max(0, r.Interval-cause.Busy()-r.Waited)
	if !cause.Timed() {
		return appendTook(append(b, "not recorded:"...), host)
	}
	b = appendTook(append(b, "host, display or system:"...), host)
	if w.Uploads != "" {
		return append(append(b, " after the task "...), Short(w.Uploads)...)
	}
	return appendBeside(b, r, cause, w)
}

// appendBeside says what may have had the processors meanwhile.
func appendBeside(b []byte, r, cause *record.Record, w Around) []byte {
	switch {
	case w.Runnable > w.Procs:
		b = strconv.AppendInt(append(b, ", "...), int64(w.Runnable), 10)
		b = append(b, " goroutines wait for a processor"...)
	case cause.GCCycles+r.GCCycles > 0:
		b = append(b, " beside a garbage collection"...)
	case w.Running >= w.Procs:
		b = strconv.AppendInt(append(b, " beside "...), int64(w.Running), 10)
		b = append(b, " running jobs"...)
	default:
		b = appendTook(append(b, ", the frame itself"...), cause.Busy())
	}
	return b
}

// appendTook writes a duration in milliseconds with the digits that matter.
func appendTook(b []byte, d time.Duration) []byte {
	ms, decimals := float64(d)/1e6, 2
	if ms >= 9.995 {
		decimals--
	}
	if ms >= 99.95 {
		decimals--
	}
	return append(strconv.AppendFloat(append(b, ' '), ms, 'f', decimals, 64), " ms"...)
}

// Short leaves out of a function's name the path of its package, and the mark of a method value. Other labels stay as
// they are.
func Short(label string) string {
	if label == "" {
		return "without a name"
	}
	name := label[strings.LastIndexByte(label, '/')+1:]
	if !strings.Contains(name, ".") || strings.Contains(label, " ") {
		return label
	}
	return strings.TrimSuffix(name, "-fm")
}
