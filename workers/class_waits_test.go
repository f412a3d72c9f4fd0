package workers_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/workers"
)

// submitWaiting submits f as a job that may wait.
func submitWaiting(p *workers.Pool, prio deadline.Priority, f func()) *workers.Job {
	j := &workers.Job{Label: "load", Priority: prio, Func: func(*workers.Worker) { f() }}
	bridge.Of(p).SubmitWaiting(j)
	return j
}

// Jobs that wait keep no others back, in any lane, and in the end there are as many workers as before.
func TestWaitingJobsKeepNoOthersBack(t *testing.T) {
	needsWorkers(t)
	for name, o := range map[string]workers.Options{
		"one": {Workers: 1}, "three": {Workers: 3}, "background": {Workers: 1, Background: 1},
	} {
		for _, prio := range deadline.Priorities() {
			t.Run(fmt.Sprint(name, " ", prio), func(t *testing.T) {
				bubble(t, o, func(t *testing.T, p *workers.Pool) {
					var before, after workers.Stats
					p.Stats(&before)
					for range 4 {
						submitWaiting(p, prio, func() { time.Sleep(time.Second) })
					}
					begin := time.Now()
					var ran atomic.Int32
					for range 10 {
						submitWaiting(p, prio, func() {
							if ran.Add(1) == 10 && time.Since(begin) > 30*ms {
								t.Errorf("ten quick jobs took %v behind four that wait", time.Since(begin))
							}
						})
					}
					time.Sleep(2 * time.Second)
					synctest.Wait()
					p.Stats(&after)
					if ran.Load() != 10 || after.Workers != before.Workers || after.Background != before.Background {
						t.Errorf("%d ran, and the workers are %d and %d, before %d and %d", ran.Load(),
							after.Workers, after.Background, before.Workers, before.Background)
					}
				})
			})
		}
	}
}

// However many jobs wait, eight workers at most are replaced at once.
func TestSparesForWaitingJobsHaveALimit(t *testing.T) {
	needsWorkers(t)
	bubble(t, workers.Options{Workers: 2}, func(t *testing.T, p *workers.Pool) {
		var c computer
		for range 30 {
			submitWaiting(p, deadline.Normal, func() { c.compute(time.Second) })
		}
		time.Sleep(10 * time.Second)
		if got := c.most.Load(); got != 2+8 || c.now.Load() != 0 {
			t.Errorf("%d jobs waited at once, and %d are left", got, c.now.Load())
		}
	})
}

// A panic and a Goexit end a wait as well as a return.
func TestTheEndOfAWaitSendsTheSpareAway(t *testing.T) {
	needsWorkers(t)
	for name, end := range map[string]func(){"panic": func() { panic("x") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
				submitWaiting(p, deadline.Normal, func() { time.Sleep(50 * ms); end() })
				var s workers.Stats
				time.Sleep(49 * ms)
				if p.Stats(&s); s.Workers != 2 {
					t.Errorf("%d workers while a job waits, want 2", s.Workers)
				}
				time.Sleep(2 * ms)
				synctest.Wait()
				if p.Stats(&s); s.Workers != 1 {
					t.Errorf("%d workers after the wait, want 1", s.Workers)
				}
			})
		})
	}
}

// A job that may wait is seen to wait, even if brief jobs have the same label, most of which are not timed.
func TestAWaitingJobOfABriefKindIsSeen(t *testing.T) {
	needsWorkers(t)
	bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
		for n := range 100 {
			done := make(chan struct{})
			p.Submit(&workers.Job{Label: "load", Func: func(*workers.Worker) { close(done) }})
			<-done
			if n%10 > 0 {
				continue
			}
			submitWaiting(p, deadline.Normal, func() { time.Sleep(50 * ms) })
			time.Sleep(49 * ms)
			var s workers.Stats
			if p.Stats(&s); s.Workers != 2 {
				t.Fatalf("%d workers while a job waits after %d brief ones, want 2", s.Workers, n+1)
			}
			time.Sleep(10 * ms)
		}
	})
}

// A computer counts the jobs of a bubble that are within compute at once. Where a pool asks it, they compute.
type computer struct{ now, most atomic.Int32 }

func (c *computer) compute(d time.Duration) {
	n := c.now.Add(1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	time.Sleep(d)
	c.now.Add(-1)
}

// Jobs that compute get no spare, however long they take: no more of them run than there are workers.
func TestComputingJobsGetNoSpare(t *testing.T) {
	needsWorkers(t)
	for _, n := range []int{1, 3} {
		var c computer
		o := workers.Options{Workers: n}.Computing(func() int { return int(c.now.Load()) })
		bubble(t, o, func(t *testing.T, p *workers.Pool) {
			for range 20 {
				submitWaiting(p, deadline.Normal, func() { c.compute(100 * ms) })
			}
			time.Sleep(5 * time.Second)
			if got := c.most.Load(); got != int32(n) {
				t.Errorf("%d jobs computed at once on %d workers", got, n)
			}
		})
	}
}

// A job that is off its processor for a moment, at every other look or two of three, does not wait.
func TestAMomentOffTheProcessorIsNoWait(t *testing.T) {
	needsWorkers(t)
	looks := 0
	o := workers.Options{Workers: 1}.Computing(func() int { looks++; return looks % 3 / 2 })
	bubble(t, o, func(t *testing.T, p *workers.Pool) {
		var c computer
		for range 3 {
			submitWaiting(p, deadline.Normal, func() { c.compute(100 * ms) })
		}
		time.Sleep(time.Second)
		if got := c.most.Load(); got != 1 {
			t.Errorf("%d jobs ran at once", got)
		}
	})
}

// After a wait a job may compute. Then its spare leaves soon, after the spare's own job.
func TestAJobThatComputesAfterAWaitLosesItsSpare(t *testing.T) {
	needsWorkers(t)
	var c computer
	o := workers.Options{Workers: 1}.Computing(func() int { return int(c.now.Load()) })
	bubble(t, o, func(t *testing.T, p *workers.Pool) {
		submitWaiting(p, deadline.Normal, func() {
			time.Sleep(100 * ms)
			c.compute(time.Second)
		})
		var ran atomic.Int32
		for range 400 {
			submitWaiting(p, deadline.Normal, func() { c.compute(ms + 7); ran.Add(1) }) // so that none ends at a look
		}
		time.Sleep(99 * ms)
		if got := ran.Load(); got < 70 {
			t.Errorf("beside a job that waited for 99 ms %d of 1 ms ran", got)
		}
		time.Sleep(26 * ms)
		before := ran.Load()
		time.Sleep(850 * ms)
		if got := ran.Load(); got != before || c.most.Load() != 2 {
			t.Errorf("%d more ran from 125 ms on beside a job that computes, and %d computed at once",
				got-before, c.most.Load())
		}
		time.Sleep(time.Second)
		if got := ran.Load(); got != 400 {
			t.Errorf("%d of 400 ran", got)
		}
	})
}

// The same by what Go tells, in real time: a job that waits gets a spare as soon as the machine has a quiet moment, and
// a job that computes gets none at all.
func TestWhatGoTellsOfWaits(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	gate := make(chan struct{})
	first := submitWaiting(p, deadline.Normal, func() { <-gate })
	must(submitWaiting(p, deadline.Normal, func() {}).Wait(background))
	if first.Finished() {
		t.Error("the job did not wait")
	}
	close(gate)
	must(first.Wait(background))
	var stop atomic.Bool
	var ran atomic.Int32
	submitWaiting(p, deadline.Normal, func() {
		for !stop.Load() {
			runtime.Gosched() // as in TestARunThatIsKeptOffIsNotLong
		}
	})
	p.Go(deadline.Normal, func() { ran.Add(1) })
	for from := p.Looks(); p.Looks() < from+50; time.Sleep(time.Millisecond) {
	}
	if ran.Load() != 0 {
		t.Error("a job that computes got a spare")
	}
	stop.Store(true)
}
