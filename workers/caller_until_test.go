package workers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

const ms = time.Millisecond

func costing(d time.Duration, log *[]string, name string) *workers.Job {
	return &workers.Job{Label: name, Func: func(*workers.Worker) {
		time.Sleep(d)
		*log = append(*log, name)
	}}
}

// learn has the worker of a pool in a bubble run so many jobs of a kind that the frame may help with it.
func learn(p *workers.Pool, job func() *workers.Job) {
	for range workers.History {
		j := job()
		p.Submit(j)
		<-waitFor(j)
	}
	synctest.Wait()
}

func bubble(t *testing.T, o workers.Options, f func(t *testing.T, p *workers.Pool)) {
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(o)
		defer mustClose(t, p)
		f(t, p)
	})
}

func TestRunUntilRunsWhatFits(t *testing.T) {
	bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
		var log []string
		frame := func(d time.Duration, jobs ...*workers.Job) string {
			for _, j := range jobs {
				p.Submit(j)
			}
			log = nil
			begin := time.Now()
			n := p.RunUntil(deadline.In(d))
			return fmt.Sprintf("%d jobs [%s] in %v", n, strings.Join(log, " "), time.Since(begin))
		}
		job := func(d time.Duration, name string) *workers.Job { return costing(d, &log, name) }
		// Of unknown kinds one is tried in each call, even if it overruns.
		long := job(8*ms, "long")
		if got, want := frame(4*ms, long, job(ms, "short")), "1 jobs [long] in 8ms"; got != want {
			t.Errorf("first frame: %s, want %s", got, want)
		}
		// Now long is known not to fit, and short is tried.
		if got, want := frame(4*ms, long), "1 jobs [short] in 1ms"; got != want {
			t.Errorf("second frame: %s, want %s", got, want)
		}
		// Jobs that fit run in order. The one that does not fit waits for a longer slice.
		short := make([]*workers.Job, 6)
		for i := range short {
			short[i] = job(ms, "short")
			short[i].Priority = deadline.UserBlocking
		}
		if got, want := frame(5*ms, short...), "5 jobs [short short short short short] in 5ms"; got != want {
			t.Errorf("third frame: %s, want %s", got, want)
		}
		if got, want := frame(20*ms), "2 jobs [short long] in 9ms"; got != want {
			t.Errorf("fourth frame: %s, want %s", got, want)
		}
		if got, want := frame(0, long), "0 jobs [] in 0s"; got != want {
			t.Errorf("frame without time: %s, want %s", got, want)
		}
		if got, want := frame(time.Hour), "1 jobs [long] in 8ms"; got != want {
			t.Errorf("last frame: %s, want %s", got, want)
		}
	})
}

// The frame helps: it runs beside a worker what fits, and leaves the worker what does not.
func TestRunUntilBesideAWorker(t *testing.T) {
	needsWorkers(t)
	bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
		job := func() *workers.Job {
			return &workers.Job{Label: "chunk", Func: func(*workers.Worker) { time.Sleep(2 * ms) }}
		}
		learn(p, job)
		jobs := make([]*workers.Job, 10)
		for i := range jobs {
			jobs[i] = job()
			p.Submit(jobs[i])
		}
		synctest.Wait() // the worker has one
		if n := p.RunUntil(deadline.In(5 * ms)); n != 2 {
			t.Errorf("the frame ran %d jobs of 2 ms in 5 ms, want 2", n)
		}
		begin := time.Now()
		for _, j := range jobs {
			<-waitFor(j)
		}
		if d := time.Since(begin); d > 14*ms {
			t.Errorf("the worker took %v for the rest", d)
		}
	})
}

// Where a worker will learn what a new kind costs, the frame does not risk it.
func TestRunUntilLeavesNewKindsToWorkers(t *testing.T) {
	needsWorkers(t)
	bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
		p.Go(deadline.Immediate, func() { time.Sleep(100 * ms) })
		synctest.Wait() // the worker has it
		var log []string
		decode := func() *workers.Job { return costing(40*ms, &log, "decode") }
		p.Submit(decode())
		begin := time.Now()
		if n := p.RunUntil(deadline.In(10 * ms)); n != 0 || time.Since(begin) != 0 {
			t.Errorf("the frame ran %d jobs of a new kind for %v", n, time.Since(begin))
		}
		time.Sleep(140 * ms)
		synctest.Wait()
		if len(log) != 1 {
			t.Errorf("the worker ran %d jobs, want 1", len(log))
		}
		for range workers.History - 1 {
			if n := p.RunUntil(deadline.In(time.Hour)); n != 0 {
				t.Errorf("the frame ran %d jobs of a kind that it hardly knows", n)
			}
			p.Submit(decode())
			time.Sleep(100 * ms)
		}
		p.Go(deadline.Immediate, func() { time.Sleep(100 * ms) })
		synctest.Wait()
		p.Submit(decode())
		if n := p.RunUntil(deadline.In(time.Hour)); n != 1 {
			t.Errorf("the frame ran %d jobs of a known kind that fits, want 1", n)
		}
		p.Go(deadline.Normal, func() {})
		if n := p.RunUntil(deadline.Deadline{}); n != 1 {
			t.Errorf("without an end the frame ran %d jobs, want 1", n)
		}
	})
}

// Jobs that do not fit do not keep the others of their lane from running, however many there are.
func TestMisfitsDoNotBlockTheirLane(t *testing.T) {
	bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
		var log []string
		for _, j := range []*workers.Job{costing(8*ms, &log, "long"), costing(ms, &log, "short")} {
			p.Submit(j)
			p.RunUntil(deadline.Deadline{})
		}
		log = nil
		for range 3 {
			p.Submit(costing(8*ms, &log, "long"))
		}
		p.Submit(costing(ms, &log, "short"))
		if n := p.RunUntil(deadline.In(4 * ms)); n != 1 {
			t.Errorf("ran %d jobs behind three that do not fit, want 1", n)
		}
		for range 7 {
			p.Submit(costing(8*ms, &log, "long"))
		}
		p.Submit(costing(ms, &log, "short"))
		calls := 1
		for ; calls < 20 && p.RunUntil(deadline.In(4*ms)) == 0; calls++ {
		}
		if calls > 4 {
			t.Errorf("the short job behind ten that do not fit ran in call %d, want at most 4", calls)
		}
		p.RunUntil(deadline.Deadline{})
		if got := strings.Count(strings.Join(log, " "), "long"); got != 10 {
			t.Errorf("ran %d long jobs, want 10", got)
		}
	})
}

// A job that does not fit into any call runs nonetheless where there are no workers, and soon.
func TestRunUntilRunsWhatNeverFits(t *testing.T) {
	for name, busy := range map[string]bool{"alone": false, "beside jobs that fit": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
				var log []string
				frames := func(n int) string {
					log = nil
					for range n {
						if busy {
							p.Submit(costing(ms, &log, "short"))
						}
						next := time.Now().Add(16 * ms)
						p.RunUntil(deadline.In(4 * ms))
						time.Sleep(time.Until(next))
					}
					return strings.ReplaceAll(strings.Join(log, " "), "short", "")
				}
				cost := 8 * ms
				long := func() *workers.Job {
					return &workers.Job{Label: "long", Func: func(*workers.Worker) {
						time.Sleep(cost)
						log = append(log, "long")
					}}
				}
				p.Submit(long())
				frames(3) // it is known now
				for range 3 {
					p.Submit(long())
				}
				if n := strings.Count(frames(5), "long"); n != 0 {
					t.Errorf("%d that do not fit ran within 80 ms", n)
				}
				if n := strings.Count(frames(5), "long"); n != 1 {
					t.Errorf("%d that do not fit ran within 80 ms more, want 1", n)
				}
				if n := strings.Count(frames(20), "long"); n != 2 {
					t.Errorf("%d more ran within 320 ms, want 2", n)
				}
				// They were so slow only for once: what runs shows it, and the others follow.
				cost = ms / 10
				for range 40 {
					p.Submit(long())
				}
				frames(300)
				for range 40 {
					p.Submit(long())
				}
				if n := strings.Count(frames(4), "long"); n != 40 {
					t.Errorf("%d of 40 that have become brief ran in four slices", n)
				}
			})
		})
	}
}

// Calls without time neither run what has waited nor forget since when it does.
func TestRunUntilWithoutTimePassesNothing(t *testing.T) {
	bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
		var log []string
		p.Submit(costing(8*ms, &log, "long"))
		p.RunUntil(deadline.In(4 * ms))
		p.Submit(costing(8*ms, &log, "long"))
		p.RunUntil(deadline.In(4 * ms)) // held
		for range 10 {
			time.Sleep(20 * ms)
			if n := p.RunUntil(deadline.In(0)); n != 0 {
				t.Fatalf("%d ran in no time", n)
			}
		}
		if n := p.RunUntil(deadline.In(4 * ms)); n != 1 {
			t.Errorf("%d ran, want the one that was passed over", n)
		}
		var s workers.Stats
		if p.Stats(&s); s.Forced != 1 {
			t.Errorf("%d were forced, want that one", s.Forced)
		}
	})
}

// A job that fits, but not into what is left when its turn comes, goes first after 50 ms, and does not overrun.
func TestWhatFitsIntoACallGoesFirstInTime(t *testing.T) {
	bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
		var log []string
		p.Submit(costing(3*ms, &log, "long"))
		p.RunUntil(deadline.In(8 * ms)) // it is known now
		log = nil
		p.Submit(costing(3*ms, &log, "long"))
		began := time.Now()
		for !slices.Contains(log, "long") {
			for range 2 { // so few that it is not its lane's turn before (W9)
				urgent := costing(1300*time.Microsecond, &log, "urgent")
				urgent.Priority = deadline.UserBlocking
				p.Submit(urgent)
			}
			next := time.Now().Add(16 * ms)
			if p.RunUntil(deadline.In(4 * ms)); time.Until(next) < 12*ms {
				t.Fatalf("a call of 4 ms took %v", 16*ms-time.Until(next))
			}
			time.Sleep(time.Until(next))
			if time.Since(began) > 100*ms {
				t.Fatal("what fits into a call has not run within 100 ms")
			}
		}
		if time.Since(began) < 50*ms {
			t.Error("it was never passed over")
		}
		var s workers.Stats
		if p.Stats(&s); s.Forced != 0 {
			t.Errorf("%d were forced", s.Forced)
		}
	})
}

func TestRunUntilServesEveryLaneWithoutWorkers(t *testing.T) {
	for urgent := deadline.Low; urgent <= deadline.Immediate; urgent++ {
		for prio := deadline.Idle; prio < urgent; prio++ {
			bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
				const jobs = 20
				ran, begun, left := 0, -1, jobs
				var again func()
				again = func() { // one of them waits at any time
					time.Sleep(ms)
					if ran++; left > 0 {
						p.Go(urgent, again)
					}
				}
				p.Go(urgent, again)
				for range jobs {
					p.Go(prio, func() {
						if begun < 0 {
							begun = ran
						}
						time.Sleep(ms)
						left--
					})
				}
				n := 0
				for ; left > 0 && n < 1000; n++ {
					p.RunUntil(deadline.In(5 * ms))
					time.Sleep(11 * ms)
				}
				if begun < 0 || begun > 16 {
					t.Errorf("%v began after %d jobs of %v, want 15 or so", prio, begun, urgent)
				}
				if left > 0 || ran > 17*jobs {
					t.Errorf("%d jobs of %v beside %d of %v in %d frames, want 16 for each",
						jobs-left, prio, ran, urgent, n)
				}
			})
		}
	}
}

// Where a lane has workers it is theirs.
func TestRunUntilLeavesTheTurnsToWorkers(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	free := occupy(p, deadline.Immediate)
	var order []deadline.Priority
	for range 20 {
		p.Go(deadline.UserBlocking, func() { order = append(order, deadline.UserBlocking) })
		p.Go(deadline.Low, func() { order = append(order, deadline.Low) })
	}
	p.RunUntil(deadline.Deadline{})
	for i, prio := range order {
		if want := []deadline.Priority{deadline.UserBlocking, deadline.Low}[i/20]; prio != want {
			t.Errorf("job %d is %v, want %v", i, prio, want)
		}
	}
	free()
}
