package workers_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/workers"
)

// What every system that can do it says about the threads that jobs run on.

func TestBackgroundJobsRunAtALowerPriority(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1, Background: 1})
	defer mustClose(t, p)
	var s workers.Stats
	if p.Stats(&s); s.Background != 1 {
		t.Skipf("no background workers here: %v", s.Notes)
	}
	class := func(priority deadline.Priority) (c osthread.Class, err error) {
		f := workers.Submit(p, priority, osthread.Lowered)
		<-f.Done() // Wait may run the job on this thread
		return f.Result()
	}
	if c, err := class(deadline.Immediate); c != osthread.Ordinary || err != nil {
		t.Skipf("this process is lowered itself: %v, %v", c, err)
	}
	if c, err := class(deadline.Idle); c == osthread.Ordinary || err != nil {
		t.Errorf("a background job runs at %v, %v", c, err)
	}
}
