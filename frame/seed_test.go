package frame_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// seedLog plays ten frames with a seed, and returns what happened in them, in order. Each frame posts four tasks. Three
// coroutines wake in each and ask ShouldYield, and four jobs and four functions of SubmitIO run. The names of the
// functions must be the same for each caller.
//
//go:noinline
func seedLog(t *testing.T, seed string) (log []string) {
	synctest.Test(t, func(t *testing.T) {
		loop := frame.New(frame.Options{Interval: time.Second / 60, Seed: seed})
		defer loop.Close()
		note := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
		for i := range 3 {
			loop.Go(deadline.Normal, func(co *scheduler.Co) {
				for {
					co.NextFrame()
					note("coroutine %d yields %v", i, co.ShouldYield())
				}
			})
		}
		for i := range 4 {
			for _, submit := range []func(func(context.Context) (int, error)) *workers.Future[int]{
				func(f func(context.Context) (int, error)) *workers.Future[int] {
					return workers.Submit(loop.Pool(), deadline.Normal, f)
				},
				func(f func(context.Context) (int, error)) *workers.Future[int] {
					return workers.SubmitIO(loop.Pool(), f)
				},
			} {
				loop.Go(deadline.Normal, func(co *scheduler.Co) {
					begun := time.Now()
					began := begun
					f := submit(func(context.Context) (int, error) {
						began = time.Now()
						return i, nil
					})
					_, _ = scheduler.Await(co, f)
					note("job %d of %T began after %v and was seen after %v", i, f, began.Sub(begun), time.Since(begun))
				})
			}
		}
		err := loop.Run(t.Context(), func() error {
			note("frame %d", loop.Frame())
			for i := range 4 {
				n := loop.Frame()
				loop.Post(deadline.Normal, func() { note("task %d of frame %d", i, n) })
			}
			if loop.Frame() == 10 {
				return frame.ErrStop
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	return log
}

// Without a seed jobs are seen in the next slice, tasks run in the frame that posts them, coroutines wake in the order
// in which they slept, and none is asked to yield. Seeds change each of these, and no task is lost or runs before an
// older one of its priority.
func TestSeedsChangeWhatIsOpen(t *testing.T) {
	plain := strings.Join(seedLog(t, ""), "; ")
	if strings.Contains(plain, "yields true") || !strings.Contains(plain, "task 3 of frame 1; ") {
		t.Errorf("without a seed: %s", plain)
	}
	late, left, woken, asked := 0, 0, 0, 0
	for seed := range 100 {
		log := seedLog(t, fmt.Sprint(seed))
		text := strings.Join(log, "; ")
		if again := strings.Join(seedLog(t, fmt.Sprint(seed)), "; "); again != text {
			t.Fatalf("seed %d: %s\nand then %s", seed, text, again)
		}
		count := func(n *int, changed bool) {
			if changed {
				*n++
			}
		}
		jobs, before := 0, -1
		for i, line := range log {
			var n, of int
			if _, err := fmt.Sscanf(line, "task %d of frame %d", &n, &of); err == nil {
				if 4*of+n != before+1 && before >= 0 {
					t.Fatalf("seed %d: %s after task %d of frame %d", seed, line, before%4, before/4)
				}
				before = 4*of + n
			}
			if strings.HasPrefix(line, "job") {
				jobs++
			}
			if i > 0 && strings.HasPrefix(line, "coroutine 0") && strings.HasPrefix(log[i-1], "coroutine 1") {
				count(&woken, true)
			}
		}
		count(&late, jobs < 8)
		count(&left, !strings.Contains(text, "task 3 of frame 9; frame 10"))
		count(&asked, strings.Contains(text, "yields true"))
	}
	t.Logf("of 100 seeds: %d with late jobs, %d with work left over, %d with asked coroutines; woken in another order "+
		"%d times", late, left, asked, woken)
	if late < 20 || left < 5 || asked < 5 || woken < 20 {
		t.Error("one of these is too rare")
	}
}

// A loop that closes beside delayed jobs ends each of them, and none begins afterwards, whatever Options.CloseTimeout
// says. A job that is canceled and changed while a worker has its old entry is not read: the race detector looks.
func TestSeedsBesideClose(t *testing.T) {
	for seed := range 60 {
		for _, timeout := range []time.Duration{0, -1, 100 * time.Millisecond} {
			synctest.Test(t, func(t *testing.T) { closeBesideJobs(t, uint64(seed), timeout) })
		}
	}
}

func closeBesideJobs(t *testing.T, seed uint64, timeout time.Duration) {
	loop := frame.New(frame.Options{Interval: time.Second / 60, Seed: fmt.Sprint(seed), CloseTimeout: timeout})
	rnd := rand.New(rand.NewPCG(seed, 7))
	var closed atomic.Bool
	begin := func() {
		if closed.Load() {
			t.Errorf("seed %d, timeout %v: a job began after Close", seed, timeout)
		}
		time.Sleep(3 * time.Millisecond)
	}
	f := func(context.Context) (int, error) { begin(); return 0, nil }
	var futures []*workers.Future[int]
	for range 10 {
		futures = append(futures, workers.Submit(loop.Pool(), deadline.Normal, f), workers.SubmitIO(loop.Pool(), f))
	}
	jobs := make([]workers.Job, 10)
	for i := range jobs {
		jobs[i].Func = func(*workers.Worker) { begin() }
		loop.Pool().Submit(&jobs[i])
	}
	last := 3 + rnd.Uint64N(60)
	err := loop.Run(t.Context(), func() error {
		futures[rnd.IntN(len(futures))].Cancel()
		if i := rnd.IntN(len(jobs)); jobs[i].Cancel() {
			jobs[i].Label = fmt.Sprint("changed in ", loop.Frame())
			loop.Pool().Submit(&jobs[i])
		}
		if loop.Frame() == last {
			return frame.ErrStop
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	_ = loop.Close() // says which jobs still run, without timeout
	closed.Store(true)
	time.Sleep(10 * time.Second)
	for i, f := range futures {
		select {
		case <-f.Done():
		default:
			t.Errorf("seed %d, timeout %v: future %d has not ended", seed, timeout, i)
		}
	}
	for i := range jobs {
		if !jobs[i].Finished() {
			t.Errorf("seed %d, timeout %v: job %d has not ended", seed, timeout, i)
		}
	}
}

// A seed chooses the number of workers, unless the options do.
func TestSeedChoosesWorkers(t *testing.T) {
	needsThreads(t)
	synctest.Test(t, func(t *testing.T) {
		seen := map[int]bool{}
		for seed := range 100 {
			for given, want := range map[int]int{0: -1, 5: 5} {
				o := frame.Options{Seed: fmt.Sprint(seed)}
				o.Workers.Workers = given
				loop := frame.New(o)
				var s workers.Stats
				loop.Pool().Stats(&s)
				if want > 0 && s.Workers != want {
					t.Errorf("%d workers of %d", s.Workers, want)
				}
				if given == 0 {
					seen[s.Workers] = true
				}
				loop.Close()
			}
		}
		for n := range 4 {
			if !seen[n] {
				t.Errorf("no pool has %d workers", n)
			}
		}
	})
}
