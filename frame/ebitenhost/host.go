//go:build !headless

package ebitenhost

import (
	"errors"
	"fmt"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/autopsy"
)

// Options configure Run. The zero value has Ebitengine's defaults and no overlay.
type Options struct {
	ebiten.RunGameOptions // Ebitengine's own

	// Overlay is a key, such as ebiten.KeyF3, that shows and hides an Overlay. The default (0, which is KeyA) is none.
	// On a screen of less than 960x540 points the key first shows OverlaySmall, and then OverlayWhole.
	// A game that is not cleared every frame (SetScreenClearedEveryFrame) must clear what the overlay covers.
	Overlay ebiten.Key

	// Autopsy is a folder for the traces of late frames. Package autopsy, by its own defaults, says why they were late,
	// in the overlay, the live page and the report. The default (empty) is none, because recording costs one to three
	// percent.
	Autopsy string

	// AutopsyKey is a key that asks for a trace now, with Autopsy. The default (0) is none.
	AutopsyKey ebiten.Key
}

// Run runs the game, as ebiten.RunGameWithOptions does, with a slice of the loop in every frame. Call Run on the main
// goroutine, once.
//
// Run closes the loop before Ebitengine ends, so that no job calls an Ebitengine that is gone. This holds when Update
// returns an error, and when the player closes the window. A game that handles the closing of its window itself
// (ebiten.SetWindowClosingHandled before Run) continues doing so.
//
// The error is the game's, unless that is ebiten.Termination, else the host's, else that of Loop.Close, which names the
// jobs that were dropped, and that of the Autopsy. If the folder of the Autopsy cannot be written to, Run says so at
// once, and runs nothing.
func Run(game ebiten.Game, loop *frame.Loop, options Options) error {
	var box *autopsy.Box
	if options.Autopsy != "" && game != nil && loop != nil {
		var err error
		if box, err = autopsy.Watch(loop.Recorder(), autopsy.Options{Dir: options.Autopsy}); err != nil {
			return errors.Join(fmt.Errorf("ebitenhost: Options.Autopsy: %w", err), loop.Close())
		}
	}
	ask := key{code: options.AutopsyKey}
	if box == nil {
		ask.code = 0
	}
	overlay := key{code: options.Overlay}
	if closes := !ebiten.IsWindowClosingHandled(); game != nil && (closes || overlay.code != 0 || ask.code != 0) {
		if closes {
			ebiten.SetWindowClosingHandled(true)
		}
		game = newPlayed(&played{Game: game, loop: loop, closes: closes, key: overlay, box: box, ask: ask})
	}
	var own *ebiten.RunGameOptions
	if options.RunGameOptions != (ebiten.RunGameOptions{}) { // else what the game has set before
		own = &options.RunGameOptions
	}
	err := ebiten.RunGameWithOptions(Wrap(game, loop), own)
	closed := errors.Join(loop.Close(), box.Close())
	if err != nil && !errors.Is(err, ebiten.Termination) {
		return err
	}
	return closed
}

// Wrap returns the game with a slice of the loop in every frame, for an engine that calls ebiten.RunGame itself. It
// panics if the game or the loop is nil. The result has the optional methods that the game has. See frame.Wrap for what
// tasks may call, and for what ends the loop. Wrap one game of a program: scenes within the game stay as they are.
func Wrap(game ebiten.Game, loop *frame.Loop) ebiten.Game {
	return frame.Wrap[ebiten.FinalScreen, ebiten.GeoM](game, loop)
}
