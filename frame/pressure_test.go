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

// levels runs a script of loads, one for each frame of 60 a second, and returns at which frames the level
// changed.
func levels(most int, loads func(frame int) float64, frames int) string {
	var s pressureState
	var out []string
	for i := range frames {
		before := s.level
		s = s.next(most, loads(i), at60)
		if s.level != before {
			out = append(out, fmt.Sprintf("%d at %d", s.level, i))
		}
	}
	return strings.Join(out, ", ")
}

func TestPressureRisesFastAndFallsSlowly(t *testing.T) {
	for _, c := range []struct {
		name, want string
		loads      func(int) float64
	}{
		{"a second of overload", "1 at 6, 2 at 13, 3 at 20, 4 at 27, 3 at 180, 2 at 301, 1 at 422, 0 at 543",
			func(i int) float64 { return b2f(i < 60) }},
		{"one late frame in ten", "", func(i int) float64 { return b2f(i%10 == 0) }},
		{"every other frame", "", func(i int) float64 { return float64(i % 2) }},
		{"between the thresholds", "1 at 6", func(i int) float64 { return 0.7 + 0.3*b2f(i < 7) }},
		{"late now and then after an overload", "1 at 6",
			func(i int) float64 { return b2f(i < 7 || i%30 == 0) }},
	} {
		if got := levels(pressureLevels, c.loads, 700); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := levels(-1, func(int) float64 { return 1 }, 100); got != "" {
		t.Errorf("without levels: %s", got)
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Whatever the load does, a level is kept for a while, and stays within its bounds.
func TestPressureDoesNotFlutter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s pressureState
		var since, ups, downs int
		for i, x := range rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 600).Draw(t, "loads") {
			before := s.level
			s = s.next(pressureLevels, x, at60)
			since++
			switch {
			case s.level > before:
				ups++
				if since < 6 && before > 0 {
					t.Fatalf("frame %d: up after %d frames", i, since)
				}
				since = 0
			case s.level < before:
				downs++
				if since < 119 {
					t.Fatalf("frame %d: down after %d frames", i, since)
				}
				since = 0
			}
			if s.level < 0 || s.level > pressureLevels || s.level != ups-downs {
				t.Fatalf("level %d", s.level)
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
		if got := fmt.Sprintf("%.2f", load(c.r, at60, 256)); got != c.want {
			t.Errorf("%v of slice, %v, %d ready: %s, want %s", c.r.Used(), c.r.Interval, c.r.Ready, got, c.want)
		}
	}
}
