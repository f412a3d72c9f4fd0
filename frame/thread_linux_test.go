package frame_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/frame"
)

// A policy is how the system schedules a thread.
type policy struct {
	kind, priority uint32
	nice           int32
	short          bool // its turns are the shortest that there are
}

// thread returns how the calling thread stands.
func thread(t *testing.T) policy {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Logf("the system does not tell: %v", err)
		return policy{}
	}
	return policy{attr.Policy, attr.Priority, attr.Nice, attr.Policy == unix.SCHED_NORMAL && attr.Runtime == 100_000}
}

// policyOf returns what becomes of a thread that stood as before.
func policyOf(before policy, got frame.Thread) policy {
	if got == frame.ThreadPrompt {
		before.short = true
	}
	return before
}
