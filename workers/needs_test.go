package workers

import "testing"

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
