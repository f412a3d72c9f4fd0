//go:build !headless

// First is the first program of the README: an Ebitengine game that computes its world a row at a time, in what each
// frame has left.
package main

import (
	"log"
	"math"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/ebitenhost"
)

func main() {
	g, loop := new(game), frameslice.New(frameslice.Balanced)
	loop.Go(frameslice.Normal, func(co *frameslice.Co) { // a coroutine on the frame goroutine
		for y := range height {
			g.grow(y)  // some work, such as a row of terrain
			co.Yield() // once the frame's time is over, continue in the next frame
		}
	})
	if err := ebitenhost.Run(g, loop, ebitenhost.Options{Overlay: ebiten.KeyF3}); err != nil {
		log.Fatal(err)
	}
}

const width, height = 320, 180

// game shows a world of which rows are still to come.
type game struct{ pixels [4 * width * height]byte }

// grow computes a row of the world.
func (g *game) grow(y int) {
	for x := range width {
		h := 0.0
		for k := 1.0; k < 400; k++ {
			h += math.Sin(float64(x)/40*k+k*k) * math.Cos(float64(y)/40*k) / k
		}
		p := g.pixels[4*(y*width+x):]
		p[0], p[1], p[2], p[3] = byte(60+20*h), byte(120+50*h), byte(90-20*h), 255
	}
}

func (g *game) Update() error              { return nil }
func (g *game) Draw(screen *ebiten.Image)  { screen.WritePixels(g.pixels[:]) }
func (g *game) Layout(_, _ int) (int, int) { return width, height }
