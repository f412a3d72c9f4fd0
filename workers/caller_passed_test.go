package workers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// What does not fit into any call runs nonetheless where there are no workers, soon: a program whose slices are all
// alike, as a browser's, would wait for it for ever.
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

// The first run of a kind may have met something that had nothing to do with it.
func TestRunUntilForgivesTheFirstRun(t *testing.T) {
	bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
		left := 10
		cost := 5 * ms
		f := func() { time.Sleep(cost); cost = ms / 10; left-- }
		for range left {
			p.Go(deadline.Normal, f)
		}
		for range 20 {
			p.RunUntil(deadline.In(ms))
			time.Sleep(16 * ms)
		}
		if left != 0 {
			t.Errorf("%d jobs have never run", left)
		}
	})
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
