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
	// A game in which loading ahead may take its time, but not without end.
	t := deadline.Timeouts{Idle: time.Minute}
	fmt.Println(t.Of(deadline.Normal), t.Of(deadline.Idle))
	// Output: 5s 1m0s
}

func ExampleInstant() {
	begin := deadline.Now()
	later := begin.Add(3 * time.Millisecond)
	fmt.Println(later.Sub(begin), begin < later, later < deadline.Never)
	// Output: 3ms true true
}

func ExampleDeadline() {
	begin := deadline.Now()
	d := deadline.At(begin.Add(4 * time.Millisecond))
	end, _ := d.Instant()

	now := begin.Add(time.Millisecond) // some work later
	fmt.Println(end.Sub(now))

	var none deadline.Deadline
	fmt.Println(none.Remaining() > 1000*time.Hour)
	// Output:
	// 3ms
	// true
}

func ExampleIn() {
	d := deadline.In(time.Hour)
	fmt.Println(d.Remaining() > 0)
	// Output: true
}

func ExampleBudget() {
	b := deadline.Budget{Interval: 10 * time.Millisecond, Reserve: time.Millisecond}
	begin := deadline.Now()

	// The game's own update took 3 ms; drawing will take 2.
	now := begin.Add(3 * time.Millisecond)
	end, _ := b.Slice(begin, now, 2*time.Millisecond).Instant()
	fmt.Println(end.Sub(now))

	// A frame that is late already still does a little.
	now = begin.Add(15 * time.Millisecond)
	end, _ = b.Slice(begin, now, 2*time.Millisecond).Instant()
	fmt.Println(end.Sub(now))
	// Output:
	// 4ms
	// 500µs
}
