package canvas

import (
	"image"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// A Style is a size of text.
type Style uint8

// The styles, from the smallest one.
const (
	Small Style = iota
	Strong
	Title
	Huge
	numStyles
)

// units is the size of each style.
var units = [numStyles]float32{Small: 10.5, Strong: 12.5, Title: 15, Huge: 27}

// An Atlas is the one picture behind a canvas: glyphs, corners, a white pixel. One picture means one draw call. Glyphs
// are painted at three horizontal offsets, so text is spaced to a third of a pixel and stays crisp.
type Atlas struct {
	Picture *image.RGBA // white, premultiplied
	Scale   float32     // pixels per unit

	white  Region // one opaque pixel, sampled in its middle
	disc   Region // of radius
	ring   Region // one pixel wide, of radius
	radius float32

	faces [numStyles]face
	more  map[rune]int // the glyphs beyond ASCII
}

const (
	phases    = 3 // horizontal offsets of a glyph
	firstRune = ' '
	lastRune  = '~'
)

// extraRunes are the runes beyond ASCII that have a glyph in every atlas.
const extraRunes = "µ·–×°…≤≥→←↑↓"

// face is the font in one size.
type face struct {
	size   float32 // in pixels
	more   map[rune]int
	glyphs [phases][]glyph // by index
}

type glyph struct {
	r       Region
	ox, oy  float32 // of the region's corner from the pen
	advance float32
}

// index returns where a rune's glyph is: ASCII first, then the others, and '?' for one that has none.
func (f *face) index(r rune) int {
	if r >= firstRune && r <= lastRune {
		return int(r - firstRune)
	}
	if i, ok := f.more[r]; ok {
		return i
	}
	return '?' - firstRune
}

// packer places rectangles on shelves, in a picture that grows downwards.
type packer struct {
	img         *image.RGBA
	x, y, shelf int
}

// place returns the corner of a free rectangle of w by h, one transparent pixel around it.
func (p *packer) place(w, h int) image.Point {
	size := p.img.Rect.Max
	if p.x+w+1 > size.X {
		p.x, p.y, p.shelf = 1, p.y+p.shelf+1, 0
	}
	if p.y+h+1 > size.Y {
		more := image.NewRGBA(image.Rect(0, 0, size.X, max(2*size.Y, p.y+h+1)))
		copy(more.Pix, p.img.Pix)
		p.img = more
	}
	at := image.Pt(p.x, p.y)
	p.x += w + 1
	p.shelf = max(p.shelf, h)
	return at
}

// Bake paints an atlas with some styles, at so many pixels per unit. It takes some milliseconds for each style.
func Bake(scale float32, styles ...Style) (*Atlas, error) { return BakeFor("", scale, styles...) }

// BakeFor is Bake of an atlas that has the glyphs of a text, too, as far as the font has them.
func BakeFor(text string, scale float32, styles ...Style) (*Atlas, error) {
	a := &Atlas{Scale: scale, more: map[rune]int{}}
	parsed, err := opentype.Parse(gomedium.TTF)
	if err != nil {
		return nil, err
	}
	var runes []rune
	for r := rune(firstRune); r <= lastRune; r++ {
		runes = append(runes, r)
	}
	for _, r := range extraRunes + text {
		if i, err := parsed.GlyphIndex(nil, r); a.more[r] == 0 && r > lastRune && i > 0 && err == nil {
			a.more[r] = len(runes)
			runes = append(runes, r)
		}
	}
	p := &packer{img: image.NewRGBA(image.Rect(0, 0, 512*int(math.Ceil(float64(scale)/2)), 128)), x: 1, y: 1}

	at := p.place(3, 3)
	draw.Draw(p.img, image.Rectangle{at, at.Add(image.Pt(3, 3))}, image.White, image.Point{}, draw.Src)
	a.white = Region{float32(at.X) + 1.5, float32(at.Y) + 1.5, float32(at.X) + 1.5, float32(at.Y) + 1.5}

	r := int(6*scale + 0.5)
	a.radius = float32(r)
	a.disc = p.round(2*r, func(d float32) float32 { return float32(r) - d + 0.5 })
	a.ring = p.round(2*r, func(d float32) float32 { return min(float32(r)-d+0.5, d-float32(r)+1.5) })

	for _, s := range styles {
		a.faces[s] = face{size: units[s] * scale, more: a.more}
		if err := p.bake(&a.faces[s], parsed, runes); err != nil {
			return nil, err
		}
	}
	a.Picture = p.img.SubImage(image.Rect(0, 0, p.img.Rect.Max.X, p.y+p.shelf+1)).(*image.RGBA)
	return a, nil
}

// round paints a white shape of size by size whose coverage is a function of the distance from its centre.
func (p *packer) round(size int, coverage func(d float32) float32) Region {
	at := p.place(size, size)
	for y := range size {
		for x := range size {
			dx, dy := float64(x)+0.5-float64(size)/2, float64(y)+0.5-float64(size)/2
			v := uint8(255*min(max(coverage(float32(math.Hypot(dx, dy))), 0), 1) + 0.5)
			i := p.img.PixOffset(at.X+x, at.Y+y)
			p.img.Pix[i], p.img.Pix[i+1], p.img.Pix[i+2], p.img.Pix[i+3] = v, v, v, v
		}
	}
	return Region{float32(at.X), float32(at.Y), float32(at.X + size), float32(at.Y + size)}
}

// bake paints the glyphs of the font in one size.
func (p *packer) bake(to *face, parsed *opentype.Font, runes []rune) error {
	o := opentype.FaceOptions{Size: float64(to.size), DPI: 72, Hinting: font.HintingNone}
	f, err := opentype.NewFace(parsed, &o)
	if err != nil {
		return err
	}
	defer f.Close()
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
				g.r = Region{float32(at.X), float32(at.Y), float32(to8.Max.X), float32(to8.Max.Y)}
			}
			to.glyphs[phase][i] = g
		}
	}
	return nil
}
