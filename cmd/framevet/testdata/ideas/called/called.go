// Package called has functions that package blocking calls.
package called

import (
	"os"
	"os/exec"
)

// Send leaves it to the caller whether there is room.
func Send(to chan<- int) { to <- 1 }

var all = make(chan int)

// Log sends to a channel of its own.
func Log() { all <- 1 }

// Fatal ends the program.
func Fatal() {
	show()
	os.Exit(1)
}

func show() { exec.Command("xmessage").Run() }

// Hint does not always end the program.
func Hint(fatal bool) {
	show()
	if !fatal {
		return
	}
	Fatal()
}
