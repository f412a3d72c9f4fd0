package canvas

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// svg prints what is drawn as elements. Boxes of one colour that follow one another are one path.
type svg struct {
	strings.Builder
	boxes Colour // of the path that is open
	open  bool
}

// BeginSVG empties the canvas, which then prints boxes, lines and texts as SVG, of w by h pixels, instead of quads. A
// text has the width that it has in the atlas, whatever font the reader has. Corners are not round.
func (c *Canvas) BeginSVG(a *Atlas, w, h int) {
	c.Begin(a, w, h)
	c.svg = &svg{}
	fmt.Fprintf(c.svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" ", w, h)
	c.svg.WriteString("font-family=\"Go, sans-serif\" font-weight=\"500\">\n")
}

// SVG returns the drawing that BeginSVG began, and ends it.
func (c *Canvas) SVG() string {
	c.svg.end()
	c.svg.WriteString("</svg>\n")
	return c.svg.String()
}

// end ends a path of boxes.
func (s *svg) end() {
	if s.open {
		s.WriteString("\"/>\n")
	}
	s.open = false
}

func (s *svg) box(x0, y0, x1, y1 float32, col Colour) {
	if !s.open || s.boxes != col {
		s.end()
		fmt.Fprintf(s, `<path %s d="`, col.svg("fill"))
		s.boxes, s.open = col, true
	}
	fmt.Fprintf(s, "M%g,%gH%gV%gH%gz", x0, y0, x1, y1, x0)
}

func (s *svg) line(pts []Point, width float32, col Colour) {
	s.end()
	fmt.Fprintf(s, `<path fill="none" %s stroke-width="%g" stroke-linecap="round" stroke-linejoin="round" d="`,
		col.svg("stroke"), width)
	var last Point
	for i, p := range pts {
		p = Point{tenth(p.X), tenth(p.Y)}
		switch {
		case i == 0:
			fmt.Fprintf(s, "M%g,%g", p.X, p.Y)
		case p.X == last.X:
			fmt.Fprintf(s, "V%g", p.Y)
		case p.Y == last.Y:
			fmt.Fprintf(s, "H%g", p.X)
		default:
			fmt.Fprintf(s, "L%g,%g", p.X, p.Y)
		}
		last = p
	}
	s.WriteString("h0\"/>\n") // of a single point the caps are a dot
}

func (s *svg) text(x, y, size, wide float32, col Colour, t string) {
	s.end()
	fmt.Fprintf(s, `<text x="%g" y="%g" font-size="%g" textLength="%g" lengthAdjust="spacingAndGlyphs" %s>`,
		tenth(x), y, tenth(size), tenth(wide), col.svg("fill"))
	_ = xml.EscapeText(s, []byte(t)) // a Builder has no errors
	s.WriteString("</text>\n")
}

func tenth(v float32) float32 { return float32(math.Round(10*float64(v)) / 10) }

// svg returns the colour as attributes of a fill or a stroke.
func (c Colour) svg(of string) string {
	s := fmt.Sprintf(`%s="%s"`, of, c.Hex())
	if c.A < 1 {
		s += fmt.Sprintf(` %s-opacity="%.3g"`, of, c.A)
	}
	return s
}
