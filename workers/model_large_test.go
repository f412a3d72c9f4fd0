package workers

import "testing"

// largeModel skips a model that takes seconds in short runs: those are there for what differs from one machine, number
// of processors or build to the next, and a model does not.
func largeModel(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a large model, and the same everywhere")
	}
}
