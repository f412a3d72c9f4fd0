package frame

import (
	"fmt"
	"reflect"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
)

// game is the method set of Ebitengine's Game, with its image type as a parameter.
type game[I any] interface {
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

// Wrap gives every frame of a game of Ebitengine's kind a slice of l. Programs with Ebitengine call Run or Wrap of
// package frame/ebitenhost, which needs no types:
//
//	ebiten.RunGame(frame.Wrap[ebiten.FinalScreen, ebiten.GeoM](game, loop))
//
// The game and the result have the methods Update, Draw and Layout of ebiten.Game; I is the type of the image. F and M
// are the types of DrawFinalScreen, or any type for a host without that method. The result implements the optional
// interfaces that the game implements.
//
// A frame begins in Layout (or LayoutF), the slice at the end of Draw. Wrap the game that RunGame is given, not its
// scenes: two wrapped games in one frame panic.
//
// When Update returns an error, ebiten.Termination included, the loop closes before the host sees it. Closing the
// window ends RunGame without an error, so also defer l.Close(). Ebitengine's functions panic after RunGame: if jobs
// make images, let Update end the game (ebiten.SetWindowClosingHandled). After Stop the game continues without slices.
//
// Tasks may call what Draw may, except what PlaceShadow forbids. Jobs may draw on their own images beside Draw, but not
// with text/v2 and a face in use elsewhere.
func Wrap[F, M, I any](g game[I], l *Loop) game[I] {
	if g == nil || l == nil {
		panic("frame: Wrap of a nil game or with a nil loop")
	}
	if l.o.slicesFirst() {
		panic("frame: Wrap of a loop with PlaceFirst, which is for Run and for hosts that call Slice themselves")
	}
	l.choice.decide(true)
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

// wrapped is a game with none of the optional methods. The watchdog watches each method by itself: between two of them
// the host may sleep, as in a window that is not shown.
type wrapped[I any] struct {
	game    game[I]
	l       *Loop
	late    bool   // the slice is handed over after DrawFinalScreen, not after Draw
	open    bool   // a frame is open
	updated bool   // and has had an Update
	drew    bool   // and its Draw has returned
	skipped bool   // late, and the host did not call DrawFinalScreen in the frame before: the slice goes before it
	steps   bool   // an Update has called Step: a frame without an update then is a step of 0
	within  string // the method that is being called
	entered bool   // its call has entered the loop's record
}

// enterMethod begins a call of the host's, and leaveMethod ends it, also where a panic comes through. A call within
// another one is a modal loop, or a task. It would end the frame around it, which would then fail and hide the cause.
func (w *wrapped[I]) enterMethod(method string) {
	if w.within != "" {
		panic("frame: " + method + " of a wrapped game within its " + w.within + modal)
	}
	w.within = method
	w.entered = w.l.inFrames.Enter()
}

func (w *wrapped[I]) leaveMethod() {
	w.within = ""
	if w.entered {
		w.l.inFrames.Leave()
	}
	w.l.watch.end()
}

// begin begins a frame. It first ends a frame that the host has left unfinished: without a Draw, or without the
// DrawFinalScreen that would have handed its slice over. Ebitengine skips DrawFinalScreen when nothing was drawn for
// some frames, and sleeps until the next frame. The slice then begins at the end of Draw, until DrawFinalScreen comes
// again. A second Layout before anything else belongs to the same frame.
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
	if w.inOwnWork() {
		w.l.counting = true
		if w.steps {
			w.l.now.Flags |= record.Stepped
		}
	}
}

// inOwnWork reports whether the loop has a frame in progress, before its slice. After Stop it has none.
func (w *wrapped[I]) inOwnWork() bool { return w.l.gate.state() == gateOpen }

// ensure begins a frame if the host has not called Layout, as Ebitengine does in a window without a size.
func (w *wrapped[I]) ensure() {
	if !w.open || w.drew {
		w.begin()
	}
}

// finish ends the frame.
func (w *wrapped[I]) finish(slice bool) {
	w.open = false
	if !w.inOwnWork() && !w.l.gate.isClosing() {
		panic("frame: a wrapped game that calls Slice or End: Wrap does")
	}
	defer w.l.End() // deferred: a task's panic may come through, from which the host recovers
	if slice {
		w.l.Slice()
	} else { // the frame has not been drawn
		w.l.phased |= 1 << scheduler.AfterDraw
		w.l.blank = true
	}
}

func (w *wrapped[I]) Layout(outsideWidth, outsideHeight int) (screenWidth, screenHeight int) {
	w.enterMethod("Layout")
	defer w.leaveMethod()
	w.begin()
	return w.game.Layout(outsideWidth, outsideHeight)
}

func (w *wrapped[I]) Update() error {
	w.enterMethod("Update")
	defer w.leaveMethod()
	w.ensure()
	w.updated = true
	begin, before := deadline.Now(), w.l.now.Updates
	w.l.watch.begin(begin)
	err := w.game.Update()
	w.steps = w.steps || w.l.now.Updates > before
	w.count(begin, before)
	if err == nil {
		return nil
	}
	w.finish(false)
	_ = w.l.Close() // its error is about jobs that were dropped; the game's own is the one to tell
	return err
}

// count counts an update, if Step has not. Before the update so many were counted.
func (w *wrapped[I]) count(begin deadline.Instant, before uint32) {
	if !w.inOwnWork() {
		return
	}
	r := &w.l.now
	if before == 0 {
		r.UpdateBegin = begin
	}
	if r.UpdateEnd = deadline.Now(); r.Updates == before {
		r.Updates++
	}
}

func (w *wrapped[I]) Draw(screen I) {
	w.enterMethod("Draw")
	defer w.leaveMethod()
	w.ensure()
	w.l.watch.begin(deadline.Now())
	if w.inOwnWork() {
		w.l.RunPhase(scheduler.BeforeDraw)
	}
	w.game.Draw(screen)
	if w.drew = true; w.inOwnWork() {
		w.l.now.DrawEnd = deadline.Now()
	}
	if !w.late || w.skipped {
		w.finish(true)
	}
}

// finalScreen comes before DrawFinalScreen. If the slice has begun already, because DrawFinalScreen was not expected,
// the slice ends here: more of the host's own work has come.
func (w *wrapped[I]) finalScreen() {
	w.skipped = false
	if !w.late || w.open {
		return
	}
	if !w.l.gate.enterCall("DrawFinalScreen", 1<<gateBetween, false) {
		w.l.ends.over()
		return
	}
	defer w.l.leaveOrClose(gateBetween)
	w.l.takeBack()
}

// wrappedLayout adds LayoutF, which Ebitengine then calls instead of Layout.
type wrappedLayout[I any] struct {
	*wrapped[I]
	lay layouter
}

func (w *wrappedLayout[I]) LayoutF(outsideWidth, outsideHeight float64) (screenWidth, screenHeight float64) {
	w.enterMethod("LayoutF")
	defer w.leaveMethod()
	w.begin()
	return w.lay.LayoutF(outsideWidth, outsideHeight)
}

// wrappedFinal adds DrawFinalScreen.
type wrappedFinal[F, M, I any] struct {
	*wrapped[I]
	fin finalDrawer[F, M, I]
}

func (w *wrappedFinal[F, M, I]) DrawFinalScreen(screen F, offscreen I, geoM M) {
	w.enterMethod("DrawFinalScreen")
	defer w.leaveMethod()
	w.finalScreen()
	w.l.watch.begin(deadline.Now())
	w.fin.DrawFinalScreen(screen, offscreen, geoM)
	if w.late && w.open && w.drew {
		w.finish(true)
	}
}

// wrappedBoth adds both. It embeds *wrapped itself, too, so that the other methods are promoted from one place: those
// of the other two lie a level deeper.
type wrappedBoth[F, M, I any] struct {
	*wrapped[I]
	*wrappedLayout[I]
	*wrappedFinal[F, M, I]
}
