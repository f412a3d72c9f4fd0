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

// The work of a scene that the player has left becomes less urgent than that of the one he enters, all of it
// at once.
func ExampleSet() {
	var q taskqueue.Queue[string]
	var left taskqueue.Set[string]
	push := func(name string, of *taskqueue.Set[string]) {
		n := &taskqueue.Node[string]{Value: name}
		if of != nil {
			q.Enter(of, n)
		}
		q.Push(n, deadline.Normal, 0, 0, 0)
	}
	push("trees of the valley", &left)
	push("houses of the valley", &left)
	push("rocks of the mountain", nil)
	q.SetPriorityOf(&left, deadline.Low, 0)
	for n := q.Pop(0); n != nil; n = q.Pop(0) {
		fmt.Println(n.Value)
	}
	// Output:
	// rocks of the mountain
	// trees of the valley
	// houses of the valley
}
