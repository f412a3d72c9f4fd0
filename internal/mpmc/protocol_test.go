package mpmc_test

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const queue, wait = "queue.go", "wait.go"
	explore.Programs(t, nil,
		explore.Patch{Name: "Q1: a push takes the cell of the lap before for free", File: queue,
			Old: "case turn == free:", New: "case turn == free || turn == free-1:"},
		explore.Patch{Name: "Q2: a cell is written after its turn", File: queue,
			Old: "	c.Value = v\n	c.Pass()", New: "	c.Pass()\n	q.head.Load()\n	c.Value = v"},
		explore.Patch{Name: "Q2: a push succeeds after the close", File: queue,
			Old: "q.tail.CompareAndSwap(at, q.after(at)) {",
			New: "q.tail.CompareAndSwap(at, q.after(at)) || q.tail.CompareAndSwap(at|closed, q.after(at)|closed) {"},
		explore.Patch{Name: "Q3: a cell is read after it was given back", File: queue,
			Old: "	v, c.Value = c.Value, zero\n	c.Pass()",
			New: "	c.Pass()\n	q.head.Load()\n	v, c.Value = c.Value, zero"},
		explore.Patch{Name: "Q4: a goroutine sleeps without having tried again", File: wait,
			Old: "	x := q.enlistSleeper(l, nil)\n	for !try() {",
			New: "	tried := try()\n	x := q.enlistSleeper(l, nil)\n	for !tried {"},
		explore.Patch{Name: "Q4: the token comes before the sleeper is off the list", File: wait,
			Old: "			s.unlink(l, x)\n			x.token.Post()",
			New: "			defer s.unlink(l, x)\n			x.token.Post()"},
		explore.Patch{Name: "Q4: a sleeper that is off the list keeps its neighbours", File: wait,
			Old: "x.next, x.prev, x.listed = nil, nil, false", New: "x.listed = false"},
		explore.Patch{Name: "Q5: a push looks at asleep before its cell is filled", File: queue,
			Old: "	c.Pass() // visible from here on\n	q.Tell()", New: "	q.Tell()\n	c.Pass()"},
		explore.Patch{Name: "Q5: a pop looks at asleep before its cell is free", File: queue,
			Old: "	c.Pass()\n	q.Tell()\n	return v, nil", New: "	q.Tell()\n	c.Pass()\n	return v, nil"},
		explore.Patch{Name: "Q5: a push tells poppers only", File: queue,
			Old: "here on\n	q.Tell()",
			New: "here on\n	if q.asleep.Load()/onePopper != 0 && q.poppable() {\n	q.wake(&q.poppers, 1)\n	}"},
		explore.Patch{Name: "Q5: a pop tells pushers only", File: queue,
			Old: "	c.Pass()\n	q.Tell()\n	return v, nil",
			New: "	c.Pass()\n	if q.asleep.Load()%onePopper != 0 && q.pushable() {\n" +
				"	q.wake(&q.pushers, 1)\n	}\n	return v, nil"},
		explore.Patch{Name: "Q5: Close wakes one pusher", File: queue,
			Old: "q.wake(&q.pushers, wholeList)", New: "q.wake(&q.pushers, 1)"},
		explore.Patch{Name: "Q5: Close wakes one popper", File: queue,
			Old: "q.wake(&q.poppers, wholeList)", New: "q.wake(&q.poppers, 1)"},
		explore.Patch{Name: "Q5: Close wakes before it has set the bit", File: queue,
			Old: "	q.tail.Or(closed)\n", New: "	defer q.tail.Or(closed)\n"},
		explore.Patch{Name: "Q5: the pop that reaches the end does not say so", File: wait,
			Old: "case q.Drained():", New: "case false:"},
		explore.Patch{Name: "Q6: who gives up keeps the wake-up", File: wait,
			Old: "if q.retireSleeper(l, x) {", New: "if q.retireSleeper(l, x) && false {"},
		explore.Patch{Name: "Q7: who leaves does not pay", File: wait,
			Old: "	s.pay(l)\n	return woken\n", New: "	return woken\n"},
	)
}
