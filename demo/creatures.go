//go:build !headless

package main

import (
	"image"
	"image/color"
	"math"

	"github.com/hajimehoshi/ebiten/v2"
	"golang.org/x/image/vector"

	"github.com/frameslice/frameslice/demo/sim"
)

// creatures is the image of everything that moves and was not decoded: animals in a few poses, a soft disc for
// shadows, a soft line for paths. It is painted once with the palette of the world. The animals face right, and a
// draw turns them.
type creatures struct {
	image   *ebiten.Image
	bird    [4]region // poses of a wingbeat
	falcon  [4]region
	sheep   region
	fish    [2]region
	wolf    region
	pike    region
	shadow  region
	line    region // soft across
	plain   region // an opaque pixel
	unknown region // stands in for a walker whose sprite is still being decoded
}

// brush paints shapes on a cell of the image. Coordinates are 0 to 1 across the cell.
type brush struct {
	img  *image.RGBA
	cell image.Rectangle
	x, y int // next cell
	rast *vector.Rasterizer
}

const cellSize = 48

// next goes to the next free cell and returns its region, one pixel inside so that linear filtering stays in it.
func (b *brush) next() region {
	b.cell = image.Rect(b.x, b.y, b.x+cellSize, b.y+cellSize)
	if b.x += cellSize; b.x+cellSize > b.img.Rect.Dx() {
		b.x, b.y = 0, b.y+cellSize
	}
	r := b.cell.Inset(1)
	return region{float32(r.Min.X), float32(r.Min.Y), float32(r.Max.X), float32(r.Max.Y)}
}

func (b *brush) at(v float32) float32 { return 3 + v*(cellSize-6) }

// poly fills a polygon given as x, y, x, y...
func (b *brush) poly(c color.RGBA, xy ...float32) {
	b.rast.Reset(cellSize, cellSize)
	b.rast.MoveTo(b.at(xy[0]), b.at(xy[1]))
	for i := 2; i < len(xy); i += 2 {
		b.rast.LineTo(b.at(xy[i]), b.at(xy[i+1]))
	}
	b.rast.ClosePath()
	b.rast.Draw(b.img, b.cell, image.NewUniform(c), image.Point{})
}

// blob fills an ellipse.
func (b *brush) blob(c color.RGBA, x, y, rx, ry float32) {
	xy := make([]float32, 0, 48)
	for i := range 24 {
		s, cos := math.Sincos(float64(i) / 24 * 2 * math.Pi)
		xy = append(xy, x+rx*float32(cos), y+ry*float32(s))
	}
	b.poly(c, xy...)
}

// soft paints a disc that fades towards its rim.
func (b *brush) soft() {
	for y := b.cell.Min.Y; y < b.cell.Max.Y; y++ {
		for x := b.cell.Min.X; x < b.cell.Max.X; x++ {
			dx := (float64(x-b.cell.Min.X) + 0.5 - cellSize/2) / (cellSize/2 - 2)
			dy := (float64(y-b.cell.Min.Y) + 0.5 - cellSize/2) / (cellSize/2 - 2)
			t := math.Max(0, 1-math.Hypot(dx, dy))
			v := uint8(255 * t * t * (3 - 2*t))
			b.img.SetRGBA(x, y, color.RGBA{v, v, v, v})
		}
	}
}

// ridge paints a band that fades towards its upper and lower edge.
func (b *brush) ridge() {
	for y := b.cell.Min.Y; y < b.cell.Max.Y; y++ {
		d := math.Abs(float64(y-b.cell.Min.Y)+0.5-cellSize/2) / (cellSize/2 - 2)
		t := math.Max(0, 1-d)
		v := uint8(255 * t * t * (3 - 2*t))
		for x := b.cell.Min.X; x < b.cell.Max.X; x++ {
			b.img.SetRGBA(x, y, color.RGBA{v, v, v, v})
		}
	}
}

// darker returns c at k of its brightness.
func darker(c color.RGBA, k float32) color.RGBA {
	f := func(v uint8) uint8 { return uint8(min(float32(v)*k, 255)) }
	return color.RGBA{f(c.R), f(c.G), f(c.B), c.A}
}

func newCreatures() *creatures {
	p := sim.Colours()
	b := &brush{
		img:  image.NewRGBA(image.Rect(0, 0, 8*cellSize, 3*cellSize)),
		rast: vector.NewRasterizer(cellSize, cellSize),
	}
	c := &creatures{}
	spans := [4]float32{0.48, 0.36, 0.20, 0.36}
	for i, s := range spans {
		c.bird[i] = b.next()
		b.wings(p.Bird, s, 0.10)
	}
	for i, s := range spans {
		c.falcon[i] = b.next()
		b.wings(p.Falcon, s, 0.16)
		b.poly(darker(p.Falcon, 1.5), 0.96, 0.5, 0.80, 0.455, 0.80, 0.545)
	}
	c.sheep = b.next()
	shade := darker(p.Sheep, 0.82)
	for _, q := range [...][2]float32{{0.30, 0.42}, {0.30, 0.60}, {0.50, 0.34}, {0.50, 0.66}} {
		b.blob(shade, q[0], q[1], 0.20, 0.20)
	}
	b.blob(p.Sheep, 0.42, 0.5, 0.32, 0.25)
	face := color.RGBA{58, 50, 48, 255}
	b.blob(face, 0.77, 0.5, 0.14, 0.10)
	b.blob(face, 0.70, 0.38, 0.05, 0.06)
	b.blob(face, 0.70, 0.62, 0.05, 0.06)

	for i, tail := range [2]float32{0.38, 0.62} {
		c.fish[i] = b.next()
		b.poly(darker(p.Fish, 0.85), 0.34, 0.5, 0.06, tail-0.14, 0.12, 0.5, 0.06, tail+0.14)
		b.blob(p.Fish, 0.56, 0.5, 0.32, 0.14)
		b.blob(darker(p.Fish, 1.25), 0.62, 0.47, 0.18, 0.05)
	}
	c.wolf = b.next()
	b.poly(p.Wolf, 0.26, 0.44, 0.02, 0.40, 0.06, 0.56, 0.26, 0.58)
	b.blob(p.Wolf, 0.44, 0.5, 0.27, 0.15)
	b.blob(darker(p.Wolf, 1.25), 0.44, 0.5, 0.20, 0.07)
	b.poly(p.Wolf, 0.64, 0.38, 0.98, 0.5, 0.64, 0.62)
	b.poly(darker(p.Wolf, 0.7), 0.66, 0.34, 0.74, 0.43, 0.64, 0.45)
	b.poly(darker(p.Wolf, 0.7), 0.66, 0.66, 0.74, 0.57, 0.64, 0.55)

	c.pike = b.next()
	b.poly(p.Pike, 0.20, 0.5, 0.02, 0.36, 0.07, 0.5, 0.02, 0.64)
	b.blob(p.Pike, 0.52, 0.5, 0.40, 0.10)
	b.poly(p.Pike, 0.86, 0.44, 1.0, 0.5, 0.86, 0.56)
	b.blob(darker(p.Pike, 1.5), 0.52, 0.49, 0.28, 0.035)

	c.shadow = b.next()
	b.soft()
	c.line = b.next()
	b.ridge()
	r := b.next()
	b.poly(color.RGBA{255, 255, 255, 255}, 0.2, 0.2, 0.8, 0.2, 0.8, 0.8, 0.2, 0.8)
	mid := (r.u0 + r.u1) / 2
	c.plain = region{mid, (r.v0 + r.v1) / 2, mid, (r.v0 + r.v1) / 2}
	c.unknown = b.next()
	b.blob(color.RGBA{255, 255, 255, 255}, 0.5, 0.5, 0.4, 0.4)

	c.image = ebiten.NewImageWithOptions(b.img.Bounds(), &ebiten.NewImageOptions{Unmanaged: true})
	c.image.WritePixels(b.img.Pix)
	return c
}

// wings paints a bird seen from above: half-span s, body half-width w.
func (b *brush) wings(c color.RGBA, s, w float32) {
	tip := darker(c, 0.78)
	b.poly(tip, 0.60, 0.5-w*0.5, 0.30, 0.5-s, 0.20, 0.5-s*0.96, 0.40, 0.5-w*0.2)
	b.poly(tip, 0.60, 0.5+w*0.5, 0.30, 0.5+s, 0.20, 0.5+s*0.96, 0.40, 0.5+w*0.2)
	b.poly(c, 0.68, 0.5-w*0.4, 0.42, 0.5-s*0.72, 0.36, 0.5, 0.42, 0.5+s*0.72, 0.68, 0.5+w*0.4)
	b.blob(c, 0.56, 0.5, 0.30, w*0.72)
	b.poly(tip, 0.30, 0.5, 0.04, 0.5-w, 0.10, 0.5, 0.04, 0.5+w)
}
