package frame_test

import (
	"context"
	"math"
	"runtime"
	"strings"
	"testing"
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
			Placement: place, Wait: frame.WaitTimer,
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
			case r.Name != name || r.Environment.WaitMode != "timer" || r.Environment.GoVersion == "":
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

// What the report itself takes is not in it, and a pool that has closed is told of as it was.
func TestLoopReportLeavesItselfOut(t *testing.T) {
	l := frame.New(frame.Options{Wait: frame.WaitTimer, Interval: time.Millisecond})
	frames := 0
	f := func() error {
		if frames++; frames%20 == 0 {
			return frame.ErrStop
		}
		return nil
	}
	least := uint64(math.MaxUint64) // as the whole process is counted
	for range 5 {
		if err := l.Run(context.Background(), f); err != nil {
			t.Fatal(err)
		}
		least = min(least, l.Report("idle").Runtime.AllocBytes)
		l.Recorder().Reset()
	}
	if least > mib { // a snapshot has 2.1 MB
		t.Errorf("%d bytes in 20 frames of nothing", least)
	}
	before := l.Report("before").Pool
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	after := l.Report("after").Pool
	if before == nil && after == nil && runtime.GOMAXPROCS(0) == 1 {
		return // no workers
	}
	if after.Workers != before.Workers || after.Background != before.Background {
		t.Errorf("%+v before Close, %+v after it", before, after)
	}
}

// A host's frames are paced by the host, which the report says; and where it cannot be read, that is said.
func TestLoopReportOfHost(t *testing.T) {
	l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
	defer l.Close()
	l.Begin()
	if r := l.Report("open"); r.Environment.WaitMode != "host" || len(r.TaskCosts)+len(r.Tasks)+len(r.Jobs) > 0 {
		t.Errorf("%+v", r)
	}
	var got string
	l.Post(deadline.Immediate, func() { got = panicOf(func() { l.Report("task") }) })
	l.Slice()
	if want := "frame: Report while another call of the loop runs"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := panicOf(func() { l.Report("sliced") }), "frame: Report after Slice"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	l.End()
	if r := l.Report("ended"); r.Run.Frames != 1 {
		t.Errorf("%d frames", r.Run.Frames)
	}
}

// Where the loop waits itself, each record says how late that ended.
func TestRecordsTellHowLateTheLoopWoke(t *testing.T) {
	l := frame.New(frame.Options{
		Interval: 4 * ms, Wait: frame.WaitTimer, Recorder: record.Options{WarmUp: -1}, JumpAfter: -1,
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
