package frame

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

const at60 = time.Second / 60

func TestPressureRisesFastAndFallsSlowly(t *testing.T) {
	late := func(is bool) float64 {
		if is {
			return 1
		}
		return 0
	}
	for _, c := range []struct {
		name, want string // at which frames of 60 a second the level changes
		load       func(i int) float64
	}{
		{"a second of overload", "1 at 6, 2 at 13, 3 at 20, 4 at 27, 3 at 180, 2 at 301, 1 at 422, 0 at 543",
			func(i int) float64 { return late(i < 60) }},
		{"one late frame in ten", "", func(i int) float64 { return late(i%10 == 0) }},
		{"every other frame", "", func(i int) float64 { return float64(i % 2) }},
		{"between the thresholds", "1 at 6", func(i int) float64 { return 0.7 + 0.3*late(i < 7) }},
		{"late now and then after an overload", "1 at 6", func(i int) float64 { return late(i < 7 || i%30 == 0) }},
	} {
		var s pressureState
		var got []string
		for i := range 700 {
			before := s.level
			if s = s.next(c.load(i), at60); s.level != before {
				got = append(got, fmt.Sprintf("%d at %d", s.level, i))
			}
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Whatever the load does, a level is kept for a while, and stays within its bounds.
func TestPressureDoesNotFlutter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s pressureState
		since := 0
		for i, x := range rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 600).Draw(t, "loads") {
			before := s.level
			s = s.next(x, at60)
			since++
			step := s.level - before
			if step > 1 || step < -1 || s.level < 0 || s.level > pressureLevels ||
				step > 0 && before > 0 && since < 6 || step < 0 && since < 119 {
				t.Fatalf("frame %d: from %d to %d after %d frames", i, before, s.level, since)
			}
			if step != 0 {
				since = 0
			}
		}
	})
}

func TestLoadOfAFrame(t *testing.T) {
	slice := func(used time.Duration, interval time.Duration, ready int32) *record.Record {
		return &record.Record{Interval: interval, Flags: record.Sliced, SliceBegin: 1, SliceDeadline: 1 + 10e6,
			SliceEnd: deadline.Instant(1).Add(used), Ready: ready}
	}
	for _, c := range []struct {
		r    *record.Record
		want string
	}{
		{slice(10*time.Millisecond, at60, 0), "0.00"},
		{slice(10*time.Millisecond, at60, 128), "0.50"},
		{slice(3*time.Millisecond, at60, 999), "0.30"},
		{slice(99*time.Millisecond, at60, 999), "1.00"},
		{slice(0, at60*5/4, 0), "0.50"},
		{slice(0, 2*at60, 0), "1.00"},
		{slice(0, at60/2, 0), "0.00"},
	} {
		if got := fmt.Sprintf("%.2f", load(c.r, at60)); got != c.want {
			t.Errorf("%v of slice, %v, %d ready: %s, want %s", c.r.Used(), c.r.Interval, c.r.Ready, got, c.want)
		}
	}
}
