package frame_test

import (
	"testing"

	"github.com/frameslice/frameslice/frame"
)

func TestNamesOfLoadStates(t *testing.T) {
	for state, want := range map[frame.LoadState]string{
		frame.Pending: "pending", frame.Loaded: "loaded", frame.LoadFailed: "failed", frame.LoadCanceled: "canceled",
	} {
		if got := state.String(); got != want {
			t.Errorf("%d is %q, want %q", uint32(state), got, want)
		}
	}
}
