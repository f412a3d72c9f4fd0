package workers_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A Close within a job sleeps while another job goes on: in a bubble no time passes as long as anybody is awake.
func TestCloseWithinAJobSleeps(t *testing.T) {
	needsWorkers(t)
	bubble(t, workers.Options{Workers: 2}, func(t *testing.T, p *workers.Pool) {
		begun := make(chan struct{})
		long := workers.Submit(p, deadline.Normal, func() (int, error) {
			close(begun)
			time.Sleep(time.Hour)
			return 1, nil
		})
		<-begun
		start := time.Now()
		closer := workers.Submit(p, deadline.Normal, func() (time.Duration, error) {
			err := p.Close(background)
			return time.Since(start), err
		})
		<-closer.Done() // while Wait would run it here
		if d, err := closer.Result(); d != time.Hour || err != nil {
			t.Errorf("Close came back after %v: %v", d, err)
		}
		if v, err := long.Wait(background); v != 1 || err != nil {
			t.Errorf("the other job ended with %d, %v", v, err)
		}
	})
}
