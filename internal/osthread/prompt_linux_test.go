package osthread_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/internal/osthread"
)

func TestShortSliceIsSetAndUndone(t *testing.T) {
	var refused error
	onOwnThread(t, func() {
		before, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Error(err)
			return
		}
		undo, err := osthread.ShortSlice()
		if err != nil {
			refused = err
			return
		}
		if during, _ := unix.SchedGetAttr(0, 0); during.Runtime != 100_000 || during.Nice != before.Nice {
			t.Errorf("a slice of %d ns at nice %d", during.Runtime, during.Nice)
		}
		if again, err := osthread.ShortSlice(); err != nil {
			t.Errorf("of a thread that has it: %v", err)
		} else {
			again() // nothing
		}
		if now, _ := unix.SchedGetAttr(0, 0); now.Runtime != 100_000 {
			t.Errorf("what was not given was taken back: %+v", now)
		}
		undo()
		if after, _ := unix.SchedGetAttr(0, 0); after.Policy != before.Policy || after.Nice != before.Nice ||
			after.Runtime == 100_000 {
			t.Errorf("not undone: %+v, was %+v", after, before)
		}
	})
	if refused != nil {
		t.Skipf("no such thing before Linux 6.12, nor in some sandboxes: %v", refused)
	}
}
