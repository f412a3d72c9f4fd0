package frame_test

import (
	"strings"
	"testing"

	"github.com/frameslice/frameslice/frame"
)

// A method of a wrapped game that is called within another one, as by a modal loop, panics where that happens, with
// the cause and the remedy, and nothing in front of the panic. The game goes on if it recovers, or in the next frame.
func TestWrappedMethodsWithinOneAnother(t *testing.T) {
	type game = frame.Game[*fakeImage]
	calls := map[string]func(g game){
		"Layout":          func(g game) { g.Layout(1, 1) },
		"LayoutF":         func(g game) { g.(hostLayoutFer).LayoutF(1, 1) },
		"Update":          func(g game) { _ = g.Update() },
		"Draw":            func(g game) { g.Draw(nil) },
		"DrawFinalScreen": func(g game) { g.(hostFinalDrawer).DrawFinalScreen(final{}, nil, fakeGeoM{}) },
	}
	for _, place := range placements() {
		for _, outer := range []string{"Update", "Draw", "DrawFinalScreen"} {
			for name, call := range calls {
				for _, recovers := range []bool{false, true} {
					bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
						var g game
						var got string
						in := func(method string) {
							if method != outer || got != "" {
								return
							}
							if recovers {
								got = panicOf(func() { call(g) })
							} else {
								call(g)
							}
						}
						g = frame.Wrap[fakeFinal, fakeGeoM](&fullGame{floatGame{plainGame{
							onUpdate: func() error { in("Update"); return nil },
							onDraw:   func() { in("Draw") },
							onFinal:  func() { in("DrawFinalScreen") },
						}}}, l)
						h := fakeHost{}
						seen := panicOf(func() { _ = h.frame(g, 1) })
						if recovers != (seen == "") {
							t.Fatalf("recovers %v: the frame panics with %q", recovers, seen)
						}
						got += seen
						want := "frame: " + name + " of a wrapped game within its " + outer
						if !strings.HasPrefix(got, want) || !strings.Contains(got, "Loop.Nest") {
							t.Errorf("%v: panic %q, want %q and Nest", place, got, want)
						}
						if err := h.frame(g, 1); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

// A game that ends the frame itself, in which Wrap would end it again, is told so, and not that End has no Begin.
func TestWrappedGameThatEndsTheFrame(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		g := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{onDraw: func() { l.Slice(); l.End() }}, l)
		got := panicOf(func() { _ = new(fakeHost).frame(g, 1) })
		if !strings.HasPrefix(got, "frame: a wrapped game that calls Slice or End") {
			t.Errorf("panic %q", got)
		}
	})
}
