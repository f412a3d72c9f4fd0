package record

import (
	"math"
	"strings"
	"testing"
	"time"
)

// A frame that starts late and is shown in time is no hitch. The band is that of the frames that are not shown in time.
func TestTheBandIsOfWhatIsShown(t *testing.T) {
	const r = 16 * time.Millisecond
	var jitter, misses Intervals
	for i := range 600 {
		jitter = append(jitter, r+time.Duration(i%2*2-1)*time.Millisecond)
		misses = append(misses, r)
	}
	misses[300] = 20 * r
	for name, c := range map[string]struct {
		d               Intervals
		raw, shown      float64
		band, quantized string
	}{
		"a jitter": {d: jitter, raw: 1000.0 / 32, band: "good", quantized: "0.000 ms/s"},
		"misses": {d: misses, raw: 1000 * 19.0 / 619, shown: 1000 * 19.0 / 619, band: "critical",
			quantized: "30.695 ms/s"},
	} {
		m := c.d.Measure(r)
		if math.Abs(m.HitchRatio-c.raw)+math.Abs(m.QuantizedHitchRatio-c.shown) > 1e-9 || m.HitchBand != c.band {
			t.Errorf("%s: %v ms/s, quantized %v, %s", name, m.HitchRatio, m.QuantizedHitchRatio, m.HitchBand)
		}
		rec := New(Options{Target: r, WarmUp: -1})
		for i, d := range c.d {
			rec.Add(Record{Number: uint64(i + 2), Interval: d, Target: r})
		}
		report := NewReport(name, rec.Snapshot(), Environment{})
		var json strings.Builder
		if report.WriteJSON(&json) != nil {
			t.Fatal("no report")
		}
		if run := report.Run; run.HitchBand != c.band || !strings.Contains(report.String(), c.quantized) ||
			!strings.Contains(json.String(), `"quantized_hitch_ratio_ms_per_s"`) {
			t.Errorf("%s: %+v\n%s", name, run, report)
		}
	}
}
