package osthread_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/internal/osthread"
)

func TestShortSliceIsSet(t *testing.T) {
	var refused error
	onOwnThread(t, func() {
		before, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Error(err)
			return
		}
		for range 2 { // also of a thread that has it
			if refused = osthread.ShortSlice(); refused != nil {
				return
			}
			now, _ := unix.SchedGetAttr(0, 0)
			if now.Runtime != 100_000 || now.Policy != before.Policy || now.Nice != before.Nice {
				t.Errorf("set to %+v, was %+v", now, before)
			}
		}
	})
	if refused != nil {
		t.Skipf("no such thing before Linux 6.12, nor in some sandboxes: %v", refused)
	}
}
