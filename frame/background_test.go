package frame_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

func TestBackgroundErrorsComeBack(t *testing.T) {
	pool := workers.New(workers.Options{Workers: 1})
	defer pool.Close(context.Background())
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	boom := errors.New("boom")
	var errs [2]error
	task := s.Go(deadline.Low, func(co *scheduler.Co) {
		_, errs[0] = frame.Background(co, pool, func() (int, error) { return 0, boom })
		_, errs[1] = frame.Background(co, pool, func() (int, error) { panic(boom) })
	})
	for task.State() != scheduler.Done {
		s.RunUntil(deadline.In(time.Millisecond))
		pool.RunUntil(deadline.In(time.Millisecond)) // on wasm there are no workers
	}
	if !errors.Is(errs[0], boom) || !errors.Is(errs[1], boom) {
		t.Errorf("errors: %v", errs)
	}
}

func ExampleBackground() {
	pool := workers.New(workers.Options{Workers: 1})
	defer pool.Close(context.Background())
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	task := s.Go(deadline.Normal, func(co *scheduler.Co) {
		n, err := frame.Background(co, pool, func() (int, error) { return 6 * 7, nil }) // on a worker
		fmt.Println(n, err)                                                             // in the frame
	})
	for task.State() != scheduler.Done {
		s.RunUntil(deadline.In(time.Millisecond))
		pool.RunUntil(deadline.In(time.Millisecond)) // where there are no workers, as on wasm
	}
	// Output: 42 <nil>
}
