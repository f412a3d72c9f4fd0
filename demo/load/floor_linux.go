package load

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"github.com/frameslice/frameslice/internal/osthread"
)

// spinner is a program that computes and does nothing else, the shell's own loop: it makes no system call,
// touches no memory, and has no runtime that could be to blame.
var spinner = [...]string{"sh", "-c", "while :; do :; done"}

// canSpin returns nil if spin can be expected to work here.
func canSpin() error {
	if _, err := exec.LookPath(spinner[0]); err != nil {
		return usage("mode %q needs a shell to keep the processors busy with: %v", Floor, err)
	}
	tried := make(chan error)
	osthread.Go(func() { tried <- lower() }) // a thread that ends with it
	if err := <-tried; err != nil {
		return usage("mode %q needs the lowest priority: %v", Floor, err)
	}
	return nil
}

// lower makes the calling thread one whose children have the lowest priority.
func lower() error {
	class, err := osthread.Lower()
	if err == nil && class != osthread.Batch {
		err = errors.New("the system grants nice 19 at most")
	}
	return err
}

// spin starts n spinners at the lowest priority, which they inherit from the thread that starts them. stop
// ends them; so does the system when that thread ends, however this process does.
func spin(n int) (stop func(), err error) {
	started, ending, ended := make(chan error, 1), make(chan struct{}), make(chan struct{})
	osthread.Go(func() {
		defer close(ended)
		cmds, err := startSpinners(n)
		started <- err
		if err == nil {
			<-ending
		}
		for _, c := range cmds {
			_ = c.Process.Kill() // fails only if it has ended
			_ = c.Wait()         // says that it was killed
		}
	})
	if err := <-started; err != nil {
		<-ended
		return nil, err
	}
	return func() {
		close(ending)
		<-ended
	}, nil
}

// startSpinners is called on the thread that is to be their parent, and lowers it.
func startSpinners(n int) ([]*exec.Cmd, error) {
	if err := lower(); err != nil {
		return nil, fmt.Errorf("lowest priority: %w", err)
	}
	var cmds []*exec.Cmd
	for range n {
		c := exec.Command(spinner[0], spinner[1:]...)
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := c.Start(); err != nil {
			return cmds, err
		}
		cmds = append(cmds, c)
	}
	return cmds, nil
}
