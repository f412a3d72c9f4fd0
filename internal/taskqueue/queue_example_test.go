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

func ExampleQueue_byPriority() {
	q := taskqueue.Queue[*task]{Policy: deadline.ByPriority}
	now := deadline.Now()

	q.Push(&newTask("decode", 0).Node, deadline.Normal, now, 0, 0)
	q.Push(&newTask("open menu", 0).Node, deadline.UserBlocking, now.Add(5*time.Second), 0, 0)

	fmt.Println(q.Pop(now.Add(5 * time.Second)).Value.name)
	// Output: open menu
}

func ExampleQueue_Continue() {
	var q taskqueue.Queue[*task]
	now := deadline.Now()
	q.Push(&newTask("path", 0).Node, deadline.Normal, now, 0, 0)
	q.Push(&newTask("decode", 0).Node, deadline.Normal, now, 0, 0)

	n := q.Pop(now)
	q.Continue(n) // it yielded, and is not done
	fmt.Println(q.Pop(now).Value.name)
	// Output: path
}

func ExampleQueue_Defer() {
	var q taskqueue.Queue[*task]
	begin := deadline.Now()
	for _, t := range []*task{newTask("terrain", 9*time.Millisecond), newTask("sound", time.Millisecond)} {
		q.Push(&t.Node, deadline.Normal, begin, 0, 0)
	}

	slice := deadline.At(begin.Add(4 * time.Millisecond))
	for now := begin; ; {
		n := q.Peek(now)
		if n == nil {
			break
		}
		if !slice.Fits(now, n.Value.cost) {
			q.Defer(n) // look behind it
			continue
		}
		q.Remove(n)
		fmt.Println("run", n.Value.name)
		now = now.Add(n.Value.cost)
	}
	q.Recall()
	fmt.Println("next", q.Peek(begin).Value.name)
	// Output:
	// run sound
	// next terrain
}

func ExampleQueue_Shift() {
	var q taskqueue.Queue[*task]
	before := deadline.Now()
	q.Push(&newTask("decode", 0).Node, deadline.Normal, before, 0, 0)

	after := before.Add(time.Hour) // the lid was closed
	fmt.Println(q.Overdue(after) != nil)
	q.Shift(after.Sub(before))
	fmt.Println(q.Overdue(after) != nil)
	// Output:
	// true
	// false
}
