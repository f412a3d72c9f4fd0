package workers

import (
	"testing"

	"github.com/frameslice/frameslice/internal/osthread"
)

// needsWorkers skips a test whose jobs only a worker would run: on one thread there are none, and what nobody waits
// for or pumps stays where it is.
func needsWorkers(t testing.TB) {
	t.Helper()
	if !threads {
		t.Skip("there are no workers where there is one thread")
	}
}

// NeedsWorkers is needsWorkers.
func NeedsWorkers(t testing.TB) { t.Helper(); needsWorkers(t) }

// NeedsAffinity skips a test of PinCPU where the system has no affinity, or a sandbox refuses it.
func NeedsAffinity(t testing.TB) {
	t.Helper()
	result := make(chan error)
	osthread.Go(func() {
		cpus, err := osthread.CPUs()
		if err == nil {
			err = osthread.Pin(cpus...)
		}
		result <- err
	})
	if err := <-result; err != nil {
		t.Skipf("no affinity here: %v", err)
	}
}
