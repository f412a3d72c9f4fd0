//go:build !headless

// Command uploads shows how long the frames of an Ebitengine window are while pictures are loaded, whose uploads come
// after the slice. It prints the frames from the first commit on, in milliseconds. Run it under Xvfb:
//
//	xvfb-run -a go run ./demo/uploads -n 50 -side 512
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
)

type game struct {
	l        *frame.Loop
	pictures []*ebiten.Image
	n, side  int
	tasks    bool
	apart    bool
	frames   int
	begun    time.Time
	lengths  []float64 // of frames from the first commit to some after the last
	after    int
}

func (g *game) commit(pixels *image.RGBA, _ error) {
	g.pictures = append(g.pictures,
		ebiten.NewImageFromImageWithOptions(pixels, &ebiten.NewImageFromImageOptions{Unmanaged: g.apart}))
}

func (g *game) Layout(int, int) (int, int) { return 320, 180 }

func (g *game) Update() error {
	now := time.Now()
	if len(g.pictures) > 0 {
		g.lengths = append(g.lengths, float64(now.Sub(g.begun))/1e6)
	}
	g.begun = now
	if g.frames++; g.frames == 60 {
		decode := func(context.Context, int, *load.Meter) (*image.RGBA, error) {
			return image.NewRGBA(image.Rect(0, 0, g.side, g.side)), nil
		}
		ld := load.New(g.l, load.Options{Label: "picture"}, decode)
		for i := range g.n {
			if g.tasks {
				p, _ := decode(nil, 0, nil)
				g.l.Post(deadline.Normal, func() { g.commit(p, nil) })
			} else {
				ld.Load(context.Background(), i, g.commit)
			}
		}
	}
	if len(g.pictures) == g.n {
		if g.after++; g.after > 8 {
			return ebiten.Termination
		}
	}
	return nil
}

func (g *game) Draw(screen *ebiten.Image) {
	for i, p := range g.pictures {
		var o ebiten.DrawImageOptions
		o.GeoM.Scale(16/float64(g.side), 16/float64(g.side))
		o.GeoM.Translate(float64(i%20)*16, float64(i/20)*16)
		screen.DrawImage(p, &o)
	}
}

func main() {
	g := new(game)
	shadow := flag.Bool("shadow", false, "the slice lies beside the swap")
	flag.IntVar(&g.n, "n", 50, "pictures")
	flag.IntVar(&g.side, "side", 512, "pixels of a side")
	flag.BoolVar(&g.tasks, "tasks", false, "plain tasks instead of a Loader")
	flag.BoolVar(&g.apart, "unmanaged", false, "each picture has a texture of its own")
	flag.Parse()
	o := frame.Options{Placement: frame.PlaceAfterDraw}
	if *shadow {
		o.Placement = frame.PlaceShadow
	}
	g.l = frame.New(o)
	defer g.l.Close()
	ebiten.SetWindowSize(320, 180)
	_ = ebiten.RunGame(frame.Wrap[ebiten.FinalScreen, ebiten.GeoM](g, g.l))
	fmt.Printf("%d pictures of %dx%d in %d frames, longest %.1f ms; first %.0f\n", g.n, g.side, g.side, len(g.lengths),
		slices.Max(g.lengths), g.lengths)
}
