package deadline_test

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

func ExamplePriority() {
	var defaults deadline.Timeouts
	for _, p := range deadline.Priorities() {
		if t := defaults.Of(p); t < time.Hour {
			fmt.Printf("%v: overdue after %v\n", p, t)
			continue
		}
		fmt.Printf("%v: never overdue\n", p)
	}
	// Output:
	// immediate: overdue after 0s
	// user-blocking: overdue after 250ms
	// normal: overdue after 5s
	// low: overdue after 10s
	// idle: never overdue
}

func ExampleTimeouts() {
	// A game in which loading ahead may take its time, but not for ever.
	t := deadline.Timeouts{Idle: time.Minute}
	fmt.Println(t.Of(deadline.Normal), t.Of(deadline.Idle))
	// Output: 5s 1m0s
}

func ExampleInstant() {
	begin := deadline.Now()
	later := begin.Add(3 * time.Millisecond)
	fmt.Println(later.Sub(begin), begin.Before(later), later.Before(deadline.Never))
	// Output: 3ms true true
}

func ExampleDeadline() {
	begin := deadline.Now()
	d := deadline.At(begin.Add(4 * time.Millisecond))

	now := begin.Add(time.Millisecond) // some work later
	fmt.Println(d.RemainingAt(now), d.Fits(now, 2*time.Millisecond), d.Fits(now, 5*time.Millisecond))
	fmt.Println(d.ExceededAt(begin.Add(4 * time.Millisecond)))

	var none deadline.Deadline
	fmt.Println(none.Exceeded(), none.Earlier(d) == d)
	// Output:
	// 3ms true false
	// true
	// false true
}

func ExampleIn() {
	d := deadline.In(time.Hour)
	fmt.Println(d.Exceeded())
	// Output: false
}

func ExampleBudget() {
	b := deadline.Budget{Interval: 10 * time.Millisecond, Reserve: time.Millisecond}
	begin := deadline.Now()

	// The game's own update took 3 ms; drawing will take 2.
	now := begin.Add(3 * time.Millisecond)
	fmt.Println(b.Slice(begin, now, 2*time.Millisecond).RemainingAt(now))

	// A frame that is late already still does a little.
	now = begin.Add(15 * time.Millisecond)
	fmt.Println(b.Slice(begin, now, 2*time.Millisecond).RemainingAt(now))
	// Output:
	// 4ms
	// 500µs
}

func ExampleEstimate() {
	var e deadline.Estimate
	for range 9 {
		e.Observe(100 * time.Microsecond)
	}
	e.Observe(80 * time.Millisecond) // the garbage collector came in between
	fmt.Println("one outlier:", e.High() < time.Millisecond)

	for range 3 {
		e.Observe(4 * time.Millisecond) // the next level has larger maps
	}
	fmt.Println("three in a row:", e.High() >= 4*time.Millisecond)
	// Output:
	// one outlier: true
	// three in a row: true
}

// A task is queued by the Node that it embeds.
type task struct {
	deadline.Node[*task]
	name string
	cost time.Duration
}

func newTask(name string, cost time.Duration) *task {
	t := &task{name: name, cost: cost}
	t.Value = t
	return t
}

func ExampleQueue() {
	var q deadline.Queue[*task]
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
	q := deadline.Queue[*task]{Policy: deadline.ByPriority}
	now := deadline.Now()

	q.Push(&newTask("decode", 0).Node, deadline.Normal, now, 0, 0)
	q.Push(&newTask("open menu", 0).Node, deadline.UserBlocking, now.Add(5*time.Second), 0, 0)

	fmt.Println(q.Pop(now.Add(5 * time.Second)).Value.name)
	// Output: open menu
}

func ExampleQueue_Continue() {
	var q deadline.Queue[*task]
	now := deadline.Now()
	q.Push(&newTask("path", 0).Node, deadline.Normal, now, 0, 0)
	q.Push(&newTask("decode", 0).Node, deadline.Normal, now, 0, 0)

	n := q.Pop(now)
	q.Continue(n) // it yielded, and is not done
	fmt.Println(q.Pop(now).Value.name)
	// Output: path
}

func ExampleQueue_Defer() {
	var q deadline.Queue[*task]
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
	var q deadline.Queue[*task]
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

// The work of a scene that the player has left becomes less urgent than that of the one he enters, all of it
// at once.
func ExampleSet() {
	var q deadline.Queue[string]
	var left deadline.Set[string]
	push := func(name string, of *deadline.Set[string]) {
		n := &deadline.Node[string]{Value: name}
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
