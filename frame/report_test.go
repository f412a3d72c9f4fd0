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
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// One call has all parts, of the same frames: those since New, and after a Reset those since then.
func TestLoopReport(t *testing.T) {
	for _, place := range []frame.Placement{frame.PlaceAfterDraw, frame.PlaceShadow} {
		l := frame.New(frame.Options{
			Placement: place,
			Workers:   workers.Options{Workers: -1, Insight: true},
			Scheduler: scheduler.Options{Times: true},
			Recorder:  record.Options{WarmUp: -1},
		})
		ran := 0
		var keep []byte
		job := workers.Job{Label: "a job", Func: func(*workers.Worker) { keep = make([]byte, mib); ran++ }}
		host := scheduler.Task{Label: "a task", Func: func() {}}
		task := scheduler.Task{Label: "a task", Func: func() {}}
		five := func(report string) (r *record.Report) {
			frames := 0
			err := l.Run(context.Background(), func() error {
				if frames++; frames > 5 && ran > 0 {
					r = l.Report(report) // within f
					return frame.ErrStop
				}
				if frames == 1 {
					l.Host().Submit(&host)
					l.Scheduler().Submit(&task)
					l.Pool().Submit(&job)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		check := func(r *record.Report, name string, tasks uint64) {
			t.Helper()
			switch {
			case r.Name != name || r.Environment.WaitMode == "host" || r.Environment.GoVersion == "":
				t.Errorf("%v: %q, %+v", place, r.Name, r.Environment)
			case r.Pool == nil || r.Pool.RanByCaller != 1 || r.Runtime == nil || r.Runtime.AllocBytes < mib:
				t.Errorf("%v: pool %+v, runtime %+v", place, r.Pool, r.Runtime)
			case len(r.TaskCosts) != 1 || r.TaskCosts[0].Kind != "a task" || r.TaskCosts[0].Runs != tasks:
				t.Errorf("%v: costs of tasks %+v, want one kind of %d runs", place, r.TaskCosts, tasks)
			case len(r.JobCosts) != 1 || r.JobCosts[0].Kind != "a job":
				t.Errorf("%v: costs of jobs %+v", place, r.JobCosts)
			case len(r.Tasks) != 1 || r.Tasks[0].Run.N != tasks:
				t.Errorf("%v: times of tasks %+v, want %d", place, r.Tasks, tasks)
			}
		}
		first := five("first")
		check(first, "first", 2)
		if n := first.Run.Frames; n < 5 {
			t.Errorf("%v: a report of %d frames", place, n)
		}
		l.Recorder().Reset()
		ran = 0
		check(five("second"), "second", 4) // a Scheduler has its own ResetTimes
		between := l.Report("between")
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		after := l.Report("after")
		check(after, "after", 4)
		if len(keep) == 0 || after.Pool.Workers != between.Pool.Workers {
			t.Errorf("%v: %+v after Close", place, after.Pool)
		}
		if between.Run.Frames != after.Run.Frames || after.Pool.RanByCaller != 1 {
			t.Errorf("%v: %d frames before Close, %d after it", place, between.Run.Frames, after.Run.Frames)
		}
		l.Recorder().Reset() // nobody counts any more, but it may be called
	}
}

const mib = 1 << 20

// Where the loop waits itself, each record says how late that ended.
func TestRecordsTellHowLateTheLoopWoke(t *testing.T) {
	l := frame.New(frame.Options{
		Interval: 4 * ms, Recorder: record.Options{WarmUp: -1}, JumpAfter: -1,
	})
	defer l.Close()
	frames := 0
	_ = l.Run(context.Background(), func() error {
		if frames++; frames > 40 {
			return frame.ErrStop
		}
		return nil
	})
	l.Begin() // the host's own frame, which the loop does not wait for
	l.Slice()
	l.End()
	s := l.Recorder().Snapshot()
	woke := uint64(0)
	for _, r := range s.Records {
		if r.Woke > 0 {
			woke++
		}
		if r.Woke < 0 || r.Interval > 0 && r.Woke > r.Interval {
			t.Errorf("frame %d woke %v late, %v after the one before", r.Number, r.Woke, r.Interval)
		}
	}
	last, first := s.Records[len(s.Records)-1], s.Records[0]
	if woke == 0 || s.Woke.Count() != woke || last.Woke != 0 || first.Woke != 0 {
		t.Errorf("%d of %d records woke late, %d in the histogram; the first %v, the host's %v", woke, len(s.Records),
			s.Woke.Count(), first.Woke, last.Woke)
	}
	if got := l.Report("woke").Run.Woke; got.N != woke {
		t.Errorf("the report has %+v", got)
	}
}

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
