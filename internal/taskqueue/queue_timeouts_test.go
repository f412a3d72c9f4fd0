package taskqueue_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// A queue orders by its own timeouts where they are set, and by the defaults where they are not.
func TestQueueHasItsOwnTimeouts(t *testing.T) {
	for _, c := range []struct {
		timeouts deadline.Timeouts
		want     string
	}{
		{deadline.Timeouts{}, "normal low"},
		{deadline.Timeouts{Low: 1}, "low normal"},
		{deadline.Timeouts{Low: 1, Normal: 1}, "normal low"}, // both at once: by submission
	} {
		q := taskqueue.Queue[string]{Timeouts: c.timeouts}
		normal, low := taskqueue.Node[string]{Value: "normal"}, taskqueue.Node[string]{Value: "low"}
		q.Push(&normal, deadline.Normal, 0, 0, 0)
		q.Push(&low, deadline.Low, 0, 0, 0)
		first := q.Pop(0)
		if got := first.Value + " " + q.Pop(0).Value; got != c.want {
			t.Errorf("%+v: %s, want %s", c.timeouts, got, c.want)
		}
	}
}
