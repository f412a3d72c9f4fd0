package frame

import (
	"runtime"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func TestHomeStaysWhereALockIs(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("there is one thread here")
	}
	var h home
	if h.placeKnown() || h.elsewhere() {
		t.Fatal("a new home is settled")
	}
	h.settlePlace(false)
	free := h.place()
	settled := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer close(settled)
		h.settlePlace(false)
		if h.place() != free {
			t.Error("a second slice has moved the home")
		}
		if h.settlePlace(true); !h.place().Locked() {
			t.Error("a Run did not move the home")
		}
	}()
	<-settled
	locked := h.place()
	if h.settlePlace(true); h.place() != locked {
		t.Error("a Run has moved the home away from a lock")
	}
}

func TestHomeIsElsewhereInATask(t *testing.T) {
	var h home
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	inTask := func() (is bool) {
		s.Post(deadline.Normal, func() { is = h.elsewhere() })
		s.RunUntil(deadline.Deadline{})
		return is
	}
	before := inTask()
	h.settlePlace(false)
	if after := inTask(); before || !after || h.elsewhere() {
		t.Errorf("elsewhere in a task, before a home is settled: %v, after: %v; in no task: %v",
			before, after, h.elsewhere())
	}
}
