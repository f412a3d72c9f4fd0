//go:build !headless

// Embed is the program of the README: the least that a game written with Ebitengine needs to load its pictures
// without a hitch. It decodes on the pool, makes the image in the slice of a frame, and draws what is there.
package main

import (
	"bytes"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"log"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

var files = [][]byte{images.Runner_png, images.Gophers_jpg, images.FiveYears_jpg, images.Spritesheet_png}

type game struct{ sprites []*ebiten.Image }

func (g *game) Update() error              { return nil }
func (g *game) Layout(w, h int) (int, int) { return w, h }
func (g *game) Draw(screen *ebiten.Image) {
	for i, sprite := range g.sprites {
		op := &ebiten.DrawImageOptions{}
		op.GeoM.Translate(float64(i)*120, float64(i)*60)
		screen.DrawImage(sprite, op)
	}
}

func decode(file []byte) func() (image.Image, error) {
	return func() (image.Image, error) {
		img, _, err := image.Decode(bytes.NewReader(file))
		return img, err
	}
}

func main() {
	g := &game{}
	loop := frame.New(frame.Options{})
	defer loop.Close()
	loop.Go(deadline.Normal, func(co *scheduler.Co) { // runs in what each frame has left
		for _, file := range files {
			img, err := scheduler.Await(co, workers.Submit(loop.Pool(), deadline.Normal, decode(file)))
			if err != nil {
				log.Print(err) // one bad picture does not stop the others
				continue
			}
			g.sprites = append(g.sprites, ebiten.NewImageFromImage(img)) // here, Ebitengine may be called
			co.Yield()
		}
	})
	if err := ebiten.RunGame(frame.Wrap[ebiten.FinalScreen, ebiten.GeoM](g, loop)); err != nil {
		log.Print(err)
	}
}
