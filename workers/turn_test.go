package workers

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Whoever waits for a job between two turns finds it, though it was in somebody else's hands when it looked.
func TestWaitLooksAgainForAJobBetweenTwoTurns(t *testing.T) {
	p := New(Options{Workers: -1})
	turns := 0
	j := &Job{Func: func(w *Worker) {
		for range 3 {
			turns++
			w.Yield()
		}
	}}
	p.Submit(j)
	p.RunUntil(deadline.Deadline{}) // one turn
	queue := &p.lanes[deadline.Normal.Lane()].yielded
	it, ok := queue.pop()
	if !ok || it.job != j {
		t.Fatal("the job is not between two turns")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	done := make(chan error)
	go func() { done <- j.Wait(ctx) }()
	time.Sleep(5 * time.Millisecond)
	queue.push(it)
	if err := <-done; err != nil || turns != 3 {
		t.Errorf("%v after %d turns", err, turns)
	}
	if n := waiters(j); n != 0 {
		t.Errorf("%d waiters left", n)
	}
	if err := p.Close(ctx); err != nil {
		t.Error(err)
	}
}

// waiters returns how many are in the list of j.
func waiters(j *Job) (n int) {
	for w := j.waiters.Load(); w != nil; w = w.next {
		n++
	}
	return n
}
