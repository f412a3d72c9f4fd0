//go:build !race

package overlay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/internal/canvas"
	"github.com/frameslice/frameslice/internal/testkit"
)

// A view reads and lays out without allocating.
func TestNothingAllocates(t *testing.T) {
	a, err := canvas.Bake(1, canvas.Small)
	if err != nil {
		t.Fatal(err)
	}
	l := busyLoop()
	defer l.Close()
	var v View
	var c canvas.Canvas
	show := func() {
		oneFrame(l, func() {
			v.Read(l)
			c.Begin(a, 1280, 720)
			v.Draw(&c)
			v.DrawSmall(&c)
		})
	}
	for range 200 {
		show()
	}
	testkit.NoAllocs(t, show)
}

// Nor does a text that is too long for its panel, in each frame that does not show it.
func TestNoTextAllocates(t *testing.T) {
	a, err := canvas.Bake(1, canvas.Small)
	if err != nil {
		t.Fatal(err)
	}
	l := busyLoop()
	defer l.Close()
	var v View
	oneFrame(l, func() { v.Read(l) })
	for _, n := range []int{0, 20, 70, 200} {
		v.short = strings.Repeat("x", n)
		for _, w := range []int{150, 320, 640, 1280} {
			for name, form := range map[string]func(*canvas.Canvas){"all panels": v.Draw, "small": v.DrawSmall} {
				var c canvas.Canvas
				draw := func() {
					c.Begin(a, w, 720)
					form(&c)
				}
				draw()
				t.Run(fmt.Sprintf("%s, %d, %d letters", name, w, n), func(t *testing.T) { testkit.NoAllocs(t, draw) })
			}
		}
	}
}
