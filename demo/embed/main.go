//go:build !headless

// Embed is the second program of the README: the least that a game written with Ebitengine needs to load its pictures
// without a hitch. It decodes several at once on the workers, makes the images in the slice of a frame, and draws what
// is there, with a bar that shows how much is.
package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"log"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/examples/resources/images"
	"github.com/hajimehoshi/ebiten/v2/vector"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/ebitenhost"
)

var files = map[string][]byte{
	"runner.png": images.Runner_png, "gophers.jpg": images.Gophers_jpg,
	"five years.jpg": images.FiveYears_jpg, "sprites.png": images.Spritesheet_png,
}

type game struct {
	pictures *frameslice.Loader[string, image.Image]
	sprites  []*ebiten.Image
}

func (g *game) Layout(w, h int) (int, int) { return w, h }
func (g *game) Update() error {
	if ebiten.IsKeyPressed(ebiten.KeyEscape) {
		return ebiten.Termination
	}
	return nil
}

func (g *game) Draw(screen *ebiten.Image) {
	for i, sprite := range g.sprites {
		op := &ebiten.DrawImageOptions{}
		op.GeoM.Translate(float64(i)*120, float64(i)*60)
		screen.DrawImage(sprite, op)
	}
	done := float32(g.pictures.Progress().Fraction())
	vector.DrawFilledRect(screen, 0, 0, done*float32(screen.Bounds().Dx()), 4, color.White, false)
}

// apart keeps a picture out of Ebitengine's atlas, which takes several frames to grow: for 256x256 and more.
var apart = &ebiten.NewImageFromImageOptions{Unmanaged: true}

// embedded gets the bytes of a picture. For a folder it would be fetch.Files(os.DirFS("pictures")), for URLs
// fetch.HTTP(nil): see package frame/load/fetch.
func embedded(_ context.Context, name string, _ *frameslice.Meter) ([]byte, error) {
	return files[name], nil
}

// decode computes on a worker.
func decode(_ context.Context, name string, data []byte) (image.Image, error) {
	img, _, err := image.Decode(bytes.NewReader(data))
	return img, err
}

func main() {
	o := frameslice.Balanced.Options()
	o.Interval = time.Second / 60 // the display's rate; a wrong guess is corrected
	o.Recorder.WarmUp = 2         // the report leaves out the opening of the window, and not the load
	loop := frameslice.NewWith(o)
	g := &game{pictures: frameslice.NewLoaderFrom(loop, frameslice.LoadOptions{}, embedded, decode)}
	for name := range files {
		g.pictures.Load(context.Background(), name, func(img image.Image, err error) { // in what a frame has left
			if err != nil {
				log.Print(err) // one bad picture does not stop the others
				return
			}
			// Here, Ebitengine may be called.
			g.sprites = append(g.sprites, ebiten.NewImageFromImageWithOptions(img, apart))
		})
	}
	if err := ebitenhost.Run(g, loop, ebitenhost.Options{Overlay: ebiten.KeyF3}); err != nil {
		log.Print(err) // not after ebiten.Termination
	}
	fmt.Print(loop.Report("game")) // the frame times
}
