package frame_test

import (
	"testing"

	"golang.org/x/sys/unix"
)

// A policy is how the system schedules a thread.
type policy struct {
	kind, priority uint32
	nice           int32
}

// thread returns how the calling thread stands.
func thread(t *testing.T) policy {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		t.Logf("the system does not tell: %v", err)
		return policy{}
	}
	return policy{attr.Policy, attr.Priority, attr.Nice}
}
