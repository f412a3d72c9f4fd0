package live

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// A warning says of late frames what the page says of them. Those for which the same is to blame share a warning, with
// the longest, and frames of more than a minute ago get none, nor does the host.
func TestWarningsOfLateFrames(t *testing.T) {
	const ms = time.Millisecond
	taken := func(sure, most time.Duration) record.Taken {
		return record.Taken{Time: sure, AtMost: most, Known: true}
	}
	known := taken(0, 0)
	for _, c := range []struct {
		own, used, cost time.Duration
		ofOwn, ofIt     record.Taken
		want            string
	}{
		{own: 370 * ms, ofOwn: taken(362*ms, 362*ms), ofIt: known,
			want: "the system took 362 ms of the 370 ms of the game's own work"},
		{own: 40 * ms, ofOwn: taken(2*ms, 2*ms), ofIt: known, want: "Update of the game took 40.0 ms"},
		{own: 40 * ms, ofIt: known, want: "Update of the game, or the system, took 40.0 ms"},
		{own: ms, used: 40 * ms, cost: 40 * ms, ofOwn: known, ofIt: known,
			want: "the task bake took 40.0 ms of a slice of 4.00 ms"},
		{own: ms, used: 40 * ms, cost: 40 * ms, ofOwn: known, ofIt: taken(0, 40*ms),
			want: "the task bake, or the system, took 40.0 ms of a slice of 4.00 ms"},
		// The own work is the longest part, but without the overrun the frame would have been on time.
		{own: 9500 * time.Microsecond, used: 8 * ms, cost: 7 * ms, ofOwn: known, ofIt: known,
			want: "the task bake took 7.00 ms of a slice of 4.00 ms"},
		{own: ms, used: 2 * ms, cost: 2 * ms, ofOwn: known, ofIt: known},
	} {
		// late is a frame that took longer by more in all its parts.
		late := func(h *handler, more time.Duration) lateState {
			r := record.Record{Number: 1, Flags: record.Sliced, Start: 1, WorstLabel: "bake", WorstCost: c.cost + more}
			r.SliceBegin = r.Start.Add(c.own + more)
			r.SliceDeadline, r.SliceEnd = r.SliceBegin.Add(4*ms), r.SliceBegin.Add(c.used+more)
			r.UpdateBegin, r.UpdateEnd, r.Updates = r.Start, r.SliceBegin, 1
			r.System.Own, r.System.Slice = c.ofOwn, c.ofIt
			d := c.own + c.used + 2*more
			if c.want == "" {
				d += 20 * ms
			}
			next := record.Record{Number: 2, Interval: d, Start: r.Start.Add(d)}
			return h.late(&next, &r, 10*ms, next.Start)
		}
		h := handler{rec: record.New(record.Options{})}
		longer, one := late(&h, ms/10), late(&h, 0)
		if c.want != "" && one.Cause != c.want {
			t.Errorf("the cause is %q, want %q", one.Cause, c.want)
		}
		for _, lates := range [][]lateState{{one}, {one, longer, one}} {
			want := "A late frame of the last minute: " + c.want + "."
			if len(lates) > 1 {
				want = "3 late frames of the last minute, the longest: " + longer.Cause + "."
			}
			got := lateCauses(lates, one.at.Add(recently))
			if c.want == "" && len(got) == 0 {
				continue
			}
			if len(got) != 1 || got[0] != want {
				t.Errorf("%q, want %q", got, want)
			}
			if got := lateCauses(lates, longer.at.Add(recently+1)); len(got) != 0 {
				t.Errorf("after a minute %q", got)
			}
		}
	}
}
