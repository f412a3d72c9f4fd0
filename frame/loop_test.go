package frame_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

func TestAFrameAllocatesNothing(t *testing.T) {
	for _, place := range placements() {
		l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: 1}})
		frameOf := func() {
			l.Begin()
			l.Slice()
			l.End()
		}
		for range 200 {
			frameOf()
		}
		if n := testing.AllocsPerRun(500, frameOf); n != 0 {
			t.Errorf("%v: an idle frame allocates %v times", place, n)
		}
		task := func() {}
		if raceEnabled {
			l.Close()
			<-l.Done()
			continue // the scheduler allocates there, to tell the detector what it must know
		}
		busy := func() {
			for range 10 {
				l.Post(deadline.Normal, task)
			}
			frameOf()
		}
		for range 200 {
			busy()
		}
		if n := testing.AllocsPerRun(500, busy); n != 0 {
			t.Errorf("%v: a frame with ten tasks allocates %v times", place, n)
		}
		l.Close()
		<-l.Done()
	}
}

// The pool's only worker is busy, so the slice runs the jobs.
func TestAFrameThatRunsJobsAllocatesNothing(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no worker there that could be busy")
	}
	for _, place := range placements() {
		l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: 1}})
		begun, end := make(chan struct{}), make(chan struct{})
		l.Pool().Go(deadline.Immediate, func() { close(begun); <-end })
		<-begun
		jobs := make([]workers.Job, 10)
		for i := range jobs {
			jobs[i] = workers.Job{Label: "nothing", Func: func(*workers.Worker) {}}
		}
		frameOf := func() {
			l.Begin()
			for i := range jobs {
				if s := jobs[i].State(); s == workers.Fresh || s == workers.Finished {
					l.Pool().Submit(&jobs[i])
				}
			}
			l.Slice()
			l.End()
		}
		for range 200 {
			frameOf()
		}
		if n := testing.AllocsPerRun(500, frameOf); n != 0 && !raceEnabled {
			t.Errorf("%v: a frame with ten jobs allocates %v times", place, n)
		}
		if jobs[0].State() == workers.Fresh {
			t.Errorf("%v: no job was ever taken", place)
		}
		close(end)
		l.Close()
		<-l.Done()
	}
}

// placements returns the ways to place the slice that are different here.
func placements() []frame.Placement {
	if runtime.GOOS == "js" {
		return []frame.Placement{frame.PlaceAfterDraw}
	}
	return []frame.Placement{frame.PlaceAfterDraw, frame.PlaceShadow}
}

func BenchmarkIdleFrame(b *testing.B) {
	l := frame.New(frame.Options{})
	defer l.Close()
	b.ReportAllocs()
	for b.Loop() {
		l.Begin()
		l.Slice()
		l.End()
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
		l.Begin()
		l.Slice()
		l.End()
	}
}

// window is a hosted loop in virtual time: own work, slice, flush, refresh.
type window struct {
	l                  *frame.Loop
	own, flush, period time.Duration
	epoch              deadline.Instant
	starts             []deadline.Instant
}

func (w *window) frame() {
	if w.epoch == 0 {
		w.epoch = deadline.Now()
	}
	w.starts = append(w.starts, deadline.Now())
	w.l.Begin()
	time.Sleep(w.own)
	w.l.Slice()
	w.l.End()
	time.Sleep(w.flush)
	if w.period > 0 {
		time.Sleep(w.period - deadline.Now().Sub(w.epoch)%w.period)
	}
}

// missed counts the refreshes without a frame among those since the frame with index from.
func (w *window) missed(from int) float64 {
	n, miss := 0, 0
	for i := from + 1; i < len(w.starts); i++ {
		k := int((w.starts[i].Sub(w.starts[i-1]) + w.period/2) / w.period)
		n += k
		miss += k - 1
	}
	return float64(miss) / float64(n)
}

// endless keeps a backlog of tasks of the given cost, and counts them.
func endless(l *frame.Loop, cost time.Duration) *int {
	n := new(int)
	rng := rand.New(rand.NewPCG(1, 2))
	l.Scheduler().Submit(&scheduler.Task{Label: "endless", Step: func() bool {
		*n++
		time.Sleep(cost*3/4 + time.Duration(rng.Int64N(int64(cost/2))))
		return true
	}})
	return n
}

func TestHostedLoopFindsItsReserveUnderABacklog(t *testing.T) {
	for _, place := range placements() {
		for _, hz := range []time.Duration{60, 144} {
			bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
				w := &window{l: l, own: time.Millisecond, flush: 2 * time.Millisecond, period: time.Second / hz}
				n := endless(l, 300*time.Microsecond)
				for range 3600 {
					w.frame()
				}
				l.Close()
				<-l.Done()
				missed := w.missed(60)
				perFrame := time.Duration(*n) * 300 * time.Microsecond / 3600
				t.Logf("%v at %d Hz: %.2f %% missed, %v of tasks per frame, reserve %v",
					place, hz, 100*missed, perFrame, l.Stats().Reserve)
				if missed > 0.03 {
					t.Errorf("%v at %d Hz: %.2f %% missed, want at most 3 %%", place, hz, 100*missed)
				}
				if s := l.Stats(); s.Interval != time.Second/hz {
					t.Errorf("%v at %d Hz: the period is taken for %v", place, hz, s.Interval)
				}
				if possible := w.period - w.own - w.flush; perFrame < possible/2 {
					t.Errorf("%v at %d Hz: %v of tasks per frame where %v were possible", place, hz, perFrame, possible)
				}
			})
		}
	}
}

func TestPaceSlowsAFreeHostDown(t *testing.T) {
	bubble(t, frame.Options{Pace: true}, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: time.Millisecond, flush: 2 * time.Millisecond}
		for range 200 {
			w.frame()
		}
		from, to := w.starts[100], w.starts[199]
		if d := to.Sub(from) / 99; d.Round(10*time.Microsecond) != (time.Second / 60).Round(10*time.Microsecond) {
			t.Errorf("mean interval %v, want 1/60 s", d)
		}
		if s := l.Stats(); s.Paced {
			t.Errorf("stats say that the host is paced: %+v", s)
		}
		// The host begins to block: the loop's own waiting ends.
		w.period = time.Second / 72
		for range 300 {
			w.frame()
		}
		if s := l.Stats(); !s.Paced || s.Interval != time.Second/72 {
			t.Errorf("stats %+v, want a host paced at 72 Hz", s)
		}
	})
}

func TestWithoutPaceAFreeHostIsLeftAlone(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		w := &window{l: l, own: time.Millisecond, flush: 2 * time.Millisecond}
		for range 100 {
			w.frame()
		}
		if d := w.starts[99].Sub(w.starts[50]) / 49; d != 3*time.Millisecond {
			t.Errorf("mean interval %v, want the host's own 3 ms", d)
		}
	})
}

func TestIdleTasksOfASaturatedGameDoNotStarve(t *testing.T) {
	for _, place := range placements() {
		bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
			w := &window{l: l, own: 30 * time.Millisecond, period: time.Second / 60}
			ran := 0
			for range 100 {
				l.Post(deadline.Idle, func() { ran++; time.Sleep(100 * time.Microsecond) })
			}
			for range 50 {
				w.frame()
			}
			l.Close()
			<-l.Done()
			if ran < 50 {
				t.Errorf("%v: %d idle tasks in 50 frames without time to spare, want at least one each", place, ran)
			}
		})
	}
}

func TestRunEndsAsItShould(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		f    func(l *frame.Loop, cancel func()) error
		want error
	}{
		"ErrStop":     {func(*frame.Loop, func()) error { return frame.ErrStop }, nil},
		"an error":    {func(*frame.Loop, func()) error { return boom }, boom},
		"the context": {func(_ *frame.Loop, cancel func()) error { cancel(); return nil }, nil},
		"Close in f":  {func(l *frame.Loop, _ func()) error { return l.Close() }, nil},
		"Close in a task": {func(l *frame.Loop, _ func()) error {
			l.Post(0, func() { l.Close() })
			return nil
		}, nil},
	} {
		for _, place := range placements() {
			bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				n := 0
				err := l.Run(ctx, func() error {
					if n++; n < 3 {
						return nil
					}
					return c.f(l, cancel)
				})
				if err != c.want || n < 3 || n > 4 {
					t.Errorf("%s, %v: error %v after %d frames, want %v after 3 or 4", name, place, err, n, c.want)
				}
				l.Close()
				<-l.Done()
				if err := l.Run(ctx, func() error { return nil }); err != frame.ErrClosed {
					t.Errorf("%s: Run of a closed loop: %v, want ErrClosed", name, err)
				}
			})
		}
	}
}

func TestRunAfterRun(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		for range 2 {
			n := 0
			if err := l.Run(t.Context(), func() error {
				if n++; n == 3 {
					return frame.ErrStop
				}
				return nil
			}); err != nil || n != 3 {
				t.Errorf("error %v after %d frames", err, n)
			}
		}
	})
}

func TestRunLetsGoAfterAPanic(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		func() {
			defer func() {
				if v := recover(); v != "boom" {
					t.Errorf("recovered %v", v)
				}
			}()
			l.Run(t.Context(), func() error { panic("boom") })
		}()
		if err := l.Run(t.Context(), func() error { return frame.ErrStop }); err != nil {
			t.Error(err)
		}
	})
}

func TestATasksPanicReachesTheHostWithRethrow(t *testing.T) {
	for _, place := range placements() {
		o := frame.Options{Placement: place}
		o.Scheduler.Rethrow, o.Scheduler.OnPanic = true, func(*scheduler.PanicError) {}
		bubble(t, o, func(t *testing.T, l *frame.Loop) {
			var caught *scheduler.PanicError
			frameOf := func() {
				defer func() {
					if v := recover(); v != nil {
						err, _ := v.(error)
						if !errors.As(err, &caught) {
							t.Errorf("%v: recovered %v", place, v)
						}
					}
				}()
				l.Begin()
				l.Slice()
				l.End()
			}
			l.Post(deadline.Normal, func() { panic("boom") })
			frameOf()
			time.Sleep(16 * time.Millisecond)
			// The host has recovered, and its frame is still open: it ends it and goes on.
			if place == frame.PlaceAfterDraw {
				l.End()
			} else {
				frameOf()
				l.Slice()
				l.End()
			}
			if caught == nil || caught.Value != "boom" || !strings.Contains(string(caught.Stack), "TestATasksPanic") {
				t.Fatalf("%v: caught %v, want the panic with the task's stack", place, caught)
			}
			ran := false
			l.Post(deadline.Normal, func() { ran = true })
			frameOf()
			l.Close()
			<-l.Done()
			if !ran {
				t.Errorf("%v: no task ran after a panic", place)
			}
		})
	}
}

func TestCloseAtEveryPointOfAFrame(t *testing.T) {
	points := []func(l *frame.Loop){
		func(l *frame.Loop) { l.Begin() },
		func(l *frame.Loop) { l.Slice() },
		func(l *frame.Loop) { l.End() },
		func(l *frame.Loop) { time.Sleep(time.Millisecond) }, // in the shadow, if there is one
		func(l *frame.Loop) { l.Begin() },
	}
	for _, place := range placements() {
		for k := range len(points) + 1 {
			bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
				unwound := 0
				for range 5 {
					l.Go(deadline.Normal, func(co *scheduler.Co) {
						defer func() { unwound++ }()
						for {
							time.Sleep(300 * time.Microsecond)
							co.Yield()
						}
					})
				}
				for _, f := range points[:k] {
					f(l)
				}
				l.Close()
				<-l.Done()
				for _, f := range points[k:] {
					f(l)
				}
				if k > 2 && unwound == 0 {
					t.Errorf("%v, close at %d: no coroutine was unwound", place, k)
				}
				if err := l.Close(); err != nil {
					t.Errorf("%v, close at %d: second Close: %v", place, k, err)
				}
				if h := l.Post(0, func() {}); h.State() != scheduler.Canceled {
					t.Errorf("%v, close at %d: a task posted after Close is %v", place, k, h.State())
				}
			})
		}
	}
}

func TestCloseFromATaskEndsTheSlice(t *testing.T) {
	for _, place := range placements() {
		bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
			n := endless(l, time.Millisecond)
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				co.NextFrame()
				l.Close()
			})
			w := &window{l: l, period: time.Second / 60}
			for range 5 {
				w.frame()
			}
			<-l.Done()
			if *n == 0 || *n > 60 {
				t.Errorf("%v: %d tasks ran", place, *n)
			}
		})
	}
}

func TestCloseFromAJob(t *testing.T) {
	for range 20 {
		l := frame.New(frame.Options{Workers: workers.Options{Workers: 2}})
		l.Pool().Go(deadline.Normal, func() { l.Close() })
		for open := true; open; { // without workers, as on js, the job runs in a slice
			l.Begin()
			l.Slice()
			l.End()
			select {
			case <-l.Done():
				open = false
			case <-time.After(10 * time.Microsecond):
			}
		}
	}
}

func TestCloseLeavesASharedPoolOpen(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(context.Background())
	a, b := frame.New(frame.Options{Pool: p}), frame.New(frame.Options{Pool: p})
	a.Close()
	job := workers.Submit(b.Pool(), deadline.Normal, func() (int, error) { return 42, nil })
	if got, err := job.Wait(t.Context()); got != 42 || err != nil {
		t.Errorf("a job of the pool that was left open: %v, %v", got, err)
	}
	b.Close()
}

func TestCloseRestoresTheCollectorsSettings(t *testing.T) {
	before, limit := debug.SetGCPercent(130), debug.SetMemoryLimit(-1)
	defer debug.SetGCPercent(before)
	l := frame.New(frame.Options{GCPercent: 400, MemoryLimit: 1 << 40})
	if got := debug.SetGCPercent(400); got != 400 {
		t.Errorf("GOGC %d while the loop is open, want 400", got)
	}
	if got := debug.SetMemoryLimit(-1); got != 1<<40 {
		t.Errorf("limit %d while the loop is open, want 1<<40", got)
	}
	l.Close()
	if got := debug.SetGCPercent(130); got != 130 {
		t.Errorf("GOGC %d after Close, want 130", got)
	}
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("limit %d after Close, want %d", got, limit)
	}
	// What somebody else has set meanwhile stays.
	l = frame.New(frame.Options{GCPercent: 400})
	debug.SetGCPercent(77)
	l.Close()
	if got := debug.SetGCPercent(77); got != 77 {
		t.Errorf("GOGC %d after Close, want the 77 that was set meanwhile", got)
	}
}

func TestOnOneProcessorJobsRunInTheSlice(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	l := frame.New(frame.Options{NoJobs: true}) // which says nothing where there is no worker
	defer l.Close()
	ran := 0
	for range 5 {
		l.Pool().Go(deadline.Normal, func() { ran++ })
	}
	for range 50 {
		l.Begin()
		l.Slice()
		l.End()
	}
	if ran != 5 {
		t.Errorf("%d of 5 jobs ran", ran)
	}
}

func TestWithoutWorkersAJobLongerThanAnySliceStillRuns(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		ran := 0
		long := func() { time.Sleep(40 * time.Millisecond); ran++ }
		w := &window{l: l, own: time.Millisecond, period: time.Second / 60}
		for range 3 {
			l.Pool().Go(deadline.Normal, long) // one kind: after the first its length is known
		}
		for range 60 {
			w.frame()
		}
		if ran != 3 {
			t.Errorf("%d of 3 long jobs ran in a second", ran)
		}
	})
}

func TestNoJobsLeavesThemToTheWorkers(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no workers")
	}
	o := frame.Options{NoJobs: true, Workers: workers.Options{Workers: 1}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		for range 20 {
			l.Pool().Go(deadline.Normal, func() { time.Sleep(time.Millisecond) })
		}
		w := &window{l: l, period: time.Second / 60}
		for range 5 {
			w.frame()
		}
		var s workers.Stats
		l.Pool().Stats(&s)
		if s.RanByCaller != 0 || s.Run < 20 {
			t.Errorf("%d jobs ran in the slice, %d on the worker", s.RanByCaller, s.Run)
		}
	})
}

func TestHostTasksRunOnTheHostsGoroutine(t *testing.T) {
	for _, place := range placements() {
		bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
			inSlice := false // plain: the race detector objects if the task is elsewhere
			ran := 0
			for range 3 {
				l.Host().Post(deadline.Normal, func() {
					if !inSlice {
						t.Errorf("%v: a host task outside of Slice", place)
					}
					ran++
				})
				l.Begin()
				inSlice = true
				l.Slice()
				inSlice = false
				l.End()
				synctest.Wait()
			}
			if ran != 3 {
				t.Errorf("%v: %d host tasks ran, want 3", place, ran)
			}
		})
	}
}

func TestAClockThatStandsStillDoesNoHarm(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		ran := 0
		for range 1000 {
			l.Post(deadline.Normal, func() { ran++ })
			l.Begin()
			l.Slice()
			l.End()
		}
		if ran != 1000 {
			t.Errorf("%d of 1000 tasks ran", ran)
		}
		for _, r := range l.Recorder().Recent(make([]frame.Record, 1000)) {
			if r.Interval < 0 || r.Used() < 0 || r.Overrun() < 0 {
				t.Fatalf("negative times in %+v", r)
			}
		}
	})
}

// The whole machine under the race detector: tasks from many goroutines, and a Stop from another one at
// any moment.
func TestStressStopFromAnotherGoroutine(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("one thread: no other goroutine runs while the frames spin")
	}
	for _, place := range placements() {
		for round := range 60 {
			l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: 2}, Grace: -1})
			var inTask bool // plain, so that the detector sees two tasks, or a task and the frame's own work, at once
			stop := make(chan struct{})
			for range 2 {
				go func() {
					for i := 0; ; i++ {
						select {
						case <-stop:
							return
						default:
						}
						l.Post(deadline.Priority(i%5-2), func() { inTask = !inTask })
						if i%8 == 0 {
							l.Pool().Go(deadline.Normal, func() {})
							time.Sleep(10 * time.Microsecond)
						}
					}
				}()
			}
			go func() {
				time.Sleep(time.Duration(round) * 50 * time.Microsecond)
				l.Stop()
			}()
			for n := 0; n < 1_000_000; n++ {
				l.Begin()
				l.Slice()
				l.End()
				select {
				case <-l.Done():
					n = 1_000_000
				default:
				}
			}
			close(stop)
			select {
			case <-l.Done():
			default:
				t.Fatalf("%v, round %d: not closed after a million frames", place, round)
			}
		}
	}
}

func TestLockThreadRunsCoroutinesUnderTheLock(t *testing.T) {
	for _, place := range placements() {
		ended := make(chan error, 1)
		steps, unwound := 0, false
		go func() { // a goroutine of its own: it stays locked, and takes its thread with it
			l := frame.New(frame.Options{Interval: 2 * time.Millisecond, LockThread: true, Placement: place})
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				defer func() { unwound = true }()
				for {
					steps++
					co.NextFrame()
				}
			})
			n := 0
			err := l.Run(context.Background(), func() error {
				if n++; n > 10 {
					return frame.ErrStop
				}
				return nil
			})
			l.Close()
			<-l.Done()
			ended <- err
		}()
		if err := <-ended; err != nil || steps < 5 || !unwound {
			t.Errorf("%v: error %v, %d steps in 10 frames, unwound %v", place, err, steps, unwound)
		}
	}
}

func TestATaskThatWaitsForTheNextFrameInTheShadowIsReported(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no shadow")
	}
	bubble(t, frame.Options{Placement: frame.PlaceShadow}, func(t *testing.T, l *frame.Loop) {
		next := make(chan struct{})
		l.Post(deadline.Normal, func() { <-next })
		w := &window{l: l, period: time.Second / 60}
		w.frame()
		from := deadline.Now()
		func() {
			defer func() {
				if msg, _ := recover().(string); !strings.Contains(msg, "waits for the host's next frame") {
					t.Errorf("panic %q, want one that names the deadlock", msg)
				}
			}()
			w.frame()
		}()
		if d := deadline.Now().Sub(from); d < 25*time.Second || d > time.Minute {
			t.Errorf("reported after %v, want half a minute", d)
		}
		close(next)
		synctest.Wait()
	})
}
