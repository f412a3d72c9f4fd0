package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/scheduler"
)

// Callbacks of Each keep their order, however much work was submitted between their registrations: a game has some
// from its start and some from its last hour.
func TestEachKeepsItsOrderForAllTime(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	var l log
	for _, name := range []string{"a", "b", "c", "d"} {
		s.Each(scheduler.BeforeUpdate, l.add(name))
		s.RunPhase(scheduler.BeforeDraw) // which reads of it
		scheduler.PassTime(s, 5<<29)
	}
	for range 3 {
		s.RunPhase(scheduler.BeforeUpdate)
		l.want(t, "a b c d")
	}
}
