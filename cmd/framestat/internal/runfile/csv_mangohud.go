package runfile

import (
	"fmt"
	"math"
)

// mangoSystem reads the line below MangoHud's first header, which describes the machine.
func (l *lines) mangoSystem(run *Run, names []string) error {
	values, err := l.record()
	if err != nil {
		return err
	}
	for i, name := range names {
		if i < len(values) {
			run.fact(name, values[i])
		}
	}
	return nil
}

// mangoHud reads the rows of MangoHud. Old versions have the frame time in microseconds, new ones in milliseconds: the
// column fps tells the unit.
func (t *table) mangoHud() error {
	run := t.run
	run.Format = "CSV of MangoHud"
	t.reads("fps", "frametime", "elapsed")
	var times []float64
	var magnitude, known float64
	first, last := math.Inf(1), 0.0 // elapsed
	for t.next() {
		d, ok := t.number("frametime")
		if !ok || d == 0 {
			continue
		}
		if len(times) >= maxFrames {
			return errFrames
		}
		times = append(times, d)
		if fps, ok := t.number("fps"); ok && fps > 0 && d > 0 {
			magnitude += math.Log10(fps * d)
			known++
		}
		if ns, ok := t.number("elapsed"); ok {
			first, last = min(first, ns), max(last, ns)
		}
	}
	if t.err != nil {
		return t.err
	}
	unit := 1.0
	if known > 0 && magnitude/known > 4.5 { // fps times frametime is 1e3 or 1e6
		unit = 1e-3
	}
	sum := 0.0
	for i, x := range times {
		d, err := milliseconds(x * unit)
		if err != nil {
			return fmt.Errorf("frame %d: %w", i+1, err)
		}
		if d == 0 {
			continue
		}
		if err := run.add(d); err != nil {
			return err
		}
		sum += d.Seconds()
	}
	if span := (last - first) / 1e9; span > 1.5*sum {
		run.note("%.1f s of frames in %.1f s: MangoHud took samples. Its option log_interval=0 logs every frame",
			sum, span)
	} else if span > 0 && sum > 1.1*span+0.1 {
		run.note("%.1f s of frames in %.1f s by the column elapsed: one of the two is wrong", sum, span)
	}
	return nil
}
