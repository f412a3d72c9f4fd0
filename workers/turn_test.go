package workers_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// endless keeps one job of the priority queued, which takes cost, until stop is called.
func endless(p *workers.Pool, prio deadline.Priority, cost time.Duration) (ran *int, stop func()) {
	n, over := 0, false
	var again func()
	again = func() {
		time.Sleep(cost)
		n++
		if !over {
			p.Go(prio, again)
		}
	}
	p.Go(prio, again)
	return &n, func() { over = true }
}

// frames calls RunUntil once a frame with that much time, and returns after how many frames done says so, at most 1000.
func frames(t *testing.T, p *workers.Pool, room time.Duration, done func() bool) int {
	t.Helper()
	seat := p.Seat()
	defer seat.Close()
	for n := range 1000 {
		if done() {
			return n
		}
		begin := deadline.Now()
		seat.RunUntil(deadline.In(room))
		time.Sleep(16*time.Millisecond - deadline.Now().Sub(begin)%(16*time.Millisecond))
	}
	t.Fatal("not done after 1000 frames")
	return 0
}

func TestRunUntilServesEveryLaneWithoutWorkers(t *testing.T) {
	for urgent := deadline.Low; urgent <= deadline.Immediate; urgent++ {
		for prio := deadline.Idle; prio < urgent; prio++ {
			synctest.Test(t, func(t *testing.T) {
				p := workers.New(workers.Options{Workers: -1})
				defer mustClose(t, p)
				ran, stop := endless(p, urgent, time.Millisecond)
				left := 0
				begun := -1
				for range 20 {
					left++
					p.Go(prio, func() {
						if begun < 0 {
							begun = *ran
						}
						time.Sleep(time.Millisecond)
						left--
					})
				}
				n := frames(t, p, 5*time.Millisecond, func() bool { return left == 0 })
				stop()
				if begun > 16 {
					t.Errorf("%v began after %d jobs of %v, want 15 or so", prio, begun, urgent)
				}
				if *ran > 17*20 {
					t.Errorf("20 jobs of %v beside %d of %v in %d frames, want 16 for each", prio, *ran, urgent, n)
				}
			})
		}
	}
}

// A job that no call has time for runs all the same, though there are always shorter ones.
func TestRunUntilRunsTheLongJobBehindShortOnes(t *testing.T) {
	for _, prio := range []deadline.Priority{deadline.Immediate, deadline.Normal, deadline.Idle} {
		synctest.Test(t, func(t *testing.T) {
			p := workers.New(workers.Options{Workers: -1})
			defer mustClose(t, p)
			ran, stop := endless(p, deadline.UserBlocking, time.Millisecond)
			jobs := make([]workers.Job, 3)
			done := 0
			for i := range jobs {
				jobs[i] = workers.Job{Priority: prio, Cost: 40 * time.Millisecond, Func: func(*workers.Worker) {
					time.Sleep(40 * time.Millisecond)
					done++
				}}
				p.Submit(&jobs[i])
			}
			n := frames(t, p, 2*time.Millisecond, func() bool { return done == len(jobs) })
			stop()
			if n > 3*(15+4) {
				t.Errorf("3 jobs of %v took %d frames beside %d short ones", prio, n, *ran)
			}
		})
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
