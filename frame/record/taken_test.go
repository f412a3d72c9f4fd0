package record

import (
	"strings"
	"testing"
	"time"
)

// What the system took, what may be either, and the work add up to the part.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		taken                Taken
		work, system, either time.Duration
	}{
		{Taken{}, 0, 0, 10 * ms},
		{Taken{Known: true}, 10 * ms, 0, 0},
		{Taken{8 * ms, 9 * ms, true}, ms, 8 * ms, ms},
		{Taken{8 * ms, 8 * ms, true}, 2 * ms, 8 * ms, 0},
		{Taken{0, 10 * ms, true}, 0, 0, 10 * ms},
		{Taken{20 * ms, 30 * ms, true}, 0, 10 * ms, 0},
	} {
		if w, s, e := c.taken.Split(10 * ms); w != c.work || s != c.system || e != c.either {
			t.Errorf("%+v of 10 ms: %v, %v, %v, want %v, %v, %v", c.taken, w, s, e, c.work, c.system, c.either)
		}
	}
}

// Of a task, or a section, only what cannot have been taken beside it was taken for sure.
func TestOfTheParts(t *testing.T) {
	r := Record{
		SliceBegin: 1, SliceEnd: 1 + 50*1e6, Flags: Sliced, WorstCost: 40 * ms,
		System: System{Slice: Taken{35 * ms, 45 * ms, true}},
	}
	if got, want := r.OfWorst(), (Taken{25 * ms, 40 * ms, true}); got != want {
		t.Errorf("of the task: %v, want %v", got, want)
	}
	own := Record{UpdateEnd: 100 * 1e6, Updates: 1, System: System{Own: Taken{95 * ms, 96 * ms, true}}}
	if got, want := own.OfSection(&Section{Own: 80 * ms}), (Taken{75 * ms, 80 * ms, true}); got != want {
		t.Errorf("of a section: %v, want %v", got, want)
	}
	if got := own.OfSection(&Section{Own: ms}); got != (Taken{0, ms, true}) {
		t.Errorf("of a short section: %v", got)
	}
}

// A late frame's line tells the system's part apart, and does not accuse where that is not known.
func TestLateFramesByTheSystem(t *testing.T) {
	for _, c := range []struct {
		own  Taken
		want string
	}{
		{Taken{95 * ms, 95 * ms, true}, "frame 1, 120.0 ms: the system 95.0, host 20.0"},
		{Taken{0, 1 * ms, true}, "frame 1, 120.0 ms: section ai 90.0, host 20.0, own work 10.0"},
		{Taken{0, 99 * ms, true}, "frame 1, 120.0 ms: section ai or the system 90.0, host 20.0, own work 10.0"},
		{Taken{}, "frame 1, 120.0 ms: section ai or the system 90.0, host 20.0, own work 10.0"},
	} {
		rec := quiet(Options{Target: 10 * ms, WarmUp: -1})
		rec.Add(Record{
			Number: 1, Start: 1, UpdateBegin: 1, UpdateEnd: 1 + 100*1e6, HandedOver: 1 + 100*1e6, Updates: 1,
			System:   System{Own: c.own},
			Sections: []Section{{Name: "ai", Own: 90 * ms, Time: 90 * ms, Calls: 1}},
		})
		rec.Add(Record{Number: 2, Start: 1 + 120*1e6, Interval: 120 * ms})
		rep := NewReport("x", rec.Snapshot(), Environment{})
		if len(rep.LateFrames) != 1 || rep.LateFrames[0].String() != c.want {
			t.Errorf("%+v: %v, want %s", c.own, rep.LateFrames, c.want)
		}
		if took := "taken by the system, ms"; !strings.Contains(rep.Text(), took) {
			t.Errorf("the report lacks %q", took)
		}
	}
}
