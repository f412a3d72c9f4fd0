// Package cli is the demo without a window. It reads the command line, answers -help and mistakes, and runs
// -headless. It links no Ebitengine, so that it can run where there is no display (see package display) and in a
// build without cgo (build tag headless).
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/frameslice/frameslice/demo/load"
)

// Exit codes of the demo.
const (
	Done   = 0
	Failed = 1 // the run, or writing what it was to leave
	Usage  = 2 // the command line cannot be followed
)

// Window parses a command line, and makes the folder of -out. It either answers the command line (done is true, code
// the exit code) or returns the options of a run in a window.
func Window(args []string, stdout, stderr io.Writer) (o Options, code int, done bool) {
	o, err := Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		help(stdout)
		return o, Done, true
	}
	if err == nil && o.Out != "" {
		err = os.MkdirAll(o.Out, 0o777)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "demo:", err)
		return o, Usage, true
	case o.Headless:
		return o, headless(o, stdout, stderr), true
	}
	return o, Done, false
}

// headless runs o without a window until its time is over or the process is asked to end, and writes the report in
// either case. The frame loop gets a goroutine of its own, because the main goroutine may be locked to the main
// thread: in a package's init it is, and by Ebitengine.
func headless(o Options, stdout, stderr io.Writer) int {
	ctx, stop := Interrupted()
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- load.Main(ctx, o.Config(), stdout, stderr) }()
	if err := <-ended; err != nil {
		fmt.Fprintln(stderr, "demo:", err)
		return Failed
	}
	return Done
}

// Interrupted returns a context that ends with the first Ctrl-C or SIGTERM. The second one ends the process at once.
// From now on no write to a pipe ends the process.
func Interrupted() (context.Context, context.CancelFunc) {
	keepWithoutReader()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
