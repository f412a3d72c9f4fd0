// Command demo is a small world with real work, to watch frames stay smooth, or not.
//
// A valley has thousands of animals, walkers that search their ways, terrain that is painted as the camera comes by,
// and images that are decoded again and again. This is work for every core, done in one of five ways. A key exchanges
// the way while the game continues, and the overlay shows what each way does to the frames. See demo -help for flags
// and keys.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/frameslice/frameslice/demo/cli"
)

// errNoWindow is what a build without Ebitengine answers when a window is asked for.
var errNoWindow = errors.New(
	"built without a window (tag headless): give -headless, or build without the tag")

func main() {
	o, code, done := cli.Window(os.Args[1:], os.Stdout, os.Stderr)
	if !done {
		if err := window(o); err != nil {
			fmt.Fprintln(os.Stderr, "demo:", err)
			if code = cli.Failed; errors.Is(err, errNoWindow) {
				code = cli.Usage
			}
		}
	}
	os.Exit(code)
}
