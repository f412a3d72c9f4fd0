//go:build unix

package load

import (
	"os/exec"
	"syscall"
)

// asGroup makes c end with all processes that it has started.
func asGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
