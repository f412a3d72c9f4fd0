//go:build !headless

package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/demo/cli"
	"github.com/frameslice/frameslice/demo/display"
)

// window runs the game in a window, until the window is closed, Ctrl-C, or the end of -duration. Then it writes the
// report and the files of o.
func window(o cli.Options) error {
	if o.Width == 0 {
		o.Width, o.Height = 1280, 720
		if display.Virtual() { // the CPU draws: a quarter of the pixels leaves some of it for the work
			o.Width, o.Height = 640, 360
		}
	}
	ctx, stop := cli.Interrupted()
	defer stop()
	ebiten.SetWindowTitle("frameslice")
	ebiten.SetWindowSize(o.Width, o.Height)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	ebiten.SetWindowClosingHandled(true)
	ebiten.SetScreenClearedEveryFrame(false) // the ground covers all of it
	ebiten.SetTPS(ebiten.SyncWithFPS)
	g := newGame(ctx, o)
	g.host = newHost(g, g.mode())
	g.publish()
	err := ebiten.RunGame(g.host)
	if errors.Is(err, ebiten.Termination) {
		err = nil
	}
	g.host.end() // when the engine failed, nobody else has
	err = errors.Join(err, g.err, g.shots.wait())
	report := newReport(g)
	if len(report.Loops) == 0 {
		fmt.Fprintln(os.Stderr, "demo: the window was closed before a frame had been measured")
	}
	return errors.Join(err, report.Save(o.Out), report.WriteText(os.Stdout))
}
