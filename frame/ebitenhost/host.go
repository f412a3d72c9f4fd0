//go:build !headless

package ebitenhost

import (
	"errors"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/frame"
)

// Run runs the game, as ebiten.RunGameWithOptions does, with a slice of the loop in every frame. A nil options has
// Ebitengine's defaults. Call Run on the main goroutine, once.
//
// Run closes the loop before Ebitengine ends, so that no job calls an Ebitengine that is gone. This holds when Update
// returns an error, and when the player closes the window. A game that handles the closing of its window itself
// (ebiten.SetWindowClosingHandled before Run) goes on doing so.
//
// The error is the game's, else the host's, else that of Loop.Close, which tells of jobs that were dropped.
func Run(game ebiten.Game, loop *frame.Loop, options *ebiten.RunGameOptions) error {
	if game != nil && !ebiten.IsWindowClosingHandled() {
		ebiten.SetWindowClosingHandled(true)
		game = closing(game)
	}
	err := ebiten.RunGameWithOptions(Wrap(game, loop), options)
	closed := loop.Close()
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

// closing returns the game, ended when the player closes the window.
func closing(game ebiten.Game) ebiten.Game {
	c := closer{game}
	layout, hasLayout := game.(ebiten.LayoutFer)
	final, hasFinal := game.(ebiten.FinalScreenDrawer)
	switch {
	case hasLayout && hasFinal:
		return &struct {
			closer
			ebiten.LayoutFer
			ebiten.FinalScreenDrawer
		}{c, layout, final}
	case hasLayout:
		return &struct {
			closer
			ebiten.LayoutFer
		}{c, layout}
	case hasFinal:
		return &struct {
			closer
			ebiten.FinalScreenDrawer
		}{c, final}
	}
	return c
}

type closer struct{ ebiten.Game }

func (c closer) Update() error {
	if err := c.Game.Update(); err != nil || !ebiten.IsWindowBeingClosed() {
		return err
	}
	return ebiten.Termination
}
