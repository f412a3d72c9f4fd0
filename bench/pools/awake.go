package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/frameslice/frameslice/bench/child"
)

// spin ends with the process that began it.
const spin = `exec 2>/dev/null; while kill -0 $PPID; do :; done`

// canKeepAwake reports whether keepAwake works here.
func canKeepAwake() bool {
	return runtime.GOOS == "linux" && child.Have("chrt") && exec.Command("chrt", "--idle", "0", "true").Run() == nil
}

// keepAwake keeps all processors from being idle: by one process for each, of the class that runs when nothing else
// wants to. A processor that is idle is halted; a virtual one has to be fetched back by its host then, which takes 50
// to 100 µs, is what a wake-up across processors consists of there, and is in nobody's hands who is measured. So this
// tells a pool's share from the machine's.
func keepAwake() (stop func(), err error) {
	var begun []*exec.Cmd
	stop = func() {
		for _, c := range begun {
			_ = c.Process.Kill()
			_ = c.Wait() // killed, it says
		}
	}
	for range runtime.NumCPU() {
		c := exec.Command("chrt", "--idle", "0", "sh", "-c", spin)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			stop()
			return nil, fmt.Errorf("keeping the processors awake: %w", err)
		}
		begun = append(begun, c)
	}
	return stop, nil
}
