package record

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// shownRun records n frames of 10 ms that end on a display of 10 ms, with a latency of 12 ms from their start. at may
// change when a frame was shown: 0 is never.
func shownRun(o Options, n int, at func(frame uint64, at deadline.Instant) deadline.Instant) *Recorder {
	o.Target, o.WarmUp = 10*ms, -1
	rec := quiet(o)
	start := deadline.Now().Add(-time.Duration(n) * 10 * ms).Add(-time.Second)
	shown := make([]deadline.Instant, n+1)
	for i := range n {
		f := Record{
			Number: uint64(i + 1), Start: start, Interval: 10 * ms, Step: 10 * ms, Flags: Stepped,
			Input: start.Add(-2 * ms), HandedOver: start.Add(3 * ms),
		}
		if i == 0 {
			f.Interval = 0
		}
		rec.Add(f)
		shown[i+1] = at(f.Number, start.Add(12*ms))
		start = start.Add(10 * ms)
	}
	for _, i := range rand.Perm(n) { // late, and in any order
		if at := shown[i+1]; at != 0 && n-i <= o.Records {
			rec.Presented(uint64(i+1), at)
		}
	}
	return rec
}

func TestEveryFieldOfADisplayReport(t *testing.T) {
	rec := shownRun(Options{Records: 1000}, 200, func(n uint64, at deadline.Instant) deadline.Instant {
		switch n {
		case 50:
			return 0 // the display showed 49 twice
		case 100:
			return at.Add(5 * ms) // late, and the next one early
		case 150:
			return at.Add(-11 * ms) // backward
		case 199, 200:
			return 0 // not yet known
		}
		return at
	})
	rep := NewReport("shown", rec.Snapshot(), Environment{})
	d := rep.Display
	if d == nil {
		t.Fatal("no display")
	}
	if d.Shown != 196 || d.Unshown != 1 || d.Backward != 1 || d.Interval.N != 195 || d.Missed != 3 ||
		d.Interval.Max != 20*ms || d.Interval.P50 != 10*ms {
		t.Errorf("got %+v", d)
	}
	near(t, "hitch ratio", d.HitchRatio, 1000*25/1970.0, 1e-9) // 10, 5 and 10 ms of 1.97 s
	near(t, "quantized", d.QuantizedHitchRatio, 1000*30/1970.0, 1e-9)
	near(t, "missed", d.MissedPercent, 100*3.0/(195+3), 1e-9)
	if a := d.AnimationError; a.N != 195 || a.Max != 5*ms || a.P50 != 0 {
		t.Errorf("animation error %+v", a)
	}
	if l := d.Latency; l.N != 196 || l.P50 != 14*ms || l.Max != 19*ms {
		t.Errorf("latency %+v", l)
	}
	if l := rep.Run.Latency; l.N != 200 || (l.Mean-5*ms).Abs() > ms/100 {
		t.Errorf("input to handed over %+v", l)
	}
	text := rep.Text()
	for _, part := range []string{
		"input seen to frame handed over", "input seen to frame displayed", "hitch ratio, displayed",
		"missed, displayed", "196 frames displayed, 1 not, 1 backward",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	if got := readBack(t, rep); got.Display == nil || *got.Display != *d {
		t.Errorf("from JSON %+v", got.Display)
	}
}

// Without times the report has no word of them.
func TestNoDisplayTimes(t *testing.T) {
	rec := shownRun(Options{Records: 100}, 100, func(uint64, deadline.Instant) deadline.Instant { return 0 })
	rep := NewReport("x", rec.Snapshot(), Environment{})
	if rep.Display != nil || strings.Contains(rep.Text(), "display") {
		t.Errorf("got %+v\n%s", rep.Display, rep)
	}
}

// Bad times change nothing and are counted.
func TestWrongDisplayTimesAreCounted(t *testing.T) {
	const n = 100
	rec := shownRun(Options{Records: 20}, n, func(_ uint64, at deadline.Instant) deadline.Instant { return at })
	good := rec.Snapshot()
	now := deadline.Now()
	for i, c := range []struct {
		frame uint64
		at    deadline.Instant
	}{
		{0, now}, {n, 0}, {n + 2, now}, {math.MaxUint64, now}, {1, now}, {n - 32, now}, {n, now.Add(time.Hour)},
		{n, deadline.Never}, {n, math.MaxInt64 - 1}, {n, now.Add(1<<62 - 1)},
	} {
		rec.Presented(c.frame, c.at)
		s := rec.Snapshot()
		if got := s.Totals.ShownWrongly; got != uint64(i+1) {
			t.Fatalf("frame %d at %d: %d refused, want %d", c.frame, c.at, got, i+1)
		}
		for k := range s.Records {
			if !reflect.DeepEqual(s.Records[k], good.Records[k]) {
				t.Fatalf("frame %d at %d changed record %+v", c.frame, c.at, s.Records[k])
			}
		}
	}
	// A time before its frame is seen when the record is read, and counts once. A better one takes its place.
	rec.Presented(n, good.Records[19].Start-1)
	if s := rec.Snapshot(); s.Totals.ShownWrongly != 11 || s.Records[19].Shown != 0 {
		t.Errorf("%d refused, shown %d", s.Totals.ShownWrongly, s.Records[19].Shown)
	}
	rec.Presented(n, good.Records[19].Shown)
	if s := rec.Snapshot(); s.Totals.ShownWrongly != 11 || !reflect.DeepEqual(s.Records[19], good.Records[19]) {
		t.Errorf("%d refused, shown %d", s.Totals.ShownWrongly, s.Records[19].Shown)
	}
	text := NewReport("x", rec.Snapshot(), Environment{}).Text()
	if !strings.Contains(text, "display times refused") {
		t.Errorf("the text does not tell:\n%s", text)
	}
	rec.Reset()
	if s := rec.Snapshot(); s.Totals.ShownWrongly != 0 || len(s.Records) != 0 {
		t.Errorf("after Reset %+v", s.Totals)
	}
}

// A rest between two frames is no interval of the display, and neither is a jump.
func TestARestIsNoDisplayInterval(t *testing.T) {
	rec := quiet(Options{Target: 10 * ms, WarmUp: -1})
	start := deadline.Now().Add(-time.Minute)
	for i := range uint64(30) {
		f := Record{Number: i + 1, Start: start, Interval: 10 * ms}
		if i == 20 {
			f.Flags, f.Interval = Jump, 5*time.Second
		}
		rec.Add(f)
		rec.Presented(i+1, start.Add(5*ms))
		start = start.Add(10 * ms)
		if i == 9 || i == 19 {
			start = start.Add(5 * time.Second) // at 9 the host rests
		}
	}
	d := NewReport("rests", rec.Snapshot(), Environment{}).Display
	if d == nil || d.Interval.N != 27 || d.Interval.Max != 10*ms || d.Missed != 0 || d.Shown != 29 {
		t.Errorf("got %+v", d)
	}
}
