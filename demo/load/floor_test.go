package load

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// children returns the ids of this process's children, from every thread's list, and skips where the system
// keeps none.
func children(t *testing.T) []int {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		t.Skip("no lists of child processes here")
	}
	var out []int
	for _, f := range lists {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // of a thread that has ended
		}
		for s := range strings.FieldsSeq(string(b)) {
			if id, err := strconv.Atoi(s); err == nil {
				out = append(out, id)
			}
		}
	}
	return out
}

// possibleModes returns all modes that can run on this machine.
func possibleModes() []Mode {
	all := AllModes()
	if canSpin() != nil {
		all = slices.DeleteFunc(all, func(m Mode) bool { return m == Floor })
	}
	return all
}

func TestFloorFillsTheProcessorsAndLeavesNothing(t *testing.T) {
	if err := canSpin(); err != nil {
		t.Skip(err)
	}
	before := children(t)
	x := Open(Floor, Config{})
	defer x.Close()
	if got := len(children(t)) - len(before); got != cpus() {
		t.Errorf("%d programs run beside the loop, want one for each of %d processors", got, cpus())
	}
	for _, id := range children(t) {
		if slices.Contains(before, id) {
			continue
		}
		b, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(b), ") ") // the name may have spaces in it
		if f := strings.Fields(rest); f[38] != "5" {
			t.Errorf("scheduling policy %s of process %d, want 5 (SCHED_IDLE)", f[38], id)
		}
	}
	x.Close()
	x.Close()
	if got := len(children(t)); got != len(before) {
		t.Errorf("%d child processes after Close, %d before", got, len(before))
	}
}

func TestFloorIsAControl(t *testing.T) {
	if err := canSpin(); err != nil {
		t.Skip(err)
	}
	if !Floor.Quiet() || Floor.Naive() {
		t.Errorf("Quiet() = %v, Naive() = %v; want a control", Floor.Quiet(), Floor.Naive())
	}
	r, err := Compare(context.Background(), Config{
		Modes: []Mode{Idle, Floor, Frameslice}, Duration: 200 * time.Millisecond, Warmup: -1, Own: -1,
		Job: 100 * time.Microsecond, Load: 0.1,
	})
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
