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

func TestOfReadsTheFirstLine(t *testing.T) {
	for line, want := range map[string]struct {
		number uint64
		locked bool
	}{
		"goroutine 18 [running]:": {18, false},
		"goroutine 4711 [select, 2 minutes, locked to thread]:\nmain.main()\n":        {4711, true},
		"goroutine 7 [running] labels:{who: locked to thread}:\n":                     {7, false},
		"goroutine 20 [chan receive (durable), synctest bubble 3]:\nlocked to thread": {20, false},
		"": {0, false},
	} {
		if p := carrier.Of([]byte(line)); p.Number() != want.number || p.Locked() != want.locked {
			t.Errorf("%q: %d, locked %v", line, p.Number(), p.Locked())
		}
	}
}
