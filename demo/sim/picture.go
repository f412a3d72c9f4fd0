package sim

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // the formats of the assets
	_ "image/png"
	"io"
	"sync"

	"github.com/hajimehoshi/ebiten/v2/examples/resources/fonts"
	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// picture is an image as the atlas takes it, with all its mips in one rectangle of pixels. The full size is on the
// left, and the smaller ones are in a column beside it.
type picture struct {
	pixel *image.RGBA
	mips  [mipLevels + 1]image.Rectangle
}

// decode reads a PNG or JPEG, scales it down to fit into fit x fit pixels, and adds the mips. Any goroutine.
func decode(data []byte, fit int, pause func()) (*picture, error) {
	src, _, err := image.Decode(pausingReader{bytes.NewReader(data), pause})
	if err != nil {
		return nil, err
	}
	w, h := src.Bounds().Dx(), src.Bounds().Dy()
	if m := max(w, h); m > fit {
		w, h = max(w*fit/m, 1), max(h*fit/m, 1)
	}
	p := newPicture(w, h)
	full := p.pixel.SubImage(p.mips[0]).(*image.RGBA)
	if w == src.Bounds().Dx() && h == src.Bounds().Dy() {
		draw.Draw(full, full.Rect, src, src.Bounds().Min, draw.Src)
	} else {
		draw.CatmullRom.Scale(full, full.Rect, src, src.Bounds(), draw.Src, nil)
	}
	p.shrink()
	return p, nil
}

// pausingReader calls pause at each Read, if it is not nil. A decoder reads some kilobytes at a time: a millisecond's
// work.
type pausingReader struct {
	io.Reader
	pause func()
}

func (r pausingReader) Read(b []byte) (int, error) {
	if r.pause != nil {
		r.pause()
	}
	return r.Reader.Read(b)
}

// newPicture returns a transparent picture of a size, with the places of its mips.
func newPicture(w, h int) *picture {
	p := &picture{}
	p.mips[0] = image.Rect(0, 0, w, h)
	y, mw, mh := 0, w/2, h/2
	for i := 1; i <= mipLevels && mw > 0 && mh > 0; i++ {
		p.mips[i] = image.Rect(w, y, w+mw, y+mh)
		y, mw, mh = y+mh, mw/2, mh/2
	}
	p.pixel = image.NewRGBA(image.Rect(0, 0, w+w/2, h))
	return p
}

// shrink fills the mips from the full size: each pixel is the mean of four.
func (p *picture) shrink() {
	for i := 1; i <= mipLevels && !p.mips[i].Empty(); i++ {
		from, to := p.mips[i-1], p.mips[i]
		for y := range to.Dy() {
			a := p.pixel.Pix[p.pixel.PixOffset(from.Min.X, from.Min.Y+2*y):]
			b := p.pixel.Pix[p.pixel.PixOffset(from.Min.X, from.Min.Y+2*y+1):]
			out := p.pixel.Pix[p.pixel.PixOffset(to.Min.X, to.Min.Y+y):]
			for x := range 4 * to.Dx() {
				k := x/4*8 + x%4
				out[x] = uint8((int(a[k]) + int(a[k+4]) + int(b[k]) + int(b[k+4]) + 2) / 4)
			}
		}
	}
}

// typeface draws the names of the villages. The first job that needs the font parses it, and then all jobs share it.
type typeface struct {
	font func() (*opentype.Font, error)
}

func newTypeface() *typeface {
	return &typeface{sync.OnceValues(func() (*opentype.Font, error) {
		return opentype.Parse(fonts.MPlus1pRegular_ttf)
	})}
}

// draw makes a picture of a line of text, over its own soft shadow. Any goroutine.
func (t *typeface) draw(text string) (*picture, error) {
	f, err := t.font()
	if err != nil {
		return nil, fmt.Errorf("sim: font: %w", err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 15, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("sim: font: %w", err)
	}
	defer face.Close()
	m := face.Metrics()
	const pad = 3
	w, h := font.MeasureString(face, text).Ceil()+2*pad, m.Ascent.Ceil()+m.Descent.Ceil()+2*pad
	w = min(max(w, 8), AtlasSize*2/3-2)
	p := newPicture(w, h)
	img := p.pixel.SubImage(p.mips[0]).(*image.RGBA)
	pal := Colours()
	d := font.Drawer{Dst: img, Face: face}
	put := func(c image.Image, dx, dy int) {
		d.Src, d.Dot = c, fixed.P(pad+dx, pad+m.Ascent.Ceil()+dy)
		d.DrawString(text)
	}
	shadow := image.NewUniform(pal.TextShadow)
	for _, o := range [...]image.Point{{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {1, 1}, {2, 2}} {
		put(shadow, o.X, o.Y)
	}
	put(image.NewUniform(pal.Text), 0, 0)
	p.shrink()
	return p, nil
}
