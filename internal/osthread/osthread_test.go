package osthread_test

import (
	"errors"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/osthread"
)

// onOwnThread runs f on a goroutine whose thread dies with it.
func onOwnThread(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	osthread.Go(func() {
		defer close(done)
		f()
	})
	<-done
}

// In WebAssembly the runtime counts the locks of all goroutines together, and ends the process if a coroutine is
// resumed under another count than it was created under.
func TestGoLeavesCoroutinesAlone(t *testing.T) {
	onOwnThread(t, func() {}) // so that there is a count
	next, stop := iter.Pull(func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	})
	defer stop()
	for i := range 3 {
		onOwnThread(t, func() {})
		if got, ok := next(); got != i || !ok {
			t.Fatalf("turn %d: %d, %v", i, got, ok)
		}
	}
}

func TestLowerIsReadBack(t *testing.T) {
	var before, said, got, after osthread.Class
	var refused, err error
	onOwnThread(t, func() {
		before, _ = osthread.Lowered()
		said, refused = osthread.Lower()
		got, err = osthread.Lowered()
	})
	switch {
	case refused != nil:
		t.Skipf("a sandbox, or the system, refuses it: %v", refused)
	case got != said || err != nil:
		t.Errorf("Lowered() = %v, %v; Lower() said %v", got, err, said)
	}
	// The thread died: no other thread of the process is left lowered.
	for range 10 {
		onOwnThread(t, func() { after, err = osthread.Lowered() })
		if after != before || err != nil {
			t.Fatalf("a fresh thread is %v, %v, and not %v: the change was inherited", after, err, before)
		}
	}
}

func TestPinRestrictsThisThreadOnly(t *testing.T) {
	var before []int
	var unsupported bool
	onOwnThread(t, func() {
		var err error
		before, err = osthread.CPUs()
		if unsupported = errors.Is(err, osthread.ErrUnsupported); unsupported {
			return
		}
		if err != nil || len(before) == 0 || !slices.IsSorted(before) {
			t.Errorf("CPUs() = %v, %v", before, err)
			return
		}
		last := before[len(before)-1]
		if err := osthread.Pin(last); err != nil {
			t.Logf("refused: %v", err)
			return
		}
		if got, err := osthread.CPUs(); err != nil || !slices.Equal(got, []int{last}) {
			t.Errorf("after Pin(%d): CPUs() = %v, %v", last, got, err)
		}
	})
	if unsupported {
		t.Skip("no affinity on this system")
	}
	for range 4 {
		onOwnThread(t, func() {
			if got, err := osthread.CPUs(); err != nil || !slices.Equal(got, before) {
				t.Errorf("a fresh thread may use %v, %v; want %v", got, err, before)
			}
		})
	}
	onOwnThread(t, func() {
		if err := osthread.Pin(1023); err == nil {
			t.Error("Pin(1023) succeeded: no such processor is expected here")
		}
	})
}

func TestNapStopsForAboutAsLong(t *testing.T) {
	begin := time.Now()
	for range 10 {
		osthread.Nap(2 * time.Millisecond)
	}
	// A signal may cut one short.
	if d := time.Since(begin); d < 5*time.Millisecond {
		t.Errorf("ten naps of 2 ms took %v", d)
	}
}
