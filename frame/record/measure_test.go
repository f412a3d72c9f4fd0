package record

import (
	"testing"
	"time"
)

// Measure gives what a Recorder reports of the same frames.
func TestMeasure(t *testing.T) {
	const r = 16 * time.Millisecond
	d := Intervals{r, r, 3 * r, r + time.Millisecond, r, r - time.Millisecond}
	m := d.Measure(r)
	if m.N != 6 || m.Missed != 2 || m.MissedPercent != 25 || m.ByFrame.Max != 3*r || m.Lateness.Max != 2*r {
		t.Errorf("%+v", m)
	}
	total := d.Total().Seconds()
	if want := 33 / total; m.HitchRatio < want*0.999 || m.HitchRatio > want*1.001 {
		t.Errorf("a hitch ratio of %v, want %v", m.HitchRatio, want)
	}
	if want := 32 / total; m.QuantizedHitchRatio < want*0.999 || m.QuantizedHitchRatio > want*1.001 {
		t.Errorf("a quantized hitch ratio of %v, want %v", m.QuantizedHitchRatio, want)
	}
	if m.HitchBand != "critical" || m.AverageFPS != 6/total {
		t.Errorf("%q, %v FPS", m.HitchBand, m.AverageFPS)
	}
	if band := (Intervals{r + r/64, r - r/64}).Measure(r).HitchBand; band != "good" { // each is shown in time
		t.Errorf("a jitter of starts is %q", band)
	}
}
