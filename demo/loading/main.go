//go:build !headless

// Loading is a game's loading screen: a bar, Esc to leave, R to try again what failed. The program makes its files up,
// and every fifth one fails at the first attempt.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"log"
	"strings"
	"sync/atomic"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/ebitenutil"
	"github.com/hajimehoshi/ebiten/v2/inpututil"
	"github.com/hajimehoshi/ebiten/v2/vector"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/demo/loading/screen"
	"github.com/frameslice/frameslice/frame/ebitenhost"
)

// A file is a picture in memory.
type file struct {
	png    []byte
	asked  atomic.Bool
	broken bool // until it is asked for again
}

// newFile returns a picture of one colour.
func newFile(number int) *file {
	img := image.NewRGBA(image.Rect(0, 0, 400, 400))
	c := color.NRGBA{R: uint8(80 + number*37%176), G: uint8(80 + number*59%176), B: uint8(80 + number*83%176), A: 255}
	draw.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		log.Fatal(err)
	}
	return &file{png: b.Bytes(), broken: number%5 == 4}
}

// decode runs on a worker.
func (f *file) decode() (image.Image, error) {
	if f.broken && !f.asked.Swap(true) {
		return nil, errors.New("the network is away")
	}
	img, _, err := image.Decode(bytes.NewReader(f.png))
	return img, err
}

type game struct {
	screen  *screen.Screen
	sprites []*ebiten.Image
}

func (g *game) show(img image.Image) {
	whole := &ebiten.NewImageFromImageOptions{Unmanaged: true} // of this size, better outside the atlas
	g.sprites = append(g.sprites, ebiten.NewImageFromImageWithOptions(img, whole))
}

func (g *game) Layout(int, int) (int, int) { return 640, 360 }

func (g *game) Update() error {
	switch {
	case inpututil.IsKeyJustPressed(ebiten.KeyEscape):
		g.screen.Leave()
		return ebiten.Termination
	case g.screen.Stuck() && inpututil.IsKeyJustPressed(ebiten.KeyR):
		g.screen.Retry()
	}
	return nil
}

func (g *game) Draw(canvas *ebiten.Image) {
	const left, top, width, height = 40, 290, 560, 16
	for i, sprite := range g.sprites {
		op := &ebiten.DrawImageOptions{}
		op.GeoM.Scale(0.12, 0.12)
		op.GeoM.Translate(float64(left+i%10*56), float64(24+i/10*52))
		canvas.DrawImage(sprite, op)
	}
	s := g.screen
	vector.StrokeRect(canvas, left, top, width, height, 1, color.White, false)
	vector.DrawFilledRect(canvas, left, top, width*float32(s.Fraction()), height, color.White, false)
	says := fmt.Sprintf("%d of %d pictures", s.Loaded, s.Total)
	switch {
	case s.Ready():
		says += ": ready"
	case s.Stuck():
		says += fmt.Sprintf(", %d failed: R tries again, Esc leaves", len(s.Failed))
	}
	ebitenutil.DebugPrintAt(canvas, says, left, top+height+6)
	if s.Stuck() {
		reasons := s.Reasons()
		ebitenutil.DebugPrintAt(canvas, strings.Join(reasons[:min(len(reasons), 2)], "\n"), left, top+height+22)
	}
}

func main() {
	files := map[string]*file{}
	var names []string
	for i := range 50 {
		name := fmt.Sprint("picture ", i)
		files[name], names = newFile(i), append(names, name)
	}
	loop := frameslice.New(frameslice.Balanced)
	pictures := frameslice.NewLoader(loop, frameslice.LoadOptions{},
		func(_ context.Context, name string, _ *frameslice.Meter) (image.Image, error) {
			return files[name].decode()
		})
	g := &game{}
	g.screen = screen.New(pictures, names, g.show)
	ebiten.SetWindowSize(640, 360)
	ebiten.SetWindowTitle("loading")
	if err := ebitenhost.Run(g, loop, ebitenhost.Options{Overlay: ebiten.KeyF3}); err != nil {
		log.Print(err)
	}
}
