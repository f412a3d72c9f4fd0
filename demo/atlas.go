//go:build !headless

package main

import (
	"image"
	"image/color"
	"image/draw"

	"github.com/hajimehoshi/ebiten/v2"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// atlas is the one image behind the overlay: glyphs, corners, a white pixel. One image means one draw call
// for the whole overlay. It is painted once for a scale, on the CPU, in about 15 ms, and again only when
// the scale changes.
//
// Why no text package: its caches allocate per new string, and its glyphs live in images of their own. An
// overlay of numbers that all change in every frame wants neither. Glyphs are painted at three horizontal
// offsets, so that text is spaced to a third of a pixel and stays crisp.
type atlas struct {
	image *ebiten.Image

	white  region // one opaque pixel, sampled in its middle
	disc   region // of radius
	ring   region // one device pixel wide, of radius
	radius float32

	small, body, strong, mono, title, huge face
}

const (
	atlasSize = 1024
	phases    = 3 // horizontal offsets of a glyph
	firstRune = ' '
	lastRune  = '~'
)

// extraRunes are the runes beyond ASCII that the overlay uses.
const extraRunes = "µ·–×°…≤≥→←↑↓"

// face is a font in one size.
type face struct {
	glyphs [phases][]glyph // by glyphIndex
}

type glyph struct {
	r       region
	ox, oy  float32 // of the region's corner from the pen
	advance float32
}

// glyphIndex returns where a rune's glyph is: ASCII first, then the extras, then '?' for all others.
func glyphIndex(r rune) int {
	if r >= firstRune && r <= lastRune {
		return int(r - firstRune)
	}
	i := int(lastRune-firstRune) + 1
	for _, e := range extraRunes {
		if e == r {
			return i
		}
		i++
	}
	return '?' - firstRune
}

// packer places rectangles on shelves.
type packer struct {
	img         *image.RGBA
	x, y, shelf int
}

// place returns the corner of a free rectangle of w by h, one transparent pixel around it.
func (p *packer) place(w, h int) image.Point {
	if p.x+w+1 > atlasSize {
		p.x, p.y, p.shelf = 1, p.y+p.shelf+1, 0
	}
	at := image.Pt(p.x, p.y)
	p.x += w + 1
	p.shelf = max(p.shelf, h)
	return at
}

func newAtlas(scale float32) (*atlas, error) {
	a := &atlas{}
	p := &packer{img: image.NewRGBA(image.Rect(0, 0, atlasSize, atlasSize)), x: 1, y: 1}

	at := p.place(3, 3)
	draw.Draw(p.img, image.Rectangle{at, at.Add(image.Pt(3, 3))}, image.White, image.Point{}, draw.Src)
	a.white = region{float32(at.X) + 1.5, float32(at.Y) + 1.5, float32(at.X) + 1.5, float32(at.Y) + 1.5}

	r := int(6*scale + 0.5)
	a.radius = float32(r)
	a.disc = p.round(2*r, func(d float32) float32 { return float32(r) - d + 0.5 })
	a.ring = p.round(2*r, func(d float32) float32 { return min(float32(r)-d+0.5, d-float32(r)+1.5) })

	for _, f := range []struct {
		to   *face
		ttf  []byte
		size float32
		all  bool
	}{
		{&a.small, goregular.TTF, 10.5, true},
		{&a.body, goregular.TTF, 12, true},
		{&a.strong, gomedium.TTF, 12, true},
		{&a.mono, gomono.TTF, 11.5, true},
		{&a.title, gomedium.TTF, 15, true},
		{&a.huge, gomedium.TTF, 27, true},
	} {
		if err := p.bake(f.to, f.ttf, float64(f.size*scale)); err != nil {
			return nil, err
		}
	}
	a.image = ebiten.NewImageWithOptions(p.img.Bounds(), &ebiten.NewImageOptions{Unmanaged: true})
	a.image.WritePixels(p.img.Pix)
	return a, nil
}

// round paints a white shape of size by size whose coverage is a function of the distance from its centre.
func (p *packer) round(size int, coverage func(d float32) float32) region {
	at := p.place(size, size)
	for y := range size {
		for x := range size {
			dx, dy := float32(x)+0.5-float32(size)/2, float32(y)+0.5-float32(size)/2
			v := uint8(255*min(max(coverage(sqrt32(dx*dx+dy*dy)), 0), 1) + 0.5)
			p.img.SetRGBA(at.X+x, at.Y+y, color.RGBA{v, v, v, v})
		}
	}
	return region{float32(at.X), float32(at.Y), float32(at.X + size), float32(at.Y + size)}
}

// bake paints all glyphs of a font in one size.
func (p *packer) bake(to *face, ttf []byte, size float64) error {
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		return err
	}
	f, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return err
	}
	defer f.Close()
	var runes []rune
	for r := rune(firstRune); r <= lastRune; r++ {
		runes = append(runes, r)
	}
	runes = append(runes, []rune(extraRunes)...)
	for phase := range phases {
		to.glyphs[phase] = make([]glyph, len(runes))
		for i, r := range runes {
			dot := fixed.Point26_6{X: fixed.Int26_6(64 * phase / phases)}
			dr, mask, from, advance, ok := f.Glyph(dot, r)
			if !ok {
				continue
			}
			g := glyph{advance: float32(advance) / 64, ox: float32(dr.Min.X), oy: float32(dr.Min.Y)}
			if !dr.Empty() {
				at := p.place(dr.Dx(), dr.Dy())
				to8 := image.Rectangle{at, at.Add(dr.Size())}
				draw.DrawMask(p.img, to8, image.White, image.Point{}, mask, from, draw.Over)
				g.r = region{float32(at.X), float32(at.Y), float32(to8.Max.X), float32(to8.Max.Y)}
			}
			to.glyphs[phase][i] = g
		}
	}
	return nil
}
