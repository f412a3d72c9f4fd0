//go:build !race

package overlay

import (
	"testing"

	"github.com/frameslice/frameslice/internal/canvas"
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
		})
	}
	for range 200 {
		show()
	}
	if n := testing.AllocsPerRun(200, show); n != 0 {
		t.Errorf("%v allocations in a frame", n)
	}
}
