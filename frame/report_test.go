package frame_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

const mib = 1 << 20

// One call has all parts, of the same frames: those since New, and after a Reset those since then.
func TestLoopReport(t *testing.T) {
	for _, place := range placements() {
		l := frame.New(frame.Options{
			Placement: place,
			Workers:   workers.Options{Workers: -1},
			Profile:   -1,
			Recorder:  record.Options{WarmUp: -1},
		})
		ran := 0
		var keep []byte
		job := workers.Job{Label: "a job", Func: func(*workers.Worker) { keep = make([]byte, mib); ran++ }}
		host := scheduler.Task{Label: "a task", Func: func() {}}
		task := scheduler.Task{Label: "a task", Func: func() {}}
		five := func(name string) (r *record.Report) {
			frames := 0
			if err := l.Run(bg, func() error {
				if frames++; frames > 5 && ran > 0 {
					r = l.Report(name) // within f
					return frame.ErrStop
				}
				if frames == 1 {
					l.Host().Submit(&host)
					l.Scheduler().Submit(&task)
					l.Pool().Submit(&job)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			return r
		}
		check := func(r *record.Report, name string, tasks uint64) {
			t.Helper()
			if r.Name != name || r.Environment.WaitMode == "host" || r.Pool == nil || r.Pool.RanByCaller != 1 ||
				r.Runtime == nil || r.Runtime.AllocBytes < mib || r.Run.Frames < 5 ||
				len(r.TaskCosts) != 1 || r.TaskCosts[0].Kind != "a task" || r.TaskCosts[0].Runs != tasks ||
				len(r.JobCosts) != 1 || r.JobCosts[0].Kind != "a job" ||
				len(r.Tasks) != 1 || r.Tasks[0].Run.N != tasks {
				t.Errorf("%v, %s, want %d tasks: %+v\n%v", place, name, tasks, r, r)
			}
		}
		check(five("first"), "first", 2)
		l.Recorder().Reset()
		ran = 0
		check(five("second"), "second", 4) // a Scheduler has its own ResetTimes
		between := l.Report("between")
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		after := l.Report("after")
		check(after, "after", 4)
		if len(keep) == 0 || after.Pool.Workers != between.Pool.Workers || between.Run.Frames != after.Run.Frames {
			t.Errorf("%v: %d frames before Close, %d after it, and %+v", place, between.Run.Frames, after.Run.Frames,
				after.Pool)
		}
		l.Recorder().Reset() // nobody counts any more, but it may be called
	}
}

// Where the loop waits itself, each record says how late that ended.
func TestRecordsTellHowLateTheLoopWoke(t *testing.T) {
	l := frame.New(frame.Options{Interval: 4 * ms, Recorder: record.Options{WarmUp: -1}, JumpAfter: -1})
	defer l.Close()
	play(t, l, 40, func(int) {})
	frameOf(l) // the host's own, which the loop does not wait for
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
	if woke == 0 || s.Woke.Count() != woke || last.Woke != 0 || first.Woke != 0 || l.Report("").Run.Woke.N != woke {
		t.Errorf("%d of %d records woke late, %d in the histogram; the first %v, the host's %v", woke, len(s.Records),
			s.Woke.Count(), first.Woke, last.Woke)
	}
}

// The parts of a frame add up to its interval. Only a slice in the shadow runs beside the others.
func TestReportSaysWhereTheTimeOfFramesWent(t *testing.T) {
	task := func(l *frame.Loop) { l.Post(deadline.Normal, func() { time.Sleep(2 * ms) }) }
	// hosted frames have 4 ms of own work, a task of 2 ms in the slice, and what the host does after End.
	hosted := func(host func(l *frame.Loop)) func(l *frame.Loop) {
		return func(l *frame.Loop) {
			for range 200 {
				l.Begin()
				time.Sleep(4 * ms)
				task(l)
				l.Slice()
				l.End()
				host(l)
			}
		}
	}
	after := func(d time.Duration) func(*frame.Loop) {
		return hosted(func(*frame.Loop) { time.Sleep(d) })
	}
	idle := func(d time.Duration) func(*frame.Loop) { // without a slice
		return func(l *frame.Loop) {
			for range 200 {
				l.Begin()
				time.Sleep(6 * ms)
				l.End()
				time.Sleep(d)
			}
		}
	}
	for name, c := range map[string]struct {
		o                      frame.Options
		drive                  func(l *frame.Loop)
		own, slice, host, wait time.Duration
	}{
		"Run": {drive: func(l *frame.Loop) {
			play(t, l, 200, func(int) { time.Sleep(4 * ms); task(l) })
		}, own: 4, slice: 2, wait: 10},
		"a host that blocks":     {drive: after(10 * ms), own: 4, slice: 2, host: 10},
		"a host without a slice": {drive: idle(10 * ms), own: 6, host: 10},
		"a paced host":           {o: frame.Options{Pace: true}, drive: idle(3 * ms), own: 6, host: 3, wait: 7},
		"in the shadow": {
			o: frame.Options{Placement: frame.PlaceShadow}, drive: after(12 * ms), own: 4, slice: 2, host: 12,
		},
		"on demand": {drive: hosted(func(l *frame.Loop) {
			time.Sleep(3 * ms)
			l.Rest()
			time.Sleep(300 * ms)
		}), own: 4, slice: 2, host: 3, wait: 7},
	} {
		c.o.Interval, c.o.Workers.Workers = 16*ms, 1
		bubble(t, c.o, func(t *testing.T, l *frame.Loop) {
			c.drive(l)
			run := l.Report(name).Run
			for part, p := range map[string]struct {
				got  record.Distribution
				want time.Duration
			}{
				"own work": {run.Own, c.own}, "slice": {run.Used, c.slice},
				"host": {run.Host, c.host}, "wait": {run.Wait, c.wait},
			} {
				d, want := p.got, p.want*ms
				if (d.P50-want).Abs() > ms/10 || (d.Mean-want).Abs() > ms/10 || part != "slice" && d.N != run.N {
					t.Errorf("%s: %s %+v of %d intervals, want %v", name, part, d, run.N, want)
				}
			}
			for _, r := range l.Recorder().Recent(make([]record.Record, 100)) {
				if (r.Flags&record.Shadowed != 0) != (c.o.Placement == frame.PlaceShadow && runtime.GOOS != "js") {
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
		o := frame.Options{Interval: r, Recorder: record.Options{WarmUp: c.warmUp}}
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
