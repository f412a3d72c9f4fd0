package scheduler_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// process runs one test in a process of its own and returns what it printed.
func process(t *testing.T, name string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skipf("no processes here: %v", err)
	}
	cmd := exec.Command(exe, "-test.run=^"+name+"$", "-test.v")
	cmd.Env = append(os.Environ(), "SCHEDULER_TEST_PROCESS=1")
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator that cannot start processes")
	}
	if err != nil {
		t.Errorf("%s in its own process: %v\n%s", name, err, out)
	}
	return string(out)
}

// inProcess runs the calling test again in a process of its own, so that what it prints does not appear,
// and reports whether it did. Where there are no processes, the test runs here.
func inProcess(t *testing.T, name string) bool {
	t.Helper()
	if os.Getenv("SCHEDULER_TEST_PROCESS") != "" || runtime.GOOS == "js" {
		return false
	}
	process(t, name)
	return true
}
