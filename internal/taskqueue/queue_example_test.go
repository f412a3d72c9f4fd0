package taskqueue_test

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// A task is queued by the Node that it embeds.
type task struct {
	taskqueue.Node[*task]
	name string
	cost time.Duration
}

func newTask(name string, cost time.Duration) *task {
	t := &task{name: name, cost: cost}
	t.Value = t
	return t
}

func ExampleQueue() {
	var q taskqueue.Queue[*task]
	now := deadline.Now()

	q.Push(&newTask("autosave", 0).Node, deadline.Low, now, 0, 0)
	q.Push(&newTask("decode", 0).Node, deadline.Normal, now, 0, 0)
	q.Push(&newTask("blink", 0).Node, deadline.Normal, now, 500*time.Millisecond, 0)
	q.Push(&newTask("open menu", 0).Node, deadline.UserBlocking, now.Add(5*time.Second), 0, 0)

	now = now.Add(5 * time.Second)
	for n := q.Pop(now); n != nil; n = q.Pop(now) {
		fmt.Println(n.Value.name) // decode expires now, the menu in 250 ms
	}
	// Output:
	// decode
	// open menu
	// blink
	// autosave
}
