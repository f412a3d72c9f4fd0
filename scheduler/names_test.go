package scheduler_test

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/scheduler"
)

// The names of all constants, and of what is none.
func TestNamesOfConstants(t *testing.T) {
	got := fmt.Sprint(scheduler.Unsubmitted, scheduler.Queued, scheduler.Running, scheduler.Suspended, scheduler.Done,
		scheduler.Failed, scheduler.Canceled, scheduler.State(77))
	got += fmt.Sprint("; ", scheduler.BeforeUpdate, scheduler.BeforeDraw, scheduler.AfterDraw, scheduler.Phase(77))
	const want = "unsubmitted queued running suspended done failed canceled State(77)" +
		"; before update before draw after draw invalid phase"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
