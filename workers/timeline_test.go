package workers_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Profile has the latest runs of jobs, of workers and of callers, with their times.
func TestProfileHasRuns(t *testing.T) {
	for _, n := range []int{1, -1} {
		p := workers.New(workers.Options{Workers: n, Profile: 4})
		for range 7 {
			j := workers.Job{Label: "slow", Priority: deadline.Low, Func: func(*workers.Worker) {
				time.Sleep(time.Millisecond)
			}}
			p.Submit(&j)
			if err := j.Wait(background); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(background); err != nil {
			t.Fatal(err)
		}
		var s workers.Profile
		if !p.Profile(&s) || uint64(len(s.Runs))+s.RunsDropped != 7 || len(s.Runs) < 4 {
			t.Fatalf("%d runs, %d dropped, want 7 together", len(s.Runs), s.RunsDropped)
		}
		for _, r := range s.Runs {
			if r.Label != "slow" || r.Priority != deadline.Low || r.Ready == 0 || r.Begin < r.Ready ||
				r.End.Sub(r.Begin) < time.Millisecond {
				t.Errorf("got %+v", r)
			}
		}
	}
}
