package load

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// status returns what the system says of a process, without its id and its name, or nil if it has ended.
func status(t *testing.T, id string) []string {
	t.Helper()
	b, err := os.ReadFile("/proc/" + id + "/stat")
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), ") ") // the name may have spaces in it
	return strings.Fields(rest)
}

// children returns the ids of this process's children.
func children(t *testing.T) []int {
	t.Helper()
	self, err := os.Readlink("/proc/self") // as /proc numbers processes, which need not be as the system calls do
	if err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, e := range all {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue // not a process
		}
		if f := status(t, e.Name()); f != nil && f[1] == self {
			out = append(out, id)
		}
	}
	return out
}

func TestFloorFillsTheProcessorsAndLeavesNothing(t *testing.T) {
	if err := canSpin(); err != nil {
		t.Skip(err) // a sandbox refuses it
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
		if f := status(t, strconv.Itoa(id)); f[38] != "5" {
			t.Errorf("scheduling policy %s of process %d, want 5 (SCHED_IDLE)", f[38], id)
		}
	}
	x.Close()
	x.Close()
	if got := len(children(t)); got != len(before) {
		t.Errorf("%d child processes after Close, %d before", got, len(before))
	}
}
