//go:build !headless

package ebitenhost

import (
	"image"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/autopsy"
)

// played is a game as Run gives it to the loop: with an overlay, and ended when the player closes the window.
type played struct {
	ebiten.Game
	loop   *frame.Loop
	closes bool // the game does not handle the closing of its window

	key     key // shows and hides the overlay
	shown   bool
	overlay Overlay

	ask key // asks for a file of the box
	box *autopsy.Box
}

// key is a key of the keyboard.
type key struct {
	code ebiten.Key // 0: none
	down bool       // in the last frame
}

// pressed reports whether the key went down since the last frame.
func (k *key) pressed() bool {
	was := k.down
	k.down = k.code != 0 && ebiten.IsKeyPressed(k.code)
	return k.down && !was
}

// playedF is a game with LayoutF.
type playedF struct {
	*played
	layout ebiten.LayoutFer
}

// newPlayed returns p with the optional methods that its game has.
func newPlayed(p *played) ebiten.Game {
	layout, hasLayout := p.Game.(ebiten.LayoutFer)
	final, hasFinal := p.Game.(ebiten.FinalScreenDrawer)
	switch {
	case hasLayout && hasFinal:
		return &struct {
			playedF
			ebiten.FinalScreenDrawer
		}{playedF{p, layout}, final}
	case hasLayout:
		return &playedF{p, layout}
	case hasFinal:
		return &struct {
			*played
			ebiten.FinalScreenDrawer
		}{p, final}
	}
	return p
}

func (p *played) Update() error {
	if err := p.Game.Update(); err != nil || !p.closes || !ebiten.IsWindowBeingClosed() {
		return err
	}
	return ebiten.Termination
}

// Draw draws the overlay over the game's picture. A game without updates (SetTPS(0)) does not see that the player
// closes the window, so Ebitengine then ends by itself.
func (p *played) Draw(screen *ebiten.Image) {
	p.Game.Draw(screen)
	if p.closes {
		ebiten.SetWindowClosingHandled(ebiten.TPS() != 0)
	}
	if p.ask.pressed() {
		p.box.Ask()
	}
	if p.key.pressed() {
		p.turn(screen.Bounds().Size())
	}
	if p.shown {
		p.overlay.Draw(screen, p.loop)
	}
}

// turn shows the overlay, on a small screen then its whole form, and then hides it.
func (p *played) turn(screen image.Point) {
	switch o := &p.overlay; {
	case !p.shown:
		p.shown, o.Form = true, OverlayFitting
	case o.small(screen):
		o.Form = OverlayWhole
	default:
		p.shown = false
	}
}

func (p *played) Layout(outsideWidth, outsideHeight int) (screenWidth, screenHeight int) {
	w, h := p.Game.Layout(outsideWidth, outsideHeight)
	p.overlay.Pixels = float64(w) / max(float64(outsideWidth), 1)
	return w, h
}

func (p *playedF) LayoutF(outsideWidth, outsideHeight float64) (screenWidth, screenHeight float64) {
	w, h := p.layout.LayoutF(outsideWidth, outsideHeight)
	p.overlay.Pixels = w / max(outsideWidth, 1)
	return w, h
}
