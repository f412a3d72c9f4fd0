package live

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// A warning about the game leaves out what the system took, and says where the system may have been the cause.
func TestWarningsOfWhatTheSystemTook(t *testing.T) {
	const ms = time.Millisecond
	taken := func(sure, most time.Duration) record.Taken {
		return record.Taken{Time: sure, AtMost: most, Known: true}
	}
	for _, c := range []struct {
		own, cost   time.Duration
		ofOwn, ofIt record.Taken
		want        []string
	}{
		{own: 370 * ms, ofOwn: taken(362*ms, 362*ms), ofIt: taken(0, 0),
			want: []string{"The system kept the frame off its processor: 362ms of 370ms, once lately."}},
		{own: 40 * ms, ofOwn: taken(2*ms, 2*ms), ofIt: taken(0, 0),
			want: []string{"The game's own work took longer than a whole frame: 38ms, once lately."}},
		{own: 40 * ms, ofIt: taken(0, 0),
			want: []string{"The game's own work, or the system, took longer than a whole frame: 40ms, once lately."}},
		{own: ms, cost: 409 * ms, ofOwn: taken(0, 0), ofIt: taken(405*ms, 405*ms),
			want: []string{"The system kept the frame off its processor: 405ms of 409ms, once lately."}},
		{own: ms, cost: 40 * ms, ofOwn: taken(0, 0), ofIt: taken(0, 0), want: []string{
			"The task bake never yielded for longer than a whole frame: 40ms, once lately."}},
		{own: ms, cost: 40 * ms, ofOwn: taken(0, 0), ofIt: taken(0, 40*ms), want: []string{
			"The task bake, or the system in it, never yielded for longer than a whole frame: 40ms, once lately."}},
		{own: ms, cost: 9 * ms, ofOwn: taken(0, 0), ofIt: taken(0, 0),
			want: []string{"The task bake was over the budget: 9ms in a slice of 4ms, once lately."}},
		{own: ms, cost: 9 * ms, ofOwn: taken(0, 0), ofIt: taken(8*ms, 9*ms)},
	} {
		r := record.Record{Flags: record.Sliced, Start: 1, WorstLabel: "bake", WorstCost: c.cost}
		r.SliceBegin = r.Start.Add(c.own)
		r.SliceDeadline, r.SliceEnd = r.SliceBegin.Add(4*ms), r.SliceBegin.Add(c.cost)
		r.UpdateBegin, r.UpdateEnd, r.Updates = r.Start, r.SliceBegin, 1
		r.System.Own, r.System.Slice = c.ofOwn, c.ofIt
		var l longest
		l.add(&r, 16*ms)
		if len(l.kinds) != len(c.want) || len(c.want) > 0 && l.kinds[0].String() != c.want[0] {
			t.Errorf("%+v: %v", c, l.kinds)
			for i := range l.kinds {
				t.Error(l.kinds[i].String())
			}
		}
	}
}
