package frame_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/workers"
)

// draw drives n frames: 4 ms of own work, a task of 2 ms in the slice, and what the host does after End.
func draw(l *frame.Loop, n int, host func()) {
	for range n {
		l.Begin()
		time.Sleep(4 * ms)
		l.Post(deadline.Normal, func() { time.Sleep(2 * ms) })
		l.Slice()
		l.End()
		host()
	}
}

// The parts of a frame add up to its interval. Only a slice in the shadow runs beside the others.
func TestReportSaysWhereTheTimeOfFramesWent(t *testing.T) {
	after := func(d time.Duration) func() { return func() { time.Sleep(d) } }
	for name, c := range map[string]struct {
		o                      frame.Options
		drive                  func(l *frame.Loop)
		own, slice, host, wait time.Duration
	}{
		"Run": {drive: func(l *frame.Loop) {
			n := 0
			_ = l.Run(context.Background(), func() error {
				if n++; n > 200 {
					return frame.ErrStop
				}
				time.Sleep(4 * ms)
				l.Post(deadline.Normal, func() { time.Sleep(2 * ms) })
				return nil
			})
		}, own: 4 * ms, slice: 2 * ms, wait: 10 * ms},
		"a host that blocks": {
			drive: func(l *frame.Loop) { draw(l, 200, after(10*ms)) },
			own:   4 * ms, slice: 2 * ms, host: 10 * ms,
		},
		"a host without a slice": {drive: func(l *frame.Loop) {
			for range 200 {
				l.Begin()
				time.Sleep(6 * ms)
				l.End()
				time.Sleep(10 * ms)
			}
		}, own: 6 * ms, host: 10 * ms},
		"a paced host": {o: frame.Options{Pace: true}, drive: func(l *frame.Loop) {
			for range 200 {
				l.Begin()
				time.Sleep(4 * ms)
				l.Slice()
				l.End()
				time.Sleep(3 * ms)
			}
		}, own: 4 * ms, host: 3 * ms, wait: 9 * ms},
		"in the shadow": {
			o: frame.Options{Placement: frame.PlaceShadow}, drive: func(l *frame.Loop) { draw(l, 200, after(12*ms)) },
			own: 4 * ms, slice: 2 * ms, host: 12 * ms,
		},
		"on demand": {drive: func(l *frame.Loop) {
			draw(l, 200, func() { time.Sleep(3 * ms); l.Rest(); time.Sleep(300 * ms) })
		}, own: 4 * ms, slice: 2 * ms, host: 3 * ms, wait: 7 * ms},
	} {
		c.o.Interval, c.o.Workers = 16*ms, workers.Options{Workers: 1}
		synctest.Test(t, func(t *testing.T) {
			l := frame.New(c.o)
			defer l.Close()
			c.drive(l)
			rep := l.Report(name)
			for part, p := range map[string]struct {
				got  record.Distribution
				want time.Duration
			}{
				"own work": {rep.Run.Own, c.own}, "slice": {rep.Run.Used, c.slice},
				"host": {rep.Run.Host, c.host}, "wait": {rep.Run.Wait, c.wait},
			} {
				if d := p.got; (d.P50-p.want).Abs() > ms/10 || (d.Mean-p.want).Abs() > ms/10 {
					t.Errorf("%s: %s %+v, want %v", name, part, d, p.want)
				}
				if part != "slice" && p.got.N != rep.Run.N {
					t.Errorf("%s: %s of %d of %d intervals", name, part, p.got.N, rep.Run.N)
				}
			}
			text := rep.String()
			for _, row := range []string{"own work, ", "slice used ", "host, ", "wait, "} {
				if !strings.Contains(text, "\n    "+row) {
					t.Errorf("%s: no row %q in\n%s", name, row, text)
				}
			}
			for _, r := range l.Recorder().Recent(make([]record.Record, 100)) {
				if r.Flags.Has(record.Shadowed) != (c.o.Placement == frame.PlaceShadow && runtime.GOOS != "js") {
					t.Fatalf("%s: flags %v", name, r.Flags)
				}
			}
		})
	}
}

// A program that draws on demand has a second of warm-up, and not 60 drawings. One that is slow has 60 frames.
func TestWarmUpOnDemandIsATime(t *testing.T) {
	for name, c := range map[string]struct {
		warmUp, want int
		rest         time.Duration
	}{
		"on demand": {0, 5, 300 * ms}, "seldom": {0, 2, 5 * time.Second}, "no sleep": {0, 60, 0},
		"a short warm-up": {3, 2, 300 * ms}, "a long warm-up": {6000, 200, 100 * ms}, "none": {-1, 0, 300 * ms},
	} {
		o := frame.Options{
			Interval: time.Second / 60, Workers: workers.Options{Workers: -1},
			Recorder: record.Options{WarmUp: c.warmUp},
		}
		bubble(t, o, func(t *testing.T, l *frame.Loop) {
			for range 200 {
				l.Begin()
				time.Sleep(40 * ms) // loading
				l.Slice()
				l.End()
				if c.rest > 0 {
					l.Rest()
					time.Sleep(c.rest - 40*ms)
				}
			}
			if x := l.Recorder().Snapshot().Totals; x.WarmUp != uint64(c.want) || x.N+x.First != 200-x.WarmUp {
				t.Errorf("%s: %d of %d frames are warm-up, want %d; %d count", name, x.WarmUp, x.Frames, c.want, x.N)
			}
		})
	}
}
