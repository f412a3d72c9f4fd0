package load

import (
	"context"
	"slices"
	"testing"
	"time"
)

// possibleModes returns all modes that can run on this machine.
func possibleModes() []Mode {
	all := AllModes()
	if canSpin() != nil {
		all = slices.DeleteFunc(all, func(m Mode) bool { return m == Floor })
	}
	return all
}

func TestFloorIsAControl(t *testing.T) {
	if !Floor.Quiet() || Floor.Naive() {
		t.Errorf("Quiet() = %v, Naive() = %v; want a control", Floor.Quiet(), Floor.Naive())
	}
	r, err := Run(context.Background(), Config{
		Compare: true, Modes: []Mode{Idle, Floor, Frameslice}, Duration: 200 * time.Millisecond, Warmup: -1, Own: -1,
		Job: 100 * time.Microsecond, Load: 0.1,
	})
	if refused := canSpin(); refused != nil {
		if err == nil || err.Error() != refused.Error() {
			t.Errorf("got %v where the mode cannot run, want %v", err, refused)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Modes {
		if jobs := x.Mode == Frameslice; x.Frames == 0 || (x.Offered > 0) != jobs {
			t.Errorf("%s: %d frames, %v jobs offered", x.Mode, x.Frames, x.Offered)
		}
	}
	for _, c := range r.Verdict {
		if c.Mode == Floor {
			t.Errorf("the control was judged: %+v", c)
		}
	}
}
