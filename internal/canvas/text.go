package canvas

import (
	"math"
	"unicode/utf8"
)

// Text is a string, or the bytes of Canvas.Buf: numbers are formatted into a buffer that is used again, so writing them
// allocates nothing.

// next decodes one rune of s from i on. Broken UTF-8 shows as question marks.
func next[T ~string | ~[]byte](s T, i int) (r rune, size int) {
	switch c := s[i]; {
	case c < 0x80:
		return rune(c), 1
	case c < 0xE0 && i+1 < len(s):
		return rune(c&0x1F)<<6 | rune(s[i+1]&0x3F), 2
	case c < 0xF0 && i+2 < len(s):
		return rune(c&0x0F)<<12 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F), 3
	case c >= 0xF0 && i+3 < len(s): // the font has none of these
		return '?', 4
	}
	return '?', 1
}

// width returns how wide s is, in pixels.
func width[T ~string | ~[]byte](f *face, s T) float32 {
	var w float32
	for i := 0; i < len(s); {
		r, n := next(s, i)
		w += f.glyphs[0][f.index(r)].advance
		i += n
	}
	return w
}

// write writes s with its baseline's left end at (x, y) in pixels, and returns where it ends.
func write[T ~string | ~[]byte](c *Canvas, f *face, x, y float32, col Colour, s T) float32 {
	y = float32(math.Round(float64(y)))
	if c.svg != nil {
		w := width(f, s)
		c.svg.text(x, y, f.size, w, col, string(s))
		return x + w
	}
	for i := 0; i < len(s); {
		r, n := next(s, i)
		i += n
		base := float32(math.Floor(float64(x)))
		phase := min(int((x-base)*phases), phases-1)
		g := &f.glyphs[phase][f.index(r)]
		if g.r.U1 > g.r.U0 {
			px, py := base+g.ox, y+g.oy
			c.quad(px, py, px+g.r.U1-g.r.U0, py+g.r.V1-g.r.V0, g.r, col)
		}
		x += g.advance
	}
	return x
}

// cut returns what of s is at most so many pixels wide, without a part of a rune.
func cut[T ~string | ~[]byte](f *face, s T, room float32) T {
	for len(s) > 0 && width(f, s) > room {
		n := len(s) - 1
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return s
}

// line is write that cuts s to a width.
func line[T ~string | ~[]byte](c *Canvas, f *face, x, y, room float32, col Colour, s T) float32 {
	if width(f, s) <= room {
		return write(c, f, x, y, col, s)
	}
	end := write(c, f, x, y, col, cut(f, s, room-width(f, "…")))
	return write(c, f, end, y, col, "…")
}

// Width returns how wide s is, in units.
func (c *Canvas) Width(st Style, s string) float32 {
	return width(&c.atlas.faces[st], s) / c.atlas.Scale
}

// BytesWidth is Width of bytes, which may be those of Buf. It empties Buf, so that a Buf that has grown for b is kept,
// also if b is then too wide to be written.
func (c *Canvas) BytesWidth(st Style, b []byte) float32 {
	c.Buf = b[:0]
	return width(&c.atlas.faces[st], b) / c.atlas.Scale
}

// Text writes s with its baseline's left end at (x, y), and returns where it ends.
func (c *Canvas) Text(st Style, x, y float32, col Colour, s string) float32 {
	k := c.atlas.Scale
	return write(c, &c.atlas.faces[st], x*k, y*k, col, s) / k
}

// TextRight is Text with the right end at x.
func (c *Canvas) TextRight(st Style, x, y float32, col Colour, s string) {
	c.Text(st, x-c.Width(st, s), y, col, s)
}

// TextMid is Text with the middle at x.
func (c *Canvas) TextMid(st Style, x, y float32, col Colour, s string) {
	c.Text(st, x-c.Width(st, s)/2, y, col, s)
}

// TextIn is Text that is cut to a width.
func (c *Canvas) TextIn(st Style, x, y, w float32, col Colour, s string) float32 {
	k := c.atlas.Scale
	return line(c, &c.atlas.faces[st], x*k, y*k, w*k, col, s) / k
}

// Bytes is Text of bytes, which may be those of Buf. It empties Buf.
func (c *Canvas) Bytes(st Style, x, y float32, col Colour, b []byte) float32 {
	k := c.atlas.Scale
	c.Buf = b[:0]
	return write(c, &c.atlas.faces[st], x*k, y*k, col, b) / k
}

// BytesRight is Bytes with the right end at x. It returns the left end.
func (c *Canvas) BytesRight(st Style, x, y float32, col Colour, b []byte) float32 {
	x -= c.BytesWidth(st, b)
	c.Bytes(st, x, y, col, b)
	return x
}

// Wrap writes s in as many lines as there is room for, dy apart, and cuts the last one. Lines break at spaces.
func (c *Canvas) Wrap(st Style, r Rect, dy float32, col Colour, s []byte) {
	f, k := &c.atlas.faces[st], c.atlas.Scale
	for y := r.Y + dy - 3; len(s) > 0; y += dy {
		head := s
		if y+dy <= r.Y+r.H && width(f, s) > r.W*k {
			head = cut(f, s, r.W*k)
			for n := len(head); n > 0; n-- {
				if s[n] == ' ' {
					head = s[:n]
					break
				}
			}
		}
		line(c, f, r.X*k, y*k, r.W*k, col, head)
		if y+dy > r.Y+r.H {
			return
		}
		s = s[len(head):]
		for len(s) > 0 && s[0] == ' ' {
			s = s[1:]
		}
	}
}

// Label writes text on a pane that keeps it readable over bars and lines.
func (c *Canvas) Label(st Style, x, y float32, col Colour, b []byte) {
	c.Round(Rect{x - 3, y - 10, c.BytesWidth(st, b) + 6, 13}, 0.5, Glass)
	c.Bytes(st, x, y, col, b)
}
