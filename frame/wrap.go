package frame

import (
	"fmt"
	"reflect"

	"github.com/frameslice/frameslice/deadline"
)

// Game is what Wrap wraps and returns: the method set of Ebitengine's Game, with its image type as a
// parameter, so that this package need not import Ebitengine (which panics at start without a display).
type Game[I any] interface {
	Update() error
	Draw(screen I)
	Layout(outsideWidth, outsideHeight int) (screenWidth, screenHeight int)
}

// layouter is Ebitengine's LayoutFer, less the rest of the Game.
type layouter interface {
	LayoutF(outsideWidth, outsideHeight float64) (screenWidth, screenHeight float64)
}

// finalDrawer is Ebitengine's FinalScreenDrawer.
type finalDrawer[F, M, I any] interface {
	DrawFinalScreen(screen F, offscreen I, geoM M)
}

// Wrap gives every frame of an Ebitengine game a slice of l, in one line and without a change to the game:
//
//	ebiten.RunGame(frame.Wrap[ebiten.FinalScreen, ebiten.GeoM](game, loop))
//
// I is inferred; F and M are the types of DrawFinalScreen, for which a host without it may give any type. It panics
// if the game has that method with other types, as the host would not call it then.
// The host calls Layout (or LayoutF) once and first in each frame, Update 0 to 5 times, Draw once: the
// frame begins in Layout, and the slice begins at the end of Draw, so it is one per frame however often Update
// runs; where it lies from there on Options.Placement says, whose default is decided here. The result
// implements the optional interfaces that the game implements, and no other. Its goroutine is the host's, and
// is never locked to a thread.
//
// Wrap the game that RunGame is given, once, and not its scenes: a loop has one frame at a time, so two wrapped
// games that take part in the same one panic. A game within a game may have a loop of its own.
//
// When Update returns an error, ebiten.Termination included, the loop is closed before the host sees it (see
// Options.KeepOpen): Ebitengine's functions panic once RunGame has returned, and jobs may be calling them. A
// window that is closed ends RunGame without an error of Update, after one more Update (Ebitengine 2.8 on Linux) or
// none: so defer l.Close() before RunGame. Where jobs of Pool.Go make images, that panic would end the program: there,
// let Update end the game, by ebiten.SetWindowClosingHandled(true) and ebiten.Termination when
// ebiten.IsWindowBeingClosed(). After Stop the game goes on without slices.
//
// Tasks may call of Ebitengine what Draw may, less what PlaceShadow forbids. Jobs run beside Draw: they may make
// images, and draw on those that they have made, but not with text/v2 and a face that is used elsewhere, whose
// caches have no lock in Ebitengine 2.8.
func Wrap[F, M, I any](g Game[I], l *Loop) Game[I] {
	if g == nil || l == nil {
		panic("frame: Wrap of a nil game or with a nil loop")
	}
	l.decide(true)
	w := &wrapped[I]{game: g, l: l}
	lay, hasLay := g.(layouter)
	fin, hasFin := g.(finalDrawer[F, M, I])
	if !hasFin {
		if m, ok := reflect.TypeOf(g).MethodByName("DrawFinalScreen"); ok {
			panic(fmt.Sprintf("frame: Wrap was given other types than the game's DrawFinalScreen has, %v", m.Type))
		}
	}
	// The slice in the shadow must not run beside the game's last drawing.
	w.late = hasFin && l.shadow != nil
	switch {
	case hasLay && hasFin:
		return &wrappedBoth[F, M, I]{w, &wrappedLayout[I]{w, lay}, &wrappedFinal[F, M, I]{w, fin}}
	case hasLay:
		return &wrappedLayout[I]{w, lay}
	case hasFin:
		return &wrappedFinal[F, M, I]{w, fin}
	}
	return w
}

// wrapped is a game with none of the optional methods. For the watchdog each method is by itself: between two of them
// the host may sleep for as long as it likes, as in a window that is not shown.
type wrapped[I any] struct {
	game    Game[I]
	l       *Loop
	late    bool   // the slice is handed over after DrawFinalScreen, not after Draw
	open    bool   // a frame is open
	updated bool   // and has had an Update
	drew    bool   // and its Draw has returned
	skipped bool   // late, and the host did not call DrawFinalScreen in the frame before: the slice goes before it
	within  string // the method that is being called
	entered bool   // its call has entered the loop's record
}

// enter begins a call of the host's. leave ends it, also where a panic comes through. A call within another one is a
// modal loop, or a task, that gives frames in the middle of one: it would end the frame outside, which would then
// fail in its turn and hide the cause.
func (w *wrapped[I]) enter(method string) {
	if w.within != "" {
		panic("frame: " + method + " of a wrapped game within its " + w.within +
			": a modal loop calls Loop.Nest, and in that Begin, Slice and End, or Run")
	}
	w.within = method
	w.entered = w.l.at.Enter()
}

func (w *wrapped[I]) leave() {
	w.within = ""
	if w.entered {
		w.l.at.Leave()
	}
	w.l.dog.end()
}

// begin begins a frame. One that the host has left unfinished it ends: without a Draw, or without the
// DrawFinalScreen that would have handed its slice over. (Ebitengine skips it when nothing was drawn for some
// frames, and sleeps until the next one, so then the slice goes at the end of Draw until it comes again.) A second
// Layout before anything else is the same frame's.
func (w *wrapped[I]) begin() {
	if w.open {
		if !w.updated && !w.drew {
			return
		}
		w.skipped = w.drew
		w.finish(w.drew)
	}
	w.open, w.updated, w.drew = true, false, false
	w.l.Begin()
	w.l.counts()
}

// ensure begins a frame if the host has not called Layout, as Ebitengine does in a window without a size.
func (w *wrapped[I]) ensure() {
	if !w.open || w.drew {
		w.begin()
	}
}

// finish ends the frame.
func (w *wrapped[I]) finish(slice bool) {
	w.open = false
	if w.l.gate.phase() != phaseOpen && !w.l.gate.isClosing() {
		panic("frame: a wrapped game that calls Slice or End: Wrap does")
	}
	defer w.l.End() // deferred: a task's panic may come through, from which somebody recovers
	if slice {
		w.l.Slice()
	} else {
		w.l.undrawn()
	}
}

func (w *wrapped[I]) Layout(outsideWidth, outsideHeight int) (screenWidth, screenHeight int) {
	w.enter("Layout")
	defer w.leave()
	w.begin()
	return w.game.Layout(outsideWidth, outsideHeight)
}

func (w *wrapped[I]) Update() error {
	w.enter("Update")
	defer w.leave()
	w.ensure()
	w.updated = true
	begin := deadline.Now()
	w.l.dog.begin(begin)
	err := w.game.Update()
	w.l.updated(begin, deadline.Now())
	if err == nil {
		return nil
	}
	w.finish(false)
	if !w.l.o.KeepOpen {
		_ = w.l.Close() // its error is about jobs that were dropped; the game's own is the one to tell
	}
	return err
}

func (w *wrapped[I]) Draw(screen I) {
	w.enter("Draw")
	defer w.leave()
	w.ensure()
	w.l.dog.begin(deadline.Now())
	w.l.beforeDraw()
	w.game.Draw(screen)
	w.drew = true
	w.l.drawn(deadline.Now())
	if !w.late || w.skipped {
		w.finish(true)
	}
}

// finalScreen comes before DrawFinalScreen. If the slice has gone before it, as none was expected, or no second one,
// it ends here.
func (w *wrapped[I]) finalScreen() {
	w.skipped = false
	if w.late && !w.open {
		w.l.recall()
	}
}

// wrappedLayout adds LayoutF, which Ebitengine then calls instead of Layout.
type wrappedLayout[I any] struct {
	*wrapped[I]
	lay layouter
}

func (w *wrappedLayout[I]) LayoutF(outsideWidth, outsideHeight float64) (screenWidth, screenHeight float64) {
	w.enter("LayoutF")
	defer w.leave()
	w.begin()
	return w.lay.LayoutF(outsideWidth, outsideHeight)
}

// wrappedFinal adds DrawFinalScreen.
type wrappedFinal[F, M, I any] struct {
	*wrapped[I]
	fin finalDrawer[F, M, I]
}

func (w *wrappedFinal[F, M, I]) DrawFinalScreen(screen F, offscreen I, geoM M) {
	w.enter("DrawFinalScreen")
	defer w.leave()
	w.finalScreen()
	w.l.dog.begin(deadline.Now())
	w.fin.DrawFinalScreen(screen, offscreen, geoM)
	if w.late && w.open && w.drew {
		w.finish(true)
	}
}

// wrappedBoth adds both.
type wrappedBoth[F, M, I any] struct {
	*wrapped[I]
	lay *wrappedLayout[I]
	fin *wrappedFinal[F, M, I]
}

func (w *wrappedBoth[F, M, I]) LayoutF(outsideWidth, outsideHeight float64) (float64, float64) {
	return w.lay.LayoutF(outsideWidth, outsideHeight)
}

func (w *wrappedBoth[F, M, I]) DrawFinalScreen(screen F, offscreen I, geoM M) {
	w.fin.DrawFinalScreen(screen, offscreen, geoM)
}
