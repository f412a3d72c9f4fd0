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
	if attr.Policy == unix.SCHED_DEADLINE { // one or the other: which is for the tests of package osthread
		return policy{kind: unix.SCHED_RR, priority: 1}
	}
	return policy{attr.Policy, attr.Priority, attr.Nice, attr.Policy == unix.SCHED_NORMAL && attr.Runtime == 100_000}
}

// policyOf returns what becomes of a thread that stood as before.
func policyOf(before policy, got frame.Thread) policy {
	switch got {
	case frame.ThreadPrompt:
		before.short = true
	case frame.ThreadRealTime:
		return policy{kind: unix.SCHED_RR, priority: 1}
	}
	return before
}

// One without the privilege gets what everybody gets.
func TestWithoutThePrivilegeAThreadIsPromptAtMost(t *testing.T) {
	onThread(func() {
		if err := drop(unix.CAP_SYS_NICE); err != nil {
			t.Errorf("a thread may always do with less: %v", err)
			return
		}
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_RTPRIO, &limit); err != nil || limit.Cur > 0 {
			return // granted to everybody here: the test below
		}
		before := thread(t)
		got, giveBack := frame.TakeThread(frame.ThreadRealTime)
		if during := thread(t); got > frame.ThreadPrompt || during != policyOf(before, got) {
			t.Errorf("got a %v thread, which is %+v", got, during)
		}
		giveBack()
		if after := thread(t); after != before {
			t.Errorf("after it %+v, was %+v", after, before)
		}
	})
}

// drop takes a capability from the calling thread.
func drop(capability int) error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData
	if err := unix.Capget(&head, &caps[0]); err != nil {
		return err
	}
	caps[capability/32].Effective &^= 1 << (capability % 32)
	return unix.Capset(&head, &caps[0])
}
