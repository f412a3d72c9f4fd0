package frame_test

import (
	"strings"
	"testing"

	"github.com/frameslice/frameslice/frame"
)

// With F and M the wrong way round, or any, the game's last drawing would silently be left out.
func TestWrapWithOtherTypesThanTheGamesPanics(t *testing.T) {
	l := frame.New(frame.Options{})
	defer l.Close()
	for name, wrap := range map[string]func(){
		"exchanged": func() { frame.Wrap[fakeGeoM, fakeFinal](&finalGame{}, l) },
		"any":       func() { frame.Wrap[any, any](&fullGame{}, l) },
	} {
		if got := panicOf(wrap); !strings.Contains(got, "frame: Wrap was given other types") {
			t.Errorf("%s: panic %q", name, got)
		}
	}
	frame.Wrap[any, any](&floatGame{}, l) // which has none
}

// A newcomer's mistake: every scene is wrapped, and one of them is drawn in the frame that another has begun.
func TestWrapOfTwoScenesInOneFramePanicsAndSaysSo(t *testing.T) {
	l := frame.New(frame.Options{})
	defer l.Close()
	menu := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{}, l)
	level := frame.Wrap[fakeFinal, fakeGeoM](&plainGame{}, l)
	menu.Layout(320, 240)
	if err := menu.Update(); err != nil {
		t.Fatal(err)
	}
	if got := panicOf(func() { level.Draw(&fakeImage{}) }); !strings.Contains(got, "one wrapped game") {
		t.Errorf("panic %q", got)
	}
}
