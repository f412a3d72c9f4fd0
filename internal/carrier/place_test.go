package carrier_test

import (
	"runtime"
	"testing"

	"github.com/frameslice/frameslice/internal/carrier"
)

func TestHereTellsGoroutinesAndLocksApart(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("one thread, so none to be locked to")
	}
	free := carrier.Here()
	if free == 0 || free.Locked() {
		t.Errorf("Here on an unlocked goroutine is %d", free)
	}
	runtime.LockOSThread()
	locked := carrier.Here()
	runtime.UnlockOSThread()
	if !locked.Locked() || locked == free || !locked.Same(free) {
		t.Errorf("Here is %d, and under a lock %d: want the same goroutine, locked", free, locked)
	}
	other := make(chan carrier.Place)
	go func() { other <- carrier.Here() }()
	if o := <-other; o.Same(free) || o.Locked() {
		t.Errorf("another goroutine is %d, this one %d", o, free)
	}
	if again := carrier.Here(); again != free {
		t.Errorf("Here is %d, and was %d", again, free)
	}
}
