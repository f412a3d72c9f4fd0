package scheduler_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Callbacks of Each keep their order, whatever was done between their registrations.
func TestEachKeepsItsOrderForAllTime(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	var l log
	for _, name := range []string{"a", "b", "c", "d"} {
		s.Each(scheduler.BeforeUpdate, l.add(name))
		s.RunPhase(scheduler.BeforeDraw) // which reads of it
		s.Post(deadline.Normal, func() {})
	}
	for range 3 {
		s.RunPhase(scheduler.BeforeUpdate)
		l.want(t, "a b c d")
	}
}
