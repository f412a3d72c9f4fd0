package record

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
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

// Times come from several goroutines while frames continue and others read. Each frame has its own.
func TestDisplayTimesFromAnyGoroutine(t *testing.T) {
	const n, each = 20_000, 3
	rec := quiet(Options{Records: 64, WarmUp: -1})
	base := deadline.Now().Add(-time.Minute)
	started := func(n uint64) deadline.Instant { return base.Add(time.Duration(n) * time.Microsecond) }
	frames := make(chan uint64, 16)
	var wg sync.WaitGroup
	for range each {
		wg.Go(func() {
			for f := range frames {
				rec.Presented(f, started(f).Add(500))
			}
		})
	}
	done := make(chan struct{})
	var reads sync.WaitGroup
	reads.Go(func() {
		buf := make([]Record, 64)
		for {
			select {
			case <-done:
				return
			default:
				runtime.Gosched() // in a browser there is one thread, and nothing takes it away
			}
			for _, r := range rec.Recent(buf) {
				if r.Shown != 0 && r.Shown != started(r.Number).Add(500) {
					t.Errorf("frame %d was shown at %d", r.Number, r.Shown-r.Start)
				}
			}
		}
	})
	for i := range uint64(n) {
		f := i + 1
		rec.Add(Record{Number: f, Start: started(f), Interval: time.Microsecond})
		frames <- f
	}
	close(frames)
	wg.Wait()
	close(done)
	reads.Wait()
	last := rec.Recent(make([]Record, 4))
	for _, r := range last {
		if r.Shown == 0 {
			t.Errorf("frame %d has no time", r.Number)
		}
	}
	i := uint64(n)
	rec.Presented(i, started(i).Add(500))
	testkit.NoAllocs(t, func() {
		i++
		rec.Presented(i, started(i).Add(500))
		rec.Add(Record{Number: i, Start: started(i), Interval: time.Microsecond})
	})
}

// The CSV has the display's intervals by the names of other tools.
func TestCSVHasDisplayTimes(t *testing.T) {
	rec := shownRun(Options{Records: 100}, 60, func(n uint64, at deadline.Instant) deadline.Instant {
		if n == 30 || n > 58 {
			return 0
		}
		return at
	})
	rep := NewReport("game", rec.Snapshot(), Environment{})
	text := savedCSV(t, rep)
	_, comment, frames, ok := capFrameX(text)
	if !ok || comment != csvShown {
		t.Fatalf("CapFrameX refuses the file, or has the comment %q", comment)
	}
	for i, f := range frames {
		want := 10.0
		switch n := i + 1; {
		case n == 1 || n == 30 || n > 58:
			want = 0
		case n == 31:
			want = 20
		}
		near(t, fmt.Sprint("display change of ", i+1), f.betweenDisplayChange, want, 1e-6)
		if f.dropped != (i+1 == 30) {
			t.Errorf("frame %d: dropped %v", i+1, f.dropped)
		}
	}
	lines := strings.Split(text, "\n")
	for _, c := range []struct {
		line       int
		name, want string
	}{
		{31, "AnimationError", "0.0000"}, {30, "AnimationError", "NA"}, {31, "DisplayLatency", "12.0000"},
		{30, "DisplayLatency", "NA"}, {1, "InputLatency", "5.0000"},
	} {
		i := slices.Index(strings.Split(lines[0], ","), c.name)
		if got := strings.Split(lines[c.line], ",")[i]; got != c.want {
			t.Errorf("%s of frame %d: got %s, want %s", c.name, c.line, got, c.want)
		}
	}
}
