package sim

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // the formats of the assets
	_ "image/png"
	"io"

	"golang.org/x/image/draw"
)

// picture is an image as the atlas takes it: all its mips in one rectangle of pixels, the full size on the
// left, the smaller ones in a column beside it.
type picture struct {
	pixel *image.RGBA
	mips  [mipLevels + 1]image.Rectangle
}

const maxPixels = 64 << 20 // of a source image: 256 MB decoded

// Errors of decode; they name what the image is, the Problem names the file.
var (
	errTooLarge = errors.New("sim: image has more than 67 million pixels")
	errEmpty    = errors.New("sim: image is empty")
)

// decode reads a PNG or JPEG, scales it down (with Catmull-Rom) to fit into fit x fit pixels, and adds the
// mips. Any goroutine. The error is about the bytes, never a panic: a decoder's panic on a corrupt file
// becomes an error, too; one of pause goes on.
func decode(data []byte, fit int, pause func()) (p *picture, err error) {
	file := &pausing{Reader: bytes.NewReader(data), pause: pause}
	defer func() {
		if v := recover(); v != nil {
			if file.within {
				panic(v)
			}
			p, err = nil, fmt.Errorf("sim: the decoder panicked: %v", v)
		}
	}()
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if cfg.Width <= 0 || cfg.Height <= 0 {
		return nil, errEmpty
	}
	if cfg.Width > maxPixels/cfg.Height {
		return nil, errTooLarge
	}
	src, _, err := image.Decode(file)
	if err != nil {
		return nil, err
	}
	w, h := src.Bounds().Dx(), src.Bounds().Dy()
	if m := max(w, h); m > fit {
		scaled := func(v int) int { return max(int(int64(v)*int64(fit)/int64(m)), 1) }
		w, h = scaled(w), scaled(h)
	}
	p = newPicture(w, h)
	full := p.pixel.SubImage(p.mips[0]).(*image.RGBA)
	if w == src.Bounds().Dx() && h == src.Bounds().Dy() {
		draw.Draw(full, full.Rect, src, src.Bounds().Min, draw.Src)
	} else {
		draw.CatmullRom.Scale(full, full.Rect, src, src.Bounds(), draw.Src, nil)
	}
	p.shrink()
	return p, nil
}

// pausing is a Reader that calls pause at each Read. A decoder reads some kilobytes at a time: a millisecond's work.
type pausing struct {
	io.Reader
	pause  func() // may be nil
	within bool   // pause was called, and has not returned
}

func (r *pausing) Read(b []byte) (int, error) {
	if r.pause != nil {
		r.within = true
		r.pause()
		r.within = false
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

// placeholder is what a corrupt image looks like: magenta and black checks under a white cross. No one
// overlooks it.
func placeholder() *picture {
	const n = 64
	p := newPicture(n, n)
	for y := range n {
		for x := range n {
			c := color.RGBA{0, 0, 0, 255}
			if (x/8+y/8)%2 == 0 {
				c = color.RGBA{255, 0, 255, 255}
			}
			if d, e := x-y, x+y-n+1; (d >= -2 && d <= 2) || (e >= -2 && e <= 2) {
				c = color.RGBA{255, 255, 255, 255}
			}
			p.pixel.SetRGBA(x, y, c)
		}
	}
	p.shrink()
	return p
}
