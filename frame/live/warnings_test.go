package live

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// A warning names what took most of the late frames of the last minute, with what the system took left out.
func TestWarningsOfLateFrames(t *testing.T) {
	const ms = time.Millisecond
	known := record.Taken{Known: true}
	taken := func(sure, most time.Duration) record.Taken {
		return record.Taken{Time: sure, AtMost: most, Known: true}
	}
	for _, c := range []struct {
		own, cost   time.Duration
		ofOwn, ofIt record.Taken
		want        string
	}{
		{own: 370 * ms, ofOwn: taken(362*ms, 362*ms), ofIt: known, want: "The system took 362ms of a late frame"},
		{own: 40 * ms, ofOwn: taken(2*ms, 2*ms), ofIt: known, want: "The game's own work took 38ms of a late frame"},
		{own: 40 * ms, ofIt: known, want: "The game's own work, or the system, took 40ms of a late frame"},
		{own: ms, cost: 409 * ms, ofOwn: known, ofIt: taken(405*ms, 405*ms),
			want: "The system took 405ms of a late frame"},
		{own: ms, cost: 40 * ms, ofOwn: known, ofIt: known, want: "The task bake took 40ms of a late frame"},
		{own: ms, cost: 40 * ms, ofOwn: known, ofIt: taken(0, 40*ms),
			want: "The task bake, or the system, took 40ms of a late frame"},
		{own: ms, cost: 2 * ms, ofOwn: known, ofIt: known}, // the host took the rest
	} {
		r := record.Record{Number: 1, Flags: record.Sliced, Start: 1, WorstLabel: "bake", WorstCost: c.cost}
		r.SliceBegin = r.Start.Add(c.own)
		r.SliceDeadline, r.SliceEnd = r.SliceBegin.Add(4*ms), r.SliceBegin.Add(c.cost)
		r.UpdateBegin, r.UpdateEnd, r.Updates = r.Start, r.SliceBegin, 1
		r.System.Own, r.System.Slice = c.ofOwn, c.ofIt
		next := record.Record{Number: 2, Interval: c.own + c.cost + 8*ms, Start: r.Start.Add(c.own + c.cost + 8*ms)}
		h := handler{rec: record.New(record.Options{})}
		one := h.late(&next, &r, 16*ms, next.Start)
		lates := []lateState{one, one}
		got := culprits(lates, next.Start.Add(recently))
		if c.want == "" && len(got) == 0 {
			continue
		}
		if want := c.want + ", 2 times lately."; len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := culprits(lates, next.Start.Add(recently+1)); len(got) != 0 {
			t.Errorf("after a minute %q", got)
		}
	}
}
