package record

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/hdr"
)

// Ten frames, no two of them alike, whose report is worked out by hand: the target is 10 ms, the first frame is
// warm-up, the second has no interval, the seventh is a jump and the eighth is flagged. The recorder is read in the
// middle, so that what it keeps is put together of two parts.
func tenFrames() *Snapshot {
	rec := quiet(Options{Target: 10 * ms, WarmUp: 1, Exclude: Unfocused})
	start := deadline.Instant(5_000_000)
	for i, interval := range []time.Duration{0, 0, 10, 35, 8, 15, 5000, 40, 10, 12} {
		n := i + 1
		start = start.Add(interval * ms)
		k := uint64(1) << i // so that no two sums of some of them are the same
		r := Record{
			Number: uint64(n), Start: start, Interval: interval * ms, Updates: uint32(max(i-1, 0) % 5),
			Input: start.Add(-ms), HandedOver: start.Add(time.Duration(i) * ms),
			DrawEnd: start, // in no time
			Counts: Counts{
				Ran: k, Expired: 2 * k, Deferred: 3 * k, Canceled: 5 * k, JobsInSlice: 7 * k, HandedBack: 11 * k,
				GCCycles: 13 * k, GCPause: time.Duration(17 * k),
			},
			System: known, WorstLabel: string(rune('a' + i)),
			WorstCost: []time.Duration{1, 2, 4, 6, 5, 3, 9, 2, 8, 7}[i],
		}
		if n == 9 {
			r.Input = 0 // a frame without an update
		}
		r.Flags |= map[int]Flags{7: Jump, 8: Unfocused}[n]
		if used := map[int]time.Duration{3: 1, 4: 7, 6: 5, 7: 100, 10: 3}[n]; used > 0 {
			r.Flags |= Sliced
			r.SliceBegin, r.SliceDeadline, r.SliceEnd = start, start.Add(4*ms), start.Add(used*ms)
		}
		rec.Add(r)
		if n == 5 {
			rec.Snapshot()
		}
	}
	return rec.Snapshot()
}

func equal(got, want float64) bool { return math.Abs(got-want) < 1e-9 }

func TestEveryFieldOfAReportOfTenFrames(t *testing.T) {
	rep := NewReport("ten", tenFrames(), Environment{})
	want := Totals{
		Frames: 10, WarmUp: 1, Jumps: 1, Excluded: 1, First: 1, JumpTime: 5 * time.Second,
		N: 6, Time: 90 * ms, // 10 35 8 15 10 12
		Hitch: (25 + 5 + 2) * ms, QuantizedHitch: 40 * ms, Missed: 3 + 1, Jank: 1,
		Updates: [4]uint64{1, 1, 2, 3},                            // 0 1 2 3 4 2 3
		Sliced:  4, Overran: 2, Withheld: 2, WithheldTime: 4 * ms, // 1, 7, 5 and 3 of 4 ms
		Counts: Counts{
			Ran: 1023, Expired: 2 * 1023, Deferred: 3 * 1023, Canceled: 5 * 1023, JobsInSlice: 7 * 1023,
			HandedBack: 11 * 1023, GCCycles: 13 * 1023, GCPause: 17 * 1023,
		},
		WorstLabel: "g", WorstCost: 9,
	}
	if got := rep.Run.Totals; got != want {
		t.Errorf("totals\n%+v, want\n%+v", got, want)
	}
	if r := rep.Run; !equal(r.AverageFPS, 6/0.09) || !equal(r.HitchRatio, 32/0.09) || r.HitchBand != "critical" ||
		r.MissedPercent != 40 || r.Over != 0 {
		t.Errorf("%.3f FPS, %.3f ms/s (%s), %.3f %% missed, %d over", r.AverageFPS, r.HitchRatio, r.HitchBand,
			r.MissedPercent, r.Over)
	}
	for _, c := range []struct {
		name           string
		d              Distribution
		n              uint64
		mean, p50, max time.Duration
	}{
		{"interval", rep.Run.Interval, 6, 15 * ms, 10 * ms, 35 * ms},
		{"lateness", rep.Run.Lateness, 6, 32 * ms / 6, 0, 25 * ms}, // 0 25 0 5 0 2
		{"earliness", rep.Run.Earliness, 1, 2 * ms, 2 * ms, 2 * ms},
		{"used", rep.Run.Used, 4, 4 * ms, 3 * ms, 7 * ms},
		{"overrun", rep.Run.Overrun, 4, ms, 0, 3 * ms},
		{"unused", rep.Run.Unused, 4, ms, 0, 3 * ms},
		{"host", rep.Run.Host, 6, 82 * ms / 6, 10 * ms, 34 * ms}, // 10-0 35-1 8-7 15-0 10-0 12-0
		{"latency", rep.Run.Latency, 6, 5 * ms, 4 * ms, 10 * ms}, // 2 3 4 5 6 10
	} {
		if c.d.N != c.n || c.d.Mean != c.mean || (c.d.P50-c.p50).Abs() > c.p50/1000+ms/2000 || c.d.Max != c.max {
			t.Errorf("%s: %+v, want %d, %v, %v, %v", c.name, c.d, c.n, c.mean, c.p50, c.max)
		}
	}
	if rep.Name != "ten" || rep.Target != 10*ms || !rep.Whole || rep.Late != 2 || rep.LateNearGC != 2 {
		t.Errorf("%q, %v, %v, %d, %d", rep.Name, rep.Target, rep.Whole, rep.Late, rep.LateNearGC)
	}
}

// A thousand durations, of which every percentile is another one.
func TestEveryFieldOfADistribution(t *testing.T) {
	var d Intervals
	h, inRuntime := hdr.New(), runtimeHistogram{bounds: []float64{0}}
	for i := range 1000 {
		x := time.Duration(i+1) * ms
		d = append(d, x)
		h.Record(x)
		inRuntime.Counts = append(inRuntime.Counts, 1)
		inRuntime.bounds = append(inRuntime.bounds, x.Seconds())
	}
	want := Distribution{
		N: 1000, Mean: 500*ms + ms/2, P50: 500 * ms, P90: 900 * ms, P99: 990 * ms, P999: 999 * ms, Max: 1000 * ms,
	}
	if got := distributionOf(d); got != want {
		t.Errorf("of intervals %+v, want %+v", got, want)
	}
	for name, got := range map[string]Distribution{
		"a histogram": distributionIn(h), "the runtime": inRuntime.distribution(),
	} {
		for _, c := range [][2]time.Duration{
			{got.Mean, want.Mean}, {got.P50, want.P50}, {got.P90, want.P90}, {got.P99, want.P99}, {got.P999, want.P999},
			{got.Max, want.Max},
		} {
			if (c[0]-c[1]).Abs() > c[1]/1000 || got.N != want.N {
				t.Errorf("of %s %v, want %v", name, c[0], c[1])
			}
		}
	}
}

// A freeze beyond the histogram's range is told as such, and has its length.
func TestReportOfAFreezeOfAnHour(t *testing.T) {
	rec := New(Options{WarmUp: -1})
	rec.Add(Record{Number: 1, Interval: time.Second / 60})
	rec.Add(Record{Number: 2, Interval: time.Hour})
	rep := NewReport("freeze", rec.Snapshot(), Environment{})
	if r := rep.Run; r.Over != 1 || r.Interval.Max != time.Hour || rep.Window.WorstRegion < time.Hour/2 {
		t.Errorf("%d over range, at most %v, worst region %v", r.Over, r.Interval.Max, rep.Window.WorstRegion)
	}
}

// A frame that starts late and is shown in time is no hitch. The band is that of the frames that are not shown in time.
func TestTheBandIsOfWhatIsShown(t *testing.T) {
	var jitter Intervals
	for i := range 600 {
		jitter = append(jitter, r+time.Duration(i%2*2-1)*ms)
	}
	report := reportOf(jitter)
	run := report.Run
	near(t, "hitch ratio", run.HitchRatio, 500*ms.Seconds()/r.Seconds(), 1e-6)
	if run.QuantizedHitchRatio != 0 || run.HitchBand != "good" || !strings.Contains(report.Text(), "0.000 ms/s") {
		t.Errorf("%+v\n%s", run, report)
	}
}

// distinct sets every number that v holds to another one, and every string. Times grow from field to field, by more
// each, so that no two differences are the same either.
func distinct(v reflect.Value) {
	n := int64(3)
	var set func(v reflect.Value)
	set = func(v reflect.Value) {
		n++
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					set(v.Field(i))
				}
			}
		case reflect.Pointer:
			if !v.IsNil() {
				set(v.Elem())
			}
		case reflect.Array, reflect.Slice:
			for i := range v.Len() {
				set(v.Index(i))
			}
		case reflect.Int64: // deadline.Instant and time.Duration
			v.SetInt(n * n * n * int64(1234*time.Microsecond) / 100)
		case reflect.Int, reflect.Int32:
			v.SetInt(n * n)
		case reflect.Uint8, reflect.Uint32, reflect.Uint64:
			v.SetUint(uint64(n * n))
		case reflect.Float64:
			v.SetFloat(float64(n*n) + 0.25)
		case reflect.String:
			v.SetString(fmt.Sprint("text", n))
		}
	}
	set(v)
}

// distinctRecord is a record no two figures of which are the same.
func distinctRecord() Record {
	var r Record
	distinct(reflect.ValueOf(&r).Elem())
	r.Flags = Sliced | Stepped
	r.DrawEnd = r.SliceBegin.Add(123 * time.Microsecond)
	r.Sections = []Section{{Name: "physics", Calls: 1}, {Name: "Draw", Calls: 1}}
	for i := range r.Sections {
		s := &r.Sections[i]
		s.Begin, s.Time, s.Own = r.Start.Add(time.Duration(i)*ms), time.Duration(17+i)*ms/3, time.Duration(7+i)*ms/3
	}
	return r
}
