package sim

import (
	"fmt"
	"image"
	"sync"

	"github.com/hajimehoshi/ebiten/v2/examples/resources/fonts"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// typefaces holds the parsed fonts: parsed once, by the first job that needs them, and then shared, which the
// package sfnt allows as long as each goroutine has a face of its own.
type typefaces struct {
	plain func() (*opentype.Font, error)
	pixel func() (*opentype.Font, error)
}

func newTypefaces() *typefaces {
	parse := func(data []byte) func() (*opentype.Font, error) {
		return sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(data) })
	}
	return &typefaces{parse(fonts.MPlus1pRegular_ttf), parse(fonts.PressStart2P_ttf)}
}

// label is one line of text to be drawn.
type label struct {
	text  string
	size  float64 // pixels
	pixel bool    // in the pixel font
}

// draw rasterises the label: text over its own soft shadow. Any goroutine.
func (t *typefaces) draw(l label) (*picture, error) {
	load := t.plain
	if l.pixel {
		load = t.pixel
	}
	f, err := load()
	if err != nil {
		return nil, fmt.Errorf("sim: font: %w", err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: l.size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("sim: font: %w", err)
	}
	defer face.Close()
	m := face.Metrics()
	const pad = 3
	w, h := font.MeasureString(face, l.text).Ceil()+2*pad, m.Ascent.Ceil()+m.Descent.Ceil()+2*pad
	w = min(max(w, 8), AtlasSize*2/3-2)
	p := newPicture(w, h)
	img := p.pixel.SubImage(p.mips[0]).(*image.RGBA)
	pal := Colours()
	d := font.Drawer{Dst: img, Face: face}
	put := func(c image.Image, dx, dy int) {
		d.Src, d.Dot = c, fixed.P(pad+dx, pad+m.Ascent.Ceil()+dy)
		d.DrawString(l.text)
	}
	shadow := image.NewUniform(pal.TextShadow)
	for _, o := range [...]image.Point{{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {1, 1}, {2, 2}} {
		put(shadow, o.X, o.Y)
	}
	put(image.NewUniform(pal.Text), 0, 0)
	p.shrink()
	return p, nil
}
