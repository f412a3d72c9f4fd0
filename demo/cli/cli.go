// Package cli is the demo without a window: it reads the command line, answers -help and mistakes, and runs
// what -headless asks for. It links no Ebitengine, so that it can run where there is no display (see
// package display) and in a build without cgo (build tag headless).
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
	"github.com/frameslice/frameslice/demo/sim"
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
	o, err := options.Parse(args)
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

// headless runs o without a window until its time is over or the process is asked to end; the report is
// written in either case. The frame loop gets a goroutine of its own: the main goroutine may be locked to a
// thread (in a package's init it is, and by Ebitengine), and a locked frame goroutine would be measured at
// a disadvantage.
func headless(o options.Options, stdout, stderr io.Writer) int {
	ctx, stop := Interrupted()
	defer stop()
	code := make(chan int, 1)
	go func() {
		if err := lookAtAssets(o, stderr); err != nil {
			fmt.Fprintln(stderr, "demo:", err)
			code <- Usage
			return
		}
		code <- load.Main(ctx, o.Config(), stdout, stderr)
	}()
	return <-code
}

// Interrupted returns a context that ends with Ctrl-C or SIGTERM.
func Interrupted() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// lookAtAssets decodes the folder of -assets once and names what cannot be read. The world of a headless
// run shows nothing, so that is all there is to do with it.
func lookAtAssets(o options.Options, stderr io.Writer) error {
	if o.Assets == "" {
		return nil
	}
	w := sim.New(sim.Options{Seed: o.Seed, Boids: -1, Agents: -1, NoAssets: true})
	if err := w.LoadDir(os.DirFS(o.Assets), sim.Inline{}); err != nil {
		return fmt.Errorf("-assets %s: %w", o.Assets, err)
	}
	for _, p := range w.Problems.List() {
		fmt.Fprintf(stderr, "demo: %s: %v (a placeholder stands for it)\n", p.Name, p.Err)
	}
	return nil
}
