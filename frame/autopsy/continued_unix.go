//go:build unix

package autopsy

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyContinued returns a channel that gets SIGCONT: the process was stopped and continues.
func notifyContinued() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCONT)
	return c, func() { signal.Stop(c) }
}
