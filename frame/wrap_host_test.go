package frame_test

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A host that calls a game as Ebitengine does, and games with each set of the optional interfaces.

// The types of a host that looks like Ebitengine, which cannot be imported here.
type (
	fakeImage struct{}
	fakeGeoM  struct{}
	fakeFinal interface{ private() }
	final     struct{}
)

func (final) private() {}

// hostGame is the interface of the host, as ebiten.Game is: what Wrap returns must be assignable to it.
type hostGame interface {
	Update() error
	Draw(screen *fakeImage)
	Layout(outsideWidth, outsideHeight int) (screenWidth, screenHeight int)
}

type hostLayoutFer interface {
	hostGame
	LayoutF(outsideWidth, outsideHeight float64) (screenWidth, screenHeight float64)
}

type hostFinalDrawer interface {
	DrawFinalScreen(screen fakeFinal, offscreen *fakeImage, geoM fakeGeoM)
}

// plainGame logs what is called.
type plainGame struct {
	log      *[]string
	onUpdate func() error
	onDraw   func()
	onFinal  func()
}

func (g *plainGame) note(s string) {
	if g.log != nil {
		*g.log = append(*g.log, s)
	}
}

func (g *plainGame) Update() error {
	g.note("update")
	if g.onUpdate != nil {
		return g.onUpdate()
	}
	return nil
}

func (g *plainGame) Draw(*fakeImage) {
	g.note("draw")
	if g.onDraw != nil {
		g.onDraw()
	}
}

func (g *plainGame) Layout(w, h int) (int, int) {
	g.note("layout")
	return w, h
}

type floatGame struct{ plainGame }

func (g *floatGame) LayoutF(w, h float64) (float64, float64) {
	g.note("layoutf")
	return w, h
}

type finalGame struct{ plainGame }

func (g *finalGame) DrawFinalScreen(fakeFinal, *fakeImage, fakeGeoM) {
	g.note("final")
	if g.onFinal != nil {
		g.onFinal()
	}
}

type fullGame struct{ floatGame }

func (g *fullGame) DrawFinalScreen(fakeFinal, *fakeImage, fakeGeoM) {
	g.note("final")
	if g.onFinal != nil {
		g.onFinal()
	}
}

// fakeHost runs a game as Ebitengine does: Layout (or LayoutF) once and first, then updates, Draw,
// DrawFinalScreen, flush, and the swap, which blocks until the next refresh.
type fakeHost struct {
	period, flush time.Duration // a period of 0 does not block
	skipFinal     bool
	epoch         deadline.Instant
	refreshes     []int // at which each frame began
}

func (h *fakeHost) frame(g hostGame, updates int) error {
	if h.epoch == 0 {
		h.epoch = deadline.Now()
	}
	if h.period > 0 {
		h.refreshes = append(h.refreshes, int(deadline.Now().Sub(h.epoch)/h.period))
	}
	if l, ok := g.(hostLayoutFer); ok {
		l.LayoutF(320, 240)
	} else {
		g.Layout(320, 240)
	}
	for range updates {
		if err := g.Update(); err != nil {
			return err
		}
	}
	g.Draw(&fakeImage{})
	if f, ok := g.(hostFinalDrawer); ok && !h.skipFinal {
		f.DrawFinalScreen(final{}, &fakeImage{}, fakeGeoM{})
	}
	time.Sleep(h.flush)
	if h.period > 0 {
		into := deadline.Now().Sub(h.epoch) % h.period
		time.Sleep(h.period - into)
	}
	return nil
}

// missed counts refreshes at which no frame began, from frame n on.
func (h *fakeHost) missed(n int) (m int) {
	for i := n + 1; i < len(h.refreshes); i++ {
		m += h.refreshes[i] - h.refreshes[i-1] - 1
	}
	return m
}
