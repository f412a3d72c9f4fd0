package workers_test

import (
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Where there are no workers, a job that asks ShouldYield fits wherever its longest stretch between two answers does:
// how long its turns are depends on how much time there was. What it does after a yes belongs to that stretch.
func TestAJobFitsWhereItsLongestStretchDoes(t *testing.T) {
	for _, tc := range []struct {
		name              string
		first, then, over time.Duration // before it asks first, before it asks again, after a yes
		fits              time.Duration // the least call into which it fits
	}{
		{"asks and yields", 0, ms, 0, ms},
		{"asks rarely", 0, 4 * ms, 0, 4 * ms},
		{"asks late", 3 * ms, ms, 0, 3 * ms},
		{"asks, and goes on", 0, ms, 5 * ms, 6 * ms},
		{"never asks", 7 * ms, 0, 0, 7 * ms},
	} {
		for call := ms; call <= 8*ms; call += ms {
			bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
				turns := 0
				job := func() *workers.Job {
					return &workers.Job{Label: "job", Func: func(w *workers.Worker) {
						for range 3 {
							turns++
							time.Sleep(tc.first)
							for tc.then > 0 && !w.ShouldYield() {
								time.Sleep(tc.then)
							}
							time.Sleep(tc.over)
							if tc.then == 0 {
								return
							}
							w.Yield()
						}
					}}
				}
				p.Submit(&workers.Job{Label: "other", Func: func(w *workers.Worker) {
					time.Sleep(9 * ms)
					w.ShouldYield()
				}})
				p.RunUntil(deadline.In(12 * ms))
				for range 10 {
					p.Submit(job())
					for range 3 {
						p.RunUntil(deadline.In(12 * ms))
					}
					p.RunUntil(deadline.In(time.Microsecond)) // the end of it
				}
				j := job()
				turns = 0
				p.Submit(j)
				p.RunUntil(deadline.In(call + 100*time.Microsecond))
				if got, want := turns > 0, call >= tc.fits; got != want {
					t.Errorf("%s: it fits into a call of %v: %v, want %v", tc.name, call, got, want)
				}
				for j.State() != workers.Finished {
					p.RunUntil(deadline.In(time.Second))
				}
			})
		}
	}
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
