package latest

import (
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

const period = time.Second / 60

// feed adds a frame of that interval to the recorder.
type feed struct {
	rec    *record.Recorder
	number uint64
	at     deadline.Instant
}

func (f *feed) add(interval time.Duration, flags record.Flags) {
	f.number++
	f.at = f.at.Add(interval)
	f.rec.Add(record.Record{Number: f.number, Start: f.at, Interval: interval, Flags: flags})
}

func read(f *Frames, rec *record.Recorder) (each int) {
	f.Read(rec, period, func(*record.Record, *record.Record, *Frame) { each++ })
	return each
}

// The figures are those of the last frames that count, as worked out from a list of them.
func TestFiguresOfTheLastFrames(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	in := feed{rec: record.New(record.Options{WarmUp: -1}), at: 1}
	f := new(Frames)
	var all []time.Duration // 0 = does not count
	for i := range 2*window + 500 {
		d := period + time.Duration(rng.Intn(4000))*time.Microsecond
		if rng.Intn(50) == 0 {
			d = time.Duration(rng.Intn(300)) * time.Millisecond
		}
		flags, counts := record.Flags(0), d
		switch {
		case i == 0 || i == window || d == 0: // the first frame has no interval, a jump has one that is not shown
			flags, d = record.Jump, d+time.Microsecond
			in.add(d, flags)
			read(f, in.rec)
			all = append(all, 0)
			continue
		case rng.Intn(40) == 0:
			flags, counts = record.WarmUp, 0
		}
		in.add(d, flags)
		all = append(all, counts)
		if n := read(f, in.rec); n != 1 {
			t.Fatalf("frame %d: %d of them read", i, n)
		}
		if i%499 != 0 && i < 2*window+490 {
			continue
		}
		last := slices.Clone(all[max(0, len(all)-window):])
		last = slices.DeleteFunc(last, func(d time.Duration) bool { return d == 0 })
		m := record.Intervals(last).Measure(period)
		if f.N != len(last) || f.Missed != int(m.Missed) || f.Worst != millis(slices.Max(last)) {
			t.Fatalf("frame %d: counted %d, missed %d, worst %v, want %d, %d, %v",
				i, f.N, f.Missed, f.Worst, len(last), m.Missed, millis(slices.Max(last)))
		}
		for _, p := range []float64{50, 99, 100} {
			want := float64(record.Intervals(last).Percentile(p)) / 1e6
			if got := f.Percentile(p); want >= 1 && (got < want*0.9994 || got > want*1.0006) {
				t.Fatalf("frame %d: p%v is %v, want %v", i, p, got, want)
			}
		}
	}
}

// The first look has the frames from before. A gap, or a reset of the recorder, starts afresh with what there is.
func TestFramesFromBefore(t *testing.T) {
	in := feed{rec: record.New(record.Options{WarmUp: -1}), at: 1}
	f := new(Frames)
	add := func(n int) {
		for range n {
			in.add(period, 0)
		}
	}
	for _, step := range []struct {
		add, want int
		reset     bool
	}{
		{add: 500, want: 500}, {add: 3, want: 503}, {add: 64, want: 567}, {add: 200, want: 767},
		{add: 1, want: 1, reset: true}, {add: 2, want: 3}, {add: 100, want: 103}, {add: 70, want: 70, reset: true},
	} {
		if step.reset {
			in.rec.Reset()
		}
		add(step.add)
		if read(f, in.rec); f.Held != step.want || f.N != step.want || f.Last != in.number {
			t.Errorf("%+v: %d frames, %d count, the last is %d", step, f.Held, f.N, f.Last)
		}
	}
}
