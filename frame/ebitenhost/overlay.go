//go:build !headless

package ebitenhost

import (
	"image"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/ebitenhost/internal/overlay"
	"github.com/frameslice/frameslice/internal/canvas"
)

// An Overlay shows a loop's frame times with budget and slice, their distribution, p99 and missed frames. It also shows
// the last hitch with its cause, queues, workers and the costliest kinds of work. Options.Overlay is enough for
// most games. An Overlay of your own is for an engine that calls ebiten.RunGame, or for a menu entry instead of a key.
//
// The zero value is ready. An Overlay must not be copied.
type Overlay struct {
	// Pixels is how many pixels of the screen a point of the display has. The default (0) is 1. Set it to the monitor's
	// DeviceScaleFactor if Layout returns device pixels.
	Pixels float64

	// Form is how much of the screen the overlay takes. The default (0) is OverlayFitting.
	Form OverlayForm

	state *overlayState // nil until it is shown
}

// An OverlayForm is how much an Overlay shows.
type OverlayForm int

const (
	// OverlayFitting is OverlaySmall on a screen of less than 960x540 points, and OverlayWhole on larger ones.
	OverlayFitting OverlayForm = iota
	// OverlaySmall is a graph of the frames with its figures, and for ten seconds the last hitch, in the upper right
	// corner. Choose it to see more of the game.
	OverlaySmall
	// OverlayWhole is all panels. They cover about half of a screen of 640x480.
	OverlayWhole
)

// small reports whether the overlay has its small form on a screen of that size.
func (o *Overlay) small(screen image.Point) bool {
	scale := overlay.Scale(screen.X, screen.Y, float32(o.Pixels))
	return o.Form == OverlaySmall ||
		o.Form == OverlayFitting && overlay.Small(float32(screen.X)/scale, float32(screen.Y)/scale)
}

// overlayState is what an overlay that is shown has.
type overlayState struct {
	view     overlay.View
	canvas   canvas.Canvas
	atlas    *canvas.Atlas
	image    *ebiten.Image // of the atlas
	baking   chan *canvas.Atlas
	vertices []ebiten.Vertex
	indices  []uint16
}

// Draw draws the overlay onto the screen, or onto a part of it (SubImage). Call Draw in each frame in which the overlay
// is shown, between Begin and Slice: at the end of the game's own Draw, if the game is wrapped. The overlay also shows
// the frames from before, as far as the recorder remembers them.
//
// Draw takes about 0.2 ms, and nothing allocates. It panics if the loop is nil. Another goroutine prepares the font, so
// the first frames show nothing.
func (o *Overlay) Draw(screen *ebiten.Image, loop *frame.Loop) {
	if loop == nil {
		panic("ebitenhost: Overlay.Draw with a nil loop")
	}
	if o.state == nil {
		o.state = new(overlayState)
	}
	s, b := o.state, screen.Bounds()
	s.view.Read(loop)
	s.bake(overlay.Scale(b.Dx(), b.Dy(), float32(o.Pixels)))
	if s.image == nil {
		return
	}
	s.canvas.Begin(s.atlas, b.Dx(), b.Dy())
	if o.small(b.Size()) {
		s.view.DrawSmall(&s.canvas)
	} else {
		s.view.Draw(&s.canvas)
	}
	s.flush(screen, float32(b.Min.X), float32(b.Min.Y))
}

// bake sees to an atlas for the scale. Until it is painted, the old one stays.
func (s *overlayState) bake(scale float32) {
	select {
	case a := <-s.baking: // or there is none
		s.baking = nil
		if a == nil { // the font is part of the program
			panic("ebitenhost: Overlay.Draw cannot read its font")
		}
		if s.image != nil {
			s.image.Deallocate()
		}
		s.atlas = a
		s.image = ebiten.NewImageWithOptions(a.Picture.Rect, &ebiten.NewImageOptions{Unmanaged: true})
		s.image.WritePixels(a.Picture.Pix[:4*a.Picture.Rect.Dx()*a.Picture.Rect.Dy()])
	default:
	}
	if s.baking != nil || s.atlas != nil && s.atlas.Scale == scale {
		return
	}
	painted := make(chan *canvas.Atlas, 1)
	s.baking = painted
	go func() {
		a, _ := canvas.Bake(scale, canvas.Small)
		painted <- a
	}()
}

// maxQuads is what 16-bit indices can address.
const maxQuads = 1 << 14

// flush draws the canvas in one call, or in a few if it has more quads than indices reach.
func (s *overlayState) flush(screen *ebiten.Image, x, y float32) {
	options := ebiten.DrawTrianglesOptions{ColorScaleMode: ebiten.ColorScaleModePremultipliedAlpha}
	for quads := s.canvas.Quads; len(quads) > 0; {
		n := min(len(quads), maxQuads)
		s.vertices = s.vertices[:0]
		for i := range quads[:n] {
			q := &quads[i]
			v := ebiten.Vertex{ColorR: q.R, ColorG: q.G, ColorB: q.B, ColorA: q.A}
			v.DstX, v.DstY, v.SrcX, v.SrcY = x+q.X0, y+q.Y0, q.U0, q.V0
			w := v
			w.DstX, w.SrcX = x+q.X1, q.U1
			u := v
			u.DstY, u.SrcY = y+q.Y1, q.V1
			z := w
			z.DstY, z.SrcY = u.DstY, u.SrcY
			s.vertices = append(s.vertices, v, w, u, z)
		}
		for i := len(s.indices) / 6; i < n; i++ {
			k := uint16(4 * i)
			s.indices = append(s.indices, k, k+1, k+2, k+1, k+2, k+3)
		}
		screen.DrawTriangles(s.vertices, s.indices[:6*n], s.image, &options)
		quads = quads[n:]
	}
}
