package frame_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A frame allocates nothing: idle, with tasks, with callbacks of a wrapped game, and with jobs that the slice runs
// because the pool's only worker is busy.
func TestFramesAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	nothing := func() {}
	for _, place := range append(placements(), frame.PlaceFirst) {
		for name, make := range map[string]func(l *frame.Loop) func(){
			"idle": func(l *frame.Loop) func() { return func() { frameOf(l) } },
			"ten tasks": func(l *frame.Loop) func() {
				return func() {
					for range 10 {
						l.Post(deadline.Normal, nothing)
					}
					frameOf(l)
				}
			},
			"callbacks": func(l *frame.Loop) func() {
				for p := range phaseNames {
					l.Host().Each(scheduler.Phase(p), nothing)
				}
				if place == frame.PlaceFirst { // which Wrap refuses
					return func() {
						l.Begin()
						l.Slice()
						l.Section("draw")
						l.RunPhase(scheduler.BeforeDraw)
						l.End()
					}
				}
				w := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{}, l)
				return func() {
					for p := range phaseNames {
						l.Host().Once(scheduler.Phase(p), nothing)
					}
					w.Layout(1, 1)
					_ = w.Update()
					w.Draw(nil)
				}
			},
			"ten jobs": func(l *frame.Loop) func() {
				jobs := [10]workers.Job{}
				sent := [10]bool{}
				for i := range jobs {
					jobs[i] = workers.Job{Label: "nothing", Func: func(*workers.Worker) {}}
				}
				return func() {
					l.Begin()
					for i := range jobs {
						if !sent[i] || jobs[i].Finished() {
							sent[i] = true
							l.Pool().Submit(&jobs[i])
						}
					}
					l.Slice()
					l.End()
				}
			},
		} {
			l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: 1}})
			begun, free := block(l)
			<-begun
			f := make(l)
			for range 200 {
				f()
			}
			t.Run(fmt.Sprint(place, ", ", name), func(t *testing.T) { testkit.NoAllocs(t, f) })
			close(free)
			end(l)
		}
	}
}

// block keeps the only worker busy, where there is one, until free is closed.
func block(l *frame.Loop) (begun, free chan struct{}) {
	begun, free = make(chan struct{}), make(chan struct{})
	if runtime.GOOS == "js" { // no worker
		close(begun)
		return begun, free
	}
	l.Pool().Go(deadline.Immediate, func() { close(begun); <-free })
	return begun, free
}

// frameOf is a frame of a host without work of its own.
func frameOf(l *frame.Loop) { l.Begin(); l.Slice(); l.End() }

func framesOf(l *frame.Loop, n int) {
	for range n {
		frameOf(l)
	}
}

// end closes the loop and waits for the end.
func end(l *frame.Loop) {
	_ = l.Close()
	<-l.Done()
}

// play has Run play n frames, with f in each, and then ends Run in one more.
func play(t testing.TB, l *frame.Loop, n int, f func(i int)) {
	t.Helper()
	i := 0
	if err := l.Run(context.Background(), func() error {
		if i++; i > n {
			return frame.ErrStop
		}
		f(i)
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// Where work runs: jobs without workers, tasks on the host's goroutine, coroutines on a locked thread,
// everything at once.

func TestOnOneProcessorJobsRunInTheSlice(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	l := frame.New(frame.Options{WorkersOnly: true}) // which says nothing where there is no worker
	defer l.Close()
	ran := 0
	for range 5 {
		l.Pool().Go(deadline.Normal, func() { ran++ })
	}
	framesOf(l, 50)
	if ran != 5 {
		t.Errorf("%d of 5 jobs ran", ran)
	}
}

func TestNoJobsLeavesThemToTheWorkers(t *testing.T) {
	needsThreads(t)
	o := frame.Options{WorkersOnly: true, Workers: workers.Options{Workers: 1}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		for range 20 {
			l.Pool().Go(deadline.Normal, func() { time.Sleep(time.Millisecond) })
		}
		w := &window{l: l, period: time.Second / 60}
		w.run(5)
		var s workers.Stats
		l.Pool().Stats(&s)
		if s.RanByCaller != 0 || s.Run < 20 {
			t.Errorf("%d jobs ran in the slice, %d on the worker", s.RanByCaller, s.Run)
		}
	})
}

func TestUrgentJobsRunWhereThereAreOnlyBackgroundWorkers(t *testing.T) {
	needsThreads(t)
	for _, workersOnly := range []bool{false, true} {
		l := frame.New(frame.Options{WorkersOnly: workersOnly, Workers: workers.Options{Workers: -1, Background: 1}})
		ran := false
		l.Pool().Go(deadline.Immediate, func() { ran = true })
		for n := 0; n < 100 && !ran; n++ {
			frameOf(l)
		}
		if !ran {
			t.Errorf("WorkersOnly %v: an urgent job did not run in 100 frames", workersOnly)
		}
		l.Close()
	}
}

func TestATaskThatWaitsForTheNextFrameInTheShadowIsReported(t *testing.T) {
	stuck(t, 30*time.Second, func(_ *frame.Loop, w *window) {
		if got := testkit.PanicOf(w.frame); !strings.Contains(got, "waits for the host's next frame") {
			t.Errorf("panic %q, want one that names the deadlock", got)
		}
	})
}

// As when the window is closed meanwhile: Ebitengine's ReadPixels then waits for ever.
func TestATaskThatWaitsForAFrameThatDoesNotComeIsReportedByClose(t *testing.T) {
	stuck(t, 15*time.Second, func(l *frame.Loop, _ *window) {
		if err := l.Close(); err == nil || !strings.Contains(err.Error(), "belongs to Loop.Host") {
			t.Errorf("Close: error %v, want one that says where such a task belongs", err)
		}
	})
}

// stuck calls f, which is to find out within some d, in virtual time, that a task waits in the shadow.
func stuck(t *testing.T, d time.Duration, f func(*frame.Loop, *window)) {
	needsThreads(t)
	bubble(t, frame.Options{Placement: frame.PlaceShadow, OnStuck: func(string) {}}, func(t *testing.T, l *frame.Loop) {
		next := make(chan struct{})
		l.Post(deadline.Normal, func() { <-next })
		w := &window{l: l, period: time.Second / 60}
		w.frame()
		from := deadline.Now()
		f(l, w)
		if took := deadline.Now().Sub(from); took < d*2/3 || took > time.Minute {
			t.Errorf("reported after %v, want %v", took, d)
		}
		close(next)
		synctest.Wait()
	})
}

func BenchmarkIdleFrame(b *testing.B) {
	l := frame.New(frame.Options{})
	defer l.Close()
	b.ReportAllocs()
	for b.Loop() {
		frameOf(l)
	}
}

func BenchmarkFrameOfTenTasks(b *testing.B) {
	l := frame.New(frame.Options{})
	defer l.Close()
	task := func() {}
	b.ReportAllocs()
	for b.Loop() {
		for range 10 {
			l.Post(deadline.Normal, task)
		}
		frameOf(l)
	}
}

// Jobs that the slice ran, hand-backs and delayed tasks are in the frame's record, and all in the totals.
func TestRecordsCountJobsAndHandBacks(t *testing.T) {
	o := frame.Options{Placement: frame.PlaceAfterDraw, Recorder: record.Options{WarmUp: -1}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		job := func(context.Context) (int, error) { return 1, nil }
		l.Go(deadline.Normal, func(co *scheduler.Co) {
			for range 2 {
				_, _ = scheduler.Await(co, workers.Submit(l.Pool(), deadline.Normal, job))
				co.NextFrame()
			}
		})
		l.After(deadline.Normal, time.Hour, func() {})
		framesOf(l, 100)
		var jobs, handed, delayed []int
		s := l.Recorder().Snapshot()
		for _, r := range s.Records {
			jobs, handed = append(jobs, int(r.JobsInSlice)), append(handed, int(r.HandedBack))
			delayed = append(delayed, int(r.Delayed))
		}
		for i, want := range []int{1, 1, 0, 0} {
			if jobs[i] != want || handed[i] != want || delayed[i] != 1 {
				t.Fatalf("jobs %v, handed back %v, delayed %v", jobs, handed, delayed)
			}
		}
		for _, r := range s.Records { // the clock stands still
			if r.Interval < 0 || r.Used() < 0 || r.Overrun() < 0 {
				t.Fatalf("negative times in %+v", r)
			}
		}
		if s.Totals.JobsInSlice != 2 || s.Totals.HandedBack != 2 {
			t.Errorf("in all %d jobs, %d handed back", s.Totals.JobsInSlice, s.Totals.HandedBack)
		}
	})
}

// A job that makes a slice late is named in the record, in the report and in its list of late frames.
func TestALongJobInTheSliceIsNamed(t *testing.T) {
	o := frame.Options{
		Placement: frame.PlaceAfterDraw, Budget: deadline.Budget{Interval: r}, Workers: workers.Options{Workers: -1},
		Recorder: record.Options{WarmUp: -1},
	}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		framesOf(l, 5)
		path := func(*workers.Worker) { time.Sleep(70 * time.Millisecond) }
		l.Pool().Submit(&workers.Job{Label: "path", Func: path})
		l.Pool().Go(deadline.Normal, func() {})
		framesOf(l, 5)
		report := l.Report("x")
		if run := &report.Run; run.WorstJob != "path" || run.WorstJobCost != 70*time.Millisecond {
			t.Errorf("the longest job is %q, %v", run.WorstJob, run.WorstJobCost)
		}
		if late := fmt.Sprint(report.LateFrames); !strings.Contains(late, "job path or the system 70.0") {
			t.Errorf("the late frames are %s", late)
		}
		if text := report.String(); !strings.Contains(text, "longest job in a slice") {
			t.Errorf("the report is\n%s", text)
		}
		named := 0
		for _, r := range l.Recorder().Snapshot().Records {
			if r.WorstJob == "path" {
				named++
			}
		}
		if named != 1 {
			t.Errorf("%d records name the job, want 1", named)
		}
	})
}

// A new kind of task runs once a frame at first, as its tasks may leave work to the host. The loop says so.
func TestStatsTellOfTasksLeftOut(t *testing.T) {
	o := frame.Options{Placement: frame.PlaceAfterDraw, Budget: deadline.Budget{Interval: r}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		ran, all := 0, 0
		for range 1000 {
			l.Post(deadline.Normal, func() {
				ran++
				time.Sleep(r / 100)
			})
		}
		for i := range 40 {
			ran = 0
			begin := time.Now()
			frameOf(l)
			all += ran
			short := l.Stats().Short
			told := short == "the tasks that wait are too long, or leave the host too much work"
			if few := ran > 0 && ran < 20 && all < 1000; few && !told || (ran > 60 || all == 1000) && short != "" {
				t.Fatalf("frame %d: %d tasks ran, %d before, the slice was short because of %q", i, ran, all-ran, short)
			}
			time.Sleep(r - time.Since(begin))
		}
		if all != 1000 {
			t.Errorf("%d tasks ran", all)
		}
	})
}
