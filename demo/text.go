//go:build !headless

package main

import "math"

// A span of text is a string or the bytes of a scratch buffer: numbers are formatted into a buffer that is
// used again, so writing them allocates nothing.

// next decodes one rune of s from i on. The overlay's text is its own, so that broken UTF-8 does not come
// up; it would show as question marks.
func next[T ~string | ~[]byte](s T, i int) (r rune, size int) {
	switch c := s[i]; {
	case c < 0x80:
		return rune(c), 1
	case c < 0xE0 && i+1 < len(s):
		return rune(c&0x1F)<<6 | rune(s[i+1]&0x3F), 2
	case c < 0xF0 && i+2 < len(s):
		return rune(c&0x0F)<<12 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F), 3
	}
	return '?', 1
}

// width returns how wide s is, in device pixels.
func width[T ~string | ~[]byte](f *face, s T) float32 {
	var w float32
	for i := 0; i < len(s); {
		r, n := next(s, i)
		w += f.glyphs[0][glyphIndex(r)].advance
		i += n
	}
	return w
}

// write draws s with its baseline's left end at (x, y) and returns where it ends.
func write[T ~string | ~[]byte](b *batch, f *face, x, y float32, c colour, s T) float32 {
	y = float32(math.Round(float64(y)))
	for i := 0; i < len(s); {
		r, n := next(s, i)
		i += n
		base := float32(math.Floor(float64(x)))
		phase := min(int((x-base)*phases), phases-1)
		g := &f.glyphs[phase][glyphIndex(r)]
		if g.r.u1 > g.r.u0 {
			px, py := base+g.ox, y+g.oy
			b.quad(px, py, px+g.r.w(), py+g.r.h(), g.r, c)
		}
		x += g.advance
	}
	return x
}

// writeRight is write with the right end at x.
func writeRight[T ~string | ~[]byte](b *batch, f *face, x, y float32, c colour, s T) {
	write(b, f, x-width(f, s), y, c, s)
}

// writeMid is write with the middle at x.
func writeMid[T ~string | ~[]byte](b *batch, f *face, x, y float32, c colour, s T) {
	write(b, f, x-width(f, s)/2, y, c, s)
}

func sqrt32(v float32) float32 { return float32(math.Sqrt(float64(v))) }
