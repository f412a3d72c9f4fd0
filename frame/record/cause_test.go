package record

import (
	"cmp"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// The cause of a hitch is the part of the frame before that explains it.
func TestCauseInWords(t *testing.T) {
	at := func(d time.Duration) deadline.Instant { return deadline.Instant(time.Hour + d) }
	sliced := func(begin, budget, used time.Duration) Record {
		return Record{Start: at(0), SliceBegin: at(begin), SliceDeadline: at(begin + budget),
			SliceEnd: at(begin + used), Flags: Sliced, DrawEnd: at(begin),
			System: System{Own: Taken{Known: true}, Slice: Taken{Known: true}}}
	}
	with := func(r Record, change func(*Record)) Record {
		change(&r)
		return r
	}
	// first makes a frame whose slice of 9 ms, used so far, comes before the own work.
	first := func(used, own time.Duration) Record {
		r := sliced(0, 9*ms, used)
		r.Updates, r.UpdateBegin, r.UpdateEnd, r.DrawEnd = 1, at(used), at(used+own), at(used+own)
		r.Ran, r.WorstLabel, r.WorstCost = 9, "example.com/game.spawn", 7*ms
		return r
	}
	refresh := Record{Interval: 33 * ms}
	calm := sliced(3*ms, 10*ms, 2*ms)
	for _, c := range []struct {
		want  string
		cause Record
		late  Record
	}{
		{want: "Update of the game took 41.0 ms", cause: with(sliced(43*ms, 1*ms, 0), func(r *Record) {
			r.Updates, r.UpdateBegin, r.UpdateEnd = 1, at(0), at(41*ms)
		})},
		{want: "3 updates of the game took 30.0 ms", cause: with(sliced(43*ms, 1*ms, 0), func(r *Record) {
			r.Updates, r.UpdateBegin, r.UpdateEnd = 3, at(0), at(30*ms)
		})},
		{want: "Draw of the game took 40.0 ms", cause: with(sliced(43*ms, 1*ms, 0), func(r *Record) {
			r.Updates, r.UpdateBegin, r.UpdateEnd = 1, at(0), at(3*ms)
		})},
		{want: "the game's own work took 44.0 ms", cause: with(sliced(44*ms, 1*ms, 0), func(r *Record) {
			r.DrawEnd = 0
		})},
		{want: "the section physics took 30.0 ms", cause: with(sliced(44*ms, 1*ms, 0), func(r *Record) {
			r.Sections = []Section{{Name: "ai", Own: 9 * ms}, {Name: "physics", Own: 30 * ms}}
		})},
		{want: "the task game.spawn took 39.0 ms of a slice of 10.0 ms",
			cause: with(sliced(3*ms, 10*ms, 40*ms), func(r *Record) {
				r.WorstLabel, r.WorstCost = "example.com/game.spawn", 39*ms
			})},
		{want: "the job game.load took 36.0 ms of a slice of 10.0 ms",
			cause: with(sliced(3*ms, 10*ms, 40*ms), func(r *Record) {
				r.JobsInSlice, r.WorstJob, r.WorstJobCost = 1, "example.com/game.load", 36*ms
			})},
		{want: "a job in the slice ended late by 30.0 ms", cause: with(sliced(3*ms, 10*ms, 40*ms),
			func(r *Record) { r.JobsInSlice = 1 })},
		{want: "the slice ended late by 30.0 ms", cause: with(sliced(3*ms, 10*ms, 40*ms),
			func(r *Record) { r.Ran = 9 })},
		{want: "the system had the processor for 30.0 ms",
			cause: sliced(3*ms, 10*ms, 40*ms)},
		{want: "the system took 43.0 ms of the 44.0 ms of the game's own work", cause: with(sliced(44*ms, ms, 0),
			func(r *Record) { r.System.Own = Taken{Time: 43 * ms, AtMost: 43 * ms, Known: true} })},
		{want: "the game's own work took 44.0 ms, of which the system took 20.0 ms", cause: with(sliced(44*ms, ms, 0),
			func(r *Record) {
				r.DrawEnd = 0
				r.System.Own = Taken{Time: 20 * ms, AtMost: 21 * ms, Known: true}
			})},
		{want: "the game's own work, or the system, took 44.0 ms", cause: with(sliced(44*ms, ms, 0),
			func(r *Record) { r.DrawEnd, r.System.Own = 0, Taken{} })},
		{want: "the section physics, or the system, took 30.0 ms", cause: with(sliced(44*ms, 1*ms, 0),
			func(r *Record) {
				r.System.Own = Taken{AtMost: 44 * ms, Known: true}
				r.Sections = []Section{{Name: "physics", Own: 30 * ms}}
			})},
		{want: "the system took 38.0 ms of the 39.0 ms of the task game.spawn", cause: with(sliced(3*ms, 10*ms, 40*ms),
			func(r *Record) {
				r.WorstLabel, r.WorstCost = "example.com/game.spawn", 39*ms
				r.System.Slice = Taken{Time: 39 * ms, AtMost: 39 * ms, Known: true}
			})},
		{want: "the system took 38.0 ms of the 40.0 ms of the slice", cause: with(sliced(3*ms, 10*ms, 40*ms),
			func(r *Record) {
				r.Ran, r.System.Slice = 9, Taken{Time: 38 * ms, AtMost: 39 * ms, Known: true}
			})},
		{want: "between the frames the system took 43.0 ms", cause: calm, late: Record{
			System: System{Before: Taken{Time: 43 * ms, AtMost: 45 * ms, Known: true}}}},
		{want: "a garbage collection stopped the program for 25.0 ms",
			cause: with(calm, func(r *Record) { r.GCPause = 25 * ms })},
		{want: "the system woke the loop late by 28.0 ms", cause: calm, late: Record{Woke: 28 * ms}},
		{want: "host, display or system: 45.0 ms, the frame itself 5.00 ms", cause: calm},
		{want: "host, display or system: 45.0 ms after the task game.upload", cause: calm,
			late: Record{HostTask: "example.com/game.upload"}},
		{want: "host, display or system: 45.0 ms beside a garbage collection", late: Record{
			Counts: Counts{GCCycles: 1}}, cause: calm},
		{want: "Update of the game took 8.00 ms after a slice of 9.00 ms", cause: first(9*ms, 8*ms), late: refresh},
		{want: "Update of the game took 7.30 ms after a slice of 9.00 ms", cause: first(9*ms, 7300*time.Microsecond),
			late: refresh},
		{want: "host, display or system: 17.0 ms, the frame itself 16.0 ms", cause: first(9*ms, 7*ms), late: refresh},
		{want: "Draw of the game took 8.00 ms after a slice of 9.00 ms", cause: with(first(9*ms, 8*ms),
			func(r *Record) { r.Updates, r.UpdateBegin, r.UpdateEnd = 0, 0, 0 }), late: refresh},
		{want: "the section physics took 5.00 ms after a slice of 9.00 ms", cause: with(first(9*ms, 8*ms),
			func(r *Record) { r.Sections = []Section{{Name: "physics", Own: 5 * ms}} }), late: refresh},
		{want: "the system took 6.00 ms of the 8.00 ms of the game's own work after a slice of 9.00 ms", late: refresh,
			cause: with(first(9*ms, 8*ms), func(r *Record) {
				r.System.Own = Taken{Time: 6 * ms, AtMost: 6 * ms, Known: true}
			})},
		{want: "Update of the game took 12.0 ms after a slice of 9.00 ms", cause: first(9*ms, 12*ms),
			late: Record{Interval: 33 * ms, Waited: 12 * ms}},
		{want: "the task game.spawn took 7.00 ms of a slice of 9.00 ms", cause: first(13*ms, 4*ms), late: refresh},
		{want: "host, display or system: 33.0 ms, the frame itself 17.0 ms", cause: first(9*ms, 8*ms)},
		{want: "host, display or system: 16.0 ms, the frame itself 17.0 ms", cause: sliced(8*ms, 9*ms, 9*ms),
			late: refresh},
		{want: "the frame before has no record", cause: Record{}},
		{want: "not recorded: 50.0 ms", cause: Record{Start: at(0)}, late: Record{HostTask: "a"}},
		{want: "not recorded: 40.0 ms", cause: Record{Start: at(0)}, late: Record{Waited: 10 * ms}},
		{want: "the system woke the loop late by 28.0 ms", cause: Record{Start: at(0)},
			late: Record{Woke: 28 * ms}},
		{want: "the section physics, or the system, took 30.0 ms", cause: Record{Start: at(0),
			Sections: []Section{{Name: "ai", Own: 9 * ms}, {Name: "physics", Own: 30 * ms}}}},
	} {
		late := c.late
		late.Interval = cmp.Or(late.Interval, 50*ms)
		late.Start = at(late.Interval)
		if got := string(c.cause.AppendCause(nil, &late, time.Second/60)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
