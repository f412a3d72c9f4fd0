package load

import (
	"image/color"
	"testing"

	"github.com/frameslice/frameslice/frame/plot"
)

// Two pictures are read side by side: a mode has one colour, whatever was compared with it, and no other has that.
func TestModeHasItsColourInAnyCompany(t *testing.T) {
	paintAll := func(modes ...Mode) map[Mode]color.Color {
		series := make([]plot.Series, len(modes))
		for i, m := range modes {
			series[i].Name = string(m)
		}
		paint(series)
		out := map[Mode]color.Color{}
		seen := map[color.Color]Mode{}
		for i, m := range modes {
			c := series[i].Color
			if other, ok := seen[c]; ok || c == nil {
				t.Errorf("%v: %s has the colour %v of %q", modes, m, c, other)
			}
			seen[c], out[m] = m, c
		}
		return out
	}
	all := paintAll(AllModes()...)
	for _, modes := range [][]Mode{
		{Frameslice}, {Frameslice, Idle}, {InlineBudget, Frameslice, Goroutines},
		{InlineBudget, "one", "two", Idle, Errgroup},
	} {
		for m, c := range paintAll(modes...) {
			if want, ok := all[m]; ok && c != want {
				t.Errorf("in %v %s has the colour %v, elsewhere %v", modes, m, c, want)
			}
		}
	}
}
