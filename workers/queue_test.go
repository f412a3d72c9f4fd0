package workers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/workers"
	"pgregory.net/rapid"
)

// A script of operations gives what a slice would have given.
func TestQueueMatchesASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 9).Draw(t, "capacity")
		q := workers.NewQueue[int](capacity)
		ops := rapid.SliceOfN(rapid.IntRange(0, 20), 1, 200).Draw(t, "ops")
		if err := playQueue(q, capacity, ops); err != nil {
			t.Fatal(err)
		}
	})
}

// playQueue runs a script against a slice. None of the calls waits for long, because there is only one
// goroutine.
func playQueue(q *workers.Queue[int], capacity int, ops []int) error {
	var model []int
	shut := false
	for i, op := range ops {
		var err, want error
		got, due := 0, 0
		pushes := op%2 == 0
		switch {
		case op == 20:
			q.Close()
			shut = true
			continue
		case pushes && shut:
			want = workers.ErrClosed
		case pushes && len(model) == capacity:
			want = workers.ErrFull
		case pushes:
			model = append(model, i)
		case len(model) > 0:
			due, model = model[0], model[1:]
		case shut:
			want = workers.ErrClosed
		default:
			want = workers.ErrEmpty
		}
		switch op % 6 {
		case 0, 4:
			err = q.TryPush(i)
		case 2:
			err = q.Push(over, i)
		case 1, 5:
			got, err = q.TryPop()
		case 3:
			got, err = q.Pop(over)
		}
		if want == workers.ErrFull || want == workers.ErrEmpty {
			want = [3]error{want, context.Canceled, want}[op%6/2]
		}
		if err != want || got != due {
			return fmt.Errorf("operation %d (%d): got %d, %v, want %d, %v", i, op, got, err, due, want)
		}
	}
	return nil
}
