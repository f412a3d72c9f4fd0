//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// keepWithoutReader lets the process continue when the reader of its output has gone (demo ... | head). The next write
// is an error. Otherwise SIGPIPE would end the process, and the report would be lost.
func keepWithoutReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
