//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// keepWithoutReader makes a reader of the output that has gone (demo ... | head) an error of the next write, and not
// the end of the process, which would lose the report and leave files in the folder for temporary ones.
func keepWithoutReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
