package canvas

import (
	"image"
	"strings"
	"testing"
)

// testFace has letters of one pixel.
func testFace() *face {
	f := new(face)
	for phase := range f.glyphs {
		f.glyphs[phase] = make([]glyph, 256)
		for i := range f.glyphs[phase] {
			f.glyphs[phase][i] = glyph{advance: 1, r: Region{0, 0, 1, 1}}
		}
	}
	return f
}

func testCanvas() *Canvas {
	a := &Atlas{Scale: 1}
	for s := range a.faces {
		a.faces[s] = *testFace()
	}
	c := new(Canvas)
	c.Begin(a, 100, 100)
	return c
}

// What is cut says so, and is cut between letters.
func TestCutText(t *testing.T) {
	for _, c := range [][2]string{
		{"whole", "whole"}, {"sixsix", "sixs…"}, {"äöüßäö", "äöüß…"}, {"aaa・・・", "aaa・…"}, {"", ""},
	} {
		room := float32(5)
		if width(testFace(), c[0]) <= room != (c[0] == c[1]) {
			t.Errorf("%q is %v wide", c[0], width(testFace(), c[0]))
		}
		want := strings.TrimSuffix(c[1], "…")
		if got := cut(testFace(), c[0], room-1); c[0] != c[1] && got != want {
			t.Errorf("%q in four letters is %q, want %q", c[0], got, want)
		}
		canvas := testCanvas()
		end := canvas.TextIn(Small, 0, 0, room, White, c[0])
		if n := len([]rune(c[1])); int(end) != n || len(canvas.Quads) != n {
			t.Errorf("%q ends at %v with %d letters, want %d", c[0], end, len(canvas.Quads), n)
		}
	}
}

// Lines break at spaces. The last line for which there is room is cut.
func TestWrappedText(t *testing.T) {
	for _, c := range []struct {
		text  string
		lines []int // letters in each
	}{
		{"one two", []int{7}}, {"one two three", []int{7, 5}}, {"one two three four five", []int{7, 8}},
		{"onetwothreefour", []int{8, 7}}, {"", nil},
	} {
		canvas := testCanvas()
		canvas.Wrap(Small, Rect{0, 0, 8, 24}, 12, White, []byte(c.text))
		var got []int
		for i, q := range canvas.Quads {
			if i == 0 || q.Y0 != canvas.Quads[i-1].Y0 {
				got = append(got, 0)
			}
			got[len(got)-1]++
		}
		if len(got) != len(c.lines) {
			t.Errorf("%q has lines of %v letters, want %v", c.text, got, c.lines)
			continue
		}
		for i := range got {
			if got[i] != c.lines[i] {
				t.Errorf("%q has lines of %v letters, want %v", c.text, got, c.lines)
			}
		}
	}
}

// A line covers each column of pixels once, from its highest to its lowest place there. The pixels at its edges are as
// opaque as they are covered.
func TestLine(t *testing.T) {
	for name, c := range map[string]struct {
		pts  []Point
		want map[image.Point]float32 // opacity
	}{
		"flat":     {[]Point{{2, 5.5}, {7, 5.5}}, map[image.Point]float32{{4, 5}: 1, {4, 4}: 0, {4, 6}: 0}},
		"between":  {[]Point{{2, 5.25}, {7, 5.25}}, map[image.Point]float32{{4, 4}: 0.25, {4, 5}: 0.75, {4, 6}: 0}},
		"upright":  {[]Point{{3.5, 2}, {3.5, 8}}, map[image.Point]float32{{3, 2}: 1, {3, 7}: 1, {2, 5}: 0, {4, 5}: 0}},
		"diagonal": {[]Point{{2, 2}, {8, 8}}, map[image.Point]float32{{5, 5}: 1, {5, 8}: 0, {5, 2}: 0}},
		"dot":      {[]Point{{5.5, 5.5}}, map[image.Point]float32{{5, 5}: 1, {5, 4}: 0, {6, 5}: 0}},
		"none":     {nil, map[image.Point]float32{{0, 0}: 0}},
	} {
		canvas := testCanvas()
		canvas.Line(c.pts, 1, White)
		for p, want := range c.want {
			got := float32(0)
			for _, q := range canvas.Quads {
				if x, y := float32(p.X)+0.5, float32(p.Y)+0.5; x > q.X0 && x < q.X1 && y > q.Y0 && y < q.Y1 {
					got += q.A
				}
			}
			if got < want-0.01 || got > want+0.01 {
				t.Errorf("%s: the pixel %v is %v opaque, want %v", name, p, got, want)
			}
		}
	}
}

// As SVG boxes of one colour are one path, and a text is one element of its width.
func TestSVG(t *testing.T) {
	c := testCanvas()
	c.BeginSVG(c.atlas, 100, 50)
	c.Fill(Rect{0, 1, 2, 3}, Hex(0xFF0000))
	c.Fill(Rect{4, 1, 2, 3}, Hex(0xFF0000))
	c.Fill(Rect{0, 0, 1, 1}, Hex(0x0000FF).Fade(0.5))
	c.Line([]Point{{1, 2}, {1, 3}, {4, 3}, {5, 4}}, 2, White)
	c.Text(Small, 7, 8, White, "a<b")
	const want = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50" ` +
		`font-family="Go, sans-serif" font-weight="500">
<path fill="#ff0000" d="M0,1H2V4H0zM4,1H6V4H4z"/>
<path fill="#0000ff" fill-opacity="0.5" d="M0,0H1V1H0z"/>
<path fill="none" stroke="#f3f1ea" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" d="M1,2V3H4L5,4h0"/>
<text x="7" y="8" font-size="0" textLength="3" lengthAdjust="spacingAndGlyphs" fill="#f3f1ea">a&lt;b</text>
</svg>
`
	if got := c.SVG(); got != want || len(c.Quads) > 0 {
		t.Errorf("%d quads and\n%s", len(c.Quads), got)
	}
}

// Every glyph lies in the picture, apart from the others, and is not empty. Digits are of one width, so that numbers do
// not dance.
func TestAtlas(t *testing.T) {
	for _, scale := range []float32{1, 1.25, 2, 3, 6} {
		a, err := Bake(scale, Small, Huge)
		if err != nil {
			t.Fatal(err)
		}
		taken := image.NewAlpha(a.Picture.Rect)
		for s, f := range a.faces {
			if style := Style(s); style != Small && style != Huge {
				continue
			}
			zero := f.glyphs[0][f.index('0')].advance
			for _, glyphs := range f.glyphs {
				for i, g := range glyphs {
					r := image.Rect(int(g.r.U0), int(g.r.V0), int(g.r.U1), int(g.r.V1))
					if blank := i == f.index(' '); r.Empty() != blank || !r.In(a.Picture.Rect) || g.advance <= 0 {
						t.Fatalf("scale %v: glyph %d of style %d: %+v", scale, i, s, g)
					}
					for y := r.Min.Y; y < r.Max.Y; y++ {
						for x := r.Min.X; x < r.Max.X; x++ {
							if taken.AlphaAt(x, y).A != 0 {
								t.Fatalf("scale %v: glyph %d of style %d has the place of another one", scale, i, s)
							}
							taken.Pix[taken.PixOffset(x, y)] = 1
						}
					}
					if d := f.index('0'); i >= d && i < d+10 && g.advance != zero {
						t.Errorf("scale %v: the digit %d is %v wide, and 0 is %v", scale, i-d, g.advance, zero)
					}
				}
			}
		}
	}
}
