package recent

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

// The cause of a hitch is the part of the frame before that explains it.
func TestCauseInWords(t *testing.T) {
	const ms = time.Millisecond
	at := func(d time.Duration) deadline.Instant { return deadline.Instant(time.Hour + d) }
	sliced := func(begin, budget, used time.Duration) record.Record {
		return record.Record{Number: 1, Start: at(0), SliceBegin: at(begin), SliceDeadline: at(begin + budget),
			SliceEnd: at(begin + used), Flags: record.Sliced, DrawEnd: at(begin),
			System: record.System{Own: record.Taken{Known: true}, Slice: record.Taken{Known: true}}}
	}
	with := func(r record.Record, change func(*record.Record)) record.Record {
		change(&r)
		return r
	}
	calm := sliced(3*ms, 10*ms, 2*ms)
	for _, c := range []struct {
		want  string
		cause record.Record
		late  record.Record
		w     Around
	}{
		{want: "Update of the game took 41.0 ms", cause: with(sliced(43*ms, 1*ms, 0), func(r *record.Record) {
			r.Updates, r.UpdateBegin, r.UpdateEnd = 1, at(0), at(41*ms)
		})},
		{want: "3 updates of the game took 30.0 ms", cause: with(sliced(43*ms, 1*ms, 0), func(r *record.Record) {
			r.Updates, r.UpdateBegin, r.UpdateEnd = 3, at(0), at(30*ms)
		})},
		{want: "Draw of the game took 40.0 ms", cause: with(sliced(43*ms, 1*ms, 0), func(r *record.Record) {
			r.Updates, r.UpdateBegin, r.UpdateEnd = 1, at(0), at(3*ms)
		})},
		{want: "the game's own work took 44.0 ms", cause: with(sliced(44*ms, 1*ms, 0), func(r *record.Record) {
			r.DrawEnd = 0
		})},
		{want: "the section physics took 30.0 ms", cause: with(sliced(44*ms, 1*ms, 0), func(r *record.Record) {
			r.Sections = []record.Section{{Name: "ai", Own: 9 * ms}, {Name: "physics", Own: 30 * ms}}
		})},
		{want: "the task game.spawn took 39.0 ms of a slice of 10.0 ms",
			cause: with(sliced(3*ms, 10*ms, 40*ms), func(r *record.Record) {
				r.WorstLabel, r.WorstCost = "example.com/game.spawn", 39*ms
			})},
		{want: "the job game.load took 36.0 ms of a slice of 10.0 ms",
			cause: with(sliced(3*ms, 10*ms, 40*ms), func(r *record.Record) {
				r.JobsInSlice, r.WorstJob, r.WorstJobCost = 1, "example.com/game.load", 36*ms
			})},
		{want: "a job in the slice ended late by 30.0 ms", cause: with(sliced(3*ms, 10*ms, 40*ms),
			func(r *record.Record) { r.JobsInSlice = 1 })},
		{want: "the slice ended late by 30.0 ms", cause: with(sliced(3*ms, 10*ms, 40*ms),
			func(r *record.Record) { r.Ran = 9 })},
		{want: "the system had the processor for 30.0 ms, 9 goroutines wait for a processor",
			cause: sliced(3*ms, 10*ms, 40*ms), w: Around{Runnable: 9}},
		{want: "the system took 43.0 ms of the 44.0 ms of the game's own work", cause: with(sliced(44*ms, ms, 0),
			func(r *record.Record) { r.System.Own = record.Taken{Time: 43 * ms, AtMost: 43 * ms, Known: true} })},
		{want: "the game's own work took 44.0 ms, of which the system took 20.0 ms", cause: with(sliced(44*ms, ms, 0),
			func(r *record.Record) {
				r.DrawEnd = 0
				r.System.Own = record.Taken{Time: 20 * ms, AtMost: 21 * ms, Known: true}
			})},
		{want: "the game's own work, or the system, took 44.0 ms", cause: with(sliced(44*ms, ms, 0),
			func(r *record.Record) { r.DrawEnd, r.System.Own = 0, record.Taken{} })},
		{want: "the section physics, or the system, took 30.0 ms", cause: with(sliced(44*ms, 1*ms, 0),
			func(r *record.Record) {
				r.System.Own = record.Taken{AtMost: 44 * ms, Known: true}
				r.Sections = []record.Section{{Name: "physics", Own: 30 * ms}}
			})},
		{want: "the system took 38.0 ms of the 39.0 ms of the task game.spawn", cause: with(sliced(3*ms, 10*ms, 40*ms),
			func(r *record.Record) {
				r.WorstLabel, r.WorstCost = "example.com/game.spawn", 39*ms
				r.System.Slice = record.Taken{Time: 39 * ms, AtMost: 39 * ms, Known: true}
			})},
		{want: "the system took 38.0 ms of the 40.0 ms of the slice", cause: with(sliced(3*ms, 10*ms, 40*ms),
			func(r *record.Record) {
				r.Ran, r.System.Slice = 9, record.Taken{Time: 38 * ms, AtMost: 39 * ms, Known: true}
			})},
		{want: "between the frames the system took 43.0 ms", cause: calm, late: record.Record{
			System: record.System{Before: record.Taken{Time: 43 * ms, AtMost: 45 * ms, Known: true}}}},
		{want: "a garbage collection stopped the program for 25.0 ms",
			cause: with(calm, func(r *record.Record) { r.GCPause = 25 * ms })},
		{want: "the system woke the loop late by 28.0 ms", cause: calm, late: record.Record{Woke: 28 * ms}},
		{want: "host, display or system: 45.0 ms, the frame itself 5.00 ms", cause: calm},
		{want: "host, display or system: 45.0 ms after the task game.upload", cause: calm,
			w: Around{Uploads: "example.com/game.upload", Runnable: 9}},
		{want: "host, display or system: 45.0 ms, 9 goroutines wait for a processor", cause: calm,
			w: Around{Runnable: 9}},
		{want: "host, display or system: 45.0 ms beside a garbage collection", late: record.Record{
			Counts: record.Counts{GCCycles: 1}}, cause: calm, w: Around{Running: 2}},
		{want: "host, display or system: 45.0 ms beside 2 running jobs", cause: calm, w: Around{Running: 2}},
		{want: "the frame before has no record", cause: record.Record{}},
		{want: "not recorded: 50.0 ms", cause: record.Record{Number: 1}, w: Around{Uploads: "a", Runnable: 9}},
		{want: "not recorded: 40.0 ms", cause: record.Record{Number: 1}, late: record.Record{Waited: 10 * ms}},
		{want: "the system woke the loop late by 28.0 ms", cause: record.Record{Number: 1},
			late: record.Record{Woke: 28 * ms}},
		{want: "the section physics, or the system, took 30.0 ms", cause: record.Record{Number: 1,
			Sections: []record.Section{{Name: "ai", Own: 9 * ms}, {Name: "physics", Own: 30 * ms}}}},
	} {
		late := c.late
		late.Number, late.Start, late.Interval = 2, at(50*ms), 50*ms
		c.w.Procs = 2
		var h Hitch
		h.Blame(&late, &c.cause, refresh, c.w)
		if string(h.Cause) != c.want || h.Late != 50*ms || h.At != late.Start {
			t.Errorf("%v at %v: %s, want %s", h.Late, h.At, h.Cause, c.want)
		}
	}
}

// The sentence that the recorder gets of the frame, some time later, takes the place of the cause.
func TestExplain(t *testing.T) {
	rec := record.New(record.Options{})
	var h Hitch
	h.Explain(rec) // no frame was late
	h.Blame(&record.Record{Number: 7, Interval: 50 * time.Millisecond}, &record.Record{Number: 6}, refresh, Around{})
	cause := string(h.Cause)
	rec.Explain(6, "another frame's")
	if h.Explain(rec); string(h.Cause) != cause {
		t.Errorf("%s, want %s", h.Cause, cause)
	}
	rec.Explain(7, "why")
	if h.Explain(rec); string(h.Cause) != "why" {
		t.Errorf("%s, want the sentence", h.Cause)
	}
}
