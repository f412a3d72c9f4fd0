// Package cli is the demo without a window. It reads the command line, answers -help and mistakes, and runs
// -headless. It links no Ebitengine, so that it can run where there is no display (see package display) and in a
// build without cgo (build tag headless).
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/options"
	"github.com/frameslice/frameslice/demo/play"
)

// Exit codes of the demo.
const (
	Done   = 0
	Failed = 1 // the run, or writing what it was to leave
	Usage  = 2 // the command line cannot be followed
)

// Window parses a command line, and either answers it (done is true, code the exit code) or returns the
// options of a run in a window.
func Window(args []string, stdout, stderr io.Writer) (o options.Options, code int, done bool) {
	var err error
	if load.RunBeside(args) {
		return o, Done, true
	}
	o, err = options.Parse(args)
	switch {
	case errors.Is(err, options.ErrHelp):
		options.Help(stdout)
		return o, Done, true
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
func headless(o options.Options, stdout, stderr io.Writer) int {
	ctx, stop := Interrupted()
	defer stop()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, o, stdout, stderr)
	}()
	return <-code
}

// run is one mode with the whole world, or a comparison with the rig of package load.
func run(ctx context.Context, o options.Options, stdout, stderr io.Writer) int {
	c := o.Config()
	var err error
	if o.Compare {
		err = load.Main(ctx, c, stdout, stderr)
	} else {
		err = play.Run(ctx, c, stdout, stderr)
	}
	if err != nil {
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
