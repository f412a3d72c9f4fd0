package record

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
)

// quiet returns a Recorder that leaves the collector's figures as they are given.
func quiet(o Options) *Recorder {
	r := New(o)
	r.gc = nil
	return r
}

// known is of a frame of which the system took nothing.
var known = System{Own: Taken{Known: true}, Slice: Taken{Known: true}, Before: Taken{Known: true}}

// OnLate hears of each frame that counts and missed a refresh, once it is recorded.
func TestOnLateHearsOfMissedRefreshes(t *testing.T) {
	var late []uint64
	rec := quiet(Options{Target: 10 * ms, WarmUp: 2})
	rec.OnLate(func(r Record) {
		if last := rec.Recent(make([]Record, 1)); last[0].Number != r.Number || r.Target <= 0 {
			t.Errorf("frame %d is not recorded yet, or has no target: %v", r.Number, r.Target)
		}
		late = append(late, r.Number)
	})
	for i, d := range []time.Duration{0, 90, 10, 14, 15, 10, 40, 500, 19} {
		r := Record{Number: uint64(i + 1), Start: deadline.Instant(i + 1), Interval: d * ms}
		if d == 500 {
			r.Flags |= Jump
		}
		if d == 19 {
			r.Target = 20 * ms
		}
		rec.Add(r)
	}
	if len(late) != 2 || late[0] != 5 || late[1] != 7 {
		t.Errorf("heard of %v, want 5 and 7", late)
	}
}

// Further listeners are called after those that came before.
func TestOnLateTakesListeners(t *testing.T) {
	heard := ""
	rec := quiet(Options{Target: 10 * ms, WarmUp: -1})
	rec.OnLate(func(Record) { heard += "a" })
	for i, name := range []string{"b", "c"} {
		rec.OnLate(func(Record) { heard += name })
		rec.Add(Record{Number: uint64(i + 1), Start: deadline.Instant(i + 1), Interval: 40 * ms})
	}
	if heard != "ababc" {
		t.Errorf("heard %q", heard)
	}
}

// numbered is a record all of whose fields follow from its number, so that a torn one shows.
func numbered(i uint64) Record {
	start := deadline.Instant(i * 1000)
	return Record{
		Number: i, Start: start, Interval: time.Duration(i),
		SliceBegin: start, SliceEnd: start.Add(time.Duration(i % 7)),
		SliceDeadline: start.Add(3), Counts: Counts{Ran: i}, Flags: Sliced, Updates: 1, System: known,
		WorstLabel: labels[i%uint64(len(labels))], WorstCost: time.Duration(i),
	}
}

var labels = []string{"", "a", "bb", "ccc"}

func add(r *Recorder, from, to uint64) {
	for i := from; i <= to; i++ {
		r.Add(numbered(i))
	}
}

// checkRun reports whether records are the numbers up to last, without a gap, each whole.
func checkRun(records []Record, last uint64) error {
	for i := range records {
		want := numbered(last - uint64(len(records)-1-i))
		if records[i].Number != want.Number || !reflect.DeepEqual(records[i], want) {
			return fmt.Errorf("record %d of %d: got %+v, want %+v", i, len(records), records[i], want)
		}
	}
	return nil
}

func TestResetForgets(t *testing.T) {
	r := quiet(Options{Records: 200, WarmUp: 5})
	add(r, 1, 150)
	before := r.Snapshot()
	longest := before.Interval.Max()
	r.Reset()
	if s := r.Snapshot(); s.Totals != (Totals{}) || len(s.Records) != 0 || s.Interval.Count() != 0 {
		t.Errorf("after Reset: got %+v, %d records", s.Totals, len(s.Records))
	}
	add(r, 151, 160)
	if n := before.Interval.Count(); n != 145 || before.Interval.Max() != longest {
		t.Errorf("a Snapshot that was taken before has %d intervals, want 145", n)
	}
	s := r.Snapshot()
	if s.Totals.Frames != 10 || s.Totals.WarmUp != 0 || len(s.Records) != 10 {
		t.Errorf("got %d frames, %d warm-up, %d records; want 10, 0, 10",
			s.Totals.Frames, s.Totals.WarmUp, len(s.Records))
	}
	if err := checkRun(s.Records, 160); err != nil {
		t.Error(err)
	}
}

// A jump in the warm-up counts once, with its time, and a flag counts only if Options.Exclude names it.
func TestWarmUpAndJumpsAreCountedAndLeftOut(t *testing.T) {
	r := quiet(Options{Target: 10 * ms, WarmUp: 3, Exclude: Loading})
	for _, f := range []Record{
		{}, {Interval: time.Second}, {Interval: 2 * time.Second, Flags: Jump}, {}, {Interval: 10 * ms},
		{Interval: 500 * ms, Flags: Loading}, {Interval: 500 * ms, Flags: Unfocused},
	} {
		r.Add(f)
	}
	s := r.Snapshot()
	want := Totals{
		Frames: 7, WarmUp: 2, Jumps: 1, Excluded: 1, First: 1, JumpTime: 2 * time.Second, N: 2, Time: 510 * ms,
		Hitch: 490 * ms, Missed: 49, QuantizedHitch: 490 * ms, Jank: 1, Updates: [4]uint64{3},
	}
	if s.Totals != want {
		t.Errorf("got  %+v\nwant %+v", s.Totals, want)
	}
	if d := s.Intervals(); len(d) != 2 || d.total() != want.Time {
		t.Errorf("got intervals %v, want the two that count", d)
	}
	if f := s.Records[2].Flags; f != WarmUp|Jump {
		t.Errorf("got flags %v, want warm-up and jump", f)
	}
}

func TestCollectionsAreSeen(t *testing.T) {
	r := New(Options{WarmUp: -1})
	for i := range 10 {
		if i == 5 {
			runtime.GC()
			runtime.GC()
		}
		r.Add(Record{Interval: 1})
	}
	s := r.Snapshot()
	if n := s.Records[5].GCCycles; n < 2 {
		t.Errorf("got %d collections in the frame after two, want at least 2", n)
	}
	if s.Totals.GCCycles < 2 || s.Totals.GCPause <= 0 {
		t.Errorf("got %d collections, %v of pause; want some", s.Totals.GCCycles, s.Totals.GCPause)
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	r := New(Options{Records: 256})
	r.Presented(1, deadline.Now()) // makes the words for times
	i := uint64(0)
	testkit.NoAllocs(t, func() {
		i++
		r.Add(numbered(i))
		r.Presented(i, deadline.Now())
	})
}

func TestRecordDurations(t *testing.T) {
	r := Record{
		Start: 100, UpdateBegin: 110, UpdateEnd: 150, SliceBegin: 200, SliceDeadline: 300, SliceEnd: 320,
		DrawEnd: 180,
	}
	if r.Budget() != 0 || r.Used() != 0 || r.Overrun() != 0 {
		t.Error("a frame without a slice has a budget, a use or an overrun")
	}
	r.Flags = Sliced
	if r.Budget() != 100 || r.Used() != 120 || r.Overrun() != 20 || r.update() != 40 || r.Busy() != 220 {
		t.Errorf("got budget %d, used %d, overrun %d, update %d, busy %d; want 100, 120, 20, 40, 220",
			r.Budget(), r.Used(), r.Overrun(), r.update(), r.Busy())
	}
	r.SliceDeadline = deadline.Never
	if r.Overrun() != 0 || r.Budget() <= 0 || r.unused() != 0 {
		t.Errorf("a slice without a deadline: overrun %d, budget %d, unused %d", r.Overrun(), r.Budget(), r.unused())
	}
	if r.SliceDeadline = 350; r.unused() != 30 {
		t.Errorf("got unused %d, want 30", r.unused())
	}
	if _, ok := r.animationError(); ok {
		t.Error("an animation error without a known step")
	}
	r.Flags, r.Interval = Stepped|Jump, 16
	if e, ok := r.animationError(); !ok || e != -16 {
		t.Errorf("no update in a frame of 16: got %v, %v, want -16", e, ok)
	}
	if got := r.Flags.names(); got != "jump|stepped" {
		t.Errorf("got flags %q", got)
	}
}

func BenchmarkRecorderAdd(b *testing.B) {
	r := New(Options{})
	b.ReportAllocs()
	rec := numbered(1)
	for i := 0; b.Loop(); i++ {
		rec.Interval = time.Second/60 + time.Duration(i&1023)*time.Microsecond
		r.Add(rec)
	}
}
