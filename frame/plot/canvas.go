package plot

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"sort"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// point is a place in pixels, from the top left.
type point struct{ x, y float64 }

// rect is an area in pixels.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) w() float64 { return r.x1 - r.x0 }
func (r rect) h() float64 { return r.y1 - r.y0 }

// canvas draws smooth lines, areas and text on a picture.
type canvas struct {
	img           *image.RGBA
	regular, bold *opentype.Font
	faces         map[style]font.Face
	raster        *vector.Rasterizer
	clip          image.Rectangle
}

func newCanvas() (*canvas, error) {
	regular, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	bold, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return nil, err
	}
	c := &canvas{
		img: image.NewRGBA(image.Rect(0, 0, width, height)), regular: regular, bold: bold,
		faces: map[style]font.Face{}, raster: vector.NewRasterizer(1, 1),
	}
	c.clip = c.img.Bounds()
	draw.Draw(c.img, c.clip, image.NewUniform(ground), image.Point{}, draw.Src)
	return c, nil
}

// within limits what f draws to r.
func (c *canvas) within(r rect, f func()) {
	old := c.clip
	c.clip = old.Intersect(image.Rect(int(math.Floor(r.x0)), int(math.Floor(r.y0)), int(math.Ceil(r.x1)),
		int(math.Ceil(r.y1))))
	f()
	c.clip = old
}

// box fills r.
func (c *canvas) box(r rect, col color.NRGBA) {
	c.fill(col, []point{{r.x0, r.y0}, {r.x0, r.y1}, {r.x1, r.y1}, {r.x1, r.y0}})
}

// hline and vline draw a crisp line, one pixel wide.
func (c *canvas) hline(x0, x1, y float64, col color.NRGBA) {
	y = math.Round(y - 0.5)
	c.box(rect{x0, y, x1, y + 1}, col)
}

func (c *canvas) vline(x, y0, y1 float64, col color.NRGBA) {
	x = math.Round(x - 0.5)
	c.box(rect{x, y0, x + 1, y1}, col)
}

// fill fills polygons as one area: where they overlap nothing is drawn twice. All must run the same way
// around.
func (c *canvas) fill(col color.NRGBA, polygons ...[]point) {
	lo, hi := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, poly := range polygons {
		for _, p := range poly {
			lo = point{min(lo.x, p.x), min(lo.y, p.y)}
			hi = point{max(hi.x, p.x), max(hi.y, p.y)}
		}
	}
	if !(lo.x <= hi.x && lo.y <= hi.y) {
		return
	}
	area := image.Rect(clampInt(math.Floor(lo.x)), clampInt(math.Floor(lo.y)), clampInt(math.Ceil(hi.x)),
		clampInt(math.Ceil(hi.y))).Intersect(c.clip)
	if area.Empty() {
		return
	}
	c.raster.Reset(area.Dx(), area.Dy())
	at := func(p point) (x, y float32) {
		return float32(p.x - float64(area.Min.X)), float32(p.y - float64(area.Min.Y))
	}
	for _, poly := range polygons {
		for i, p := range poly {
			x, y := at(p)
			if i == 0 {
				c.raster.MoveTo(x, y)
				continue
			}
			c.raster.LineTo(x, y)
		}
		c.raster.ClosePath()
	}
	c.raster.Draw(c.img, area, image.NewUniform(col), image.Point{})
}

// clampInt keeps a coordinate within what the rasterizer computes exactly.
func clampInt(f float64) int { return int(min(max(f, -1<<15), 1<<15)) }

// line draws a polyline of the given width with round joints.
func (c *canvas) line(pts []point, width float64, col color.NRGBA) {
	var polys [][]point
	h := width / 2
	for i, p := range pts {
		if i > 0 {
			q := pts[i-1]
			if l := math.Hypot(p.x-q.x, p.y-q.y); l > 0 {
				nx, ny := -(p.y-q.y)/l*h, (p.x-q.x)/l*h
				polys = append(polys, []point{
					{q.x + nx, q.y + ny}, {p.x + nx, p.y + ny}, {p.x - nx, p.y - ny}, {q.x - nx, q.y - ny},
				})
			}
		}
		polys = append(polys, disc(p, h))
	}
	c.fill(col, polys...)
}

// dashed draws a straight line as dashes of on pixels with gaps of off.
func (c *canvas) dashed(from, to point, width, on, off float64, col color.NRGBA) {
	l := math.Hypot(to.x-from.x, to.y-from.y)
	at := func(d float64) point { return point{from.x + (to.x-from.x)*d/l, from.y + (to.y-from.y)*d/l} }
	for d := 0.0; d < l; d += on + off {
		c.line([]point{at(d), at(min(d+on, l))}, width, col)
	}
}

// disc returns a circle which runs the way around that line's segments do.
func disc(p point, radius float64) []point {
	n := min(max(8, int(radius*4)), 64)
	pts := make([]point, n)
	for i := range pts {
		s, co := math.Sincos(-2 * math.Pi * float64(i) / float64(n))
		pts[i] = point{p.x + radius*co, p.y + radius*s}
	}
	return pts
}

func (c *canvas) dot(p point, radius float64, col color.NRGBA) { c.fill(col, disc(p, radius)) }

// style is how text looks; size is in pixels.
type style struct {
	size float64
	bold bool
	col  color.NRGBA
}

func (c *canvas) face(s style) font.Face {
	key := style{size: s.size, bold: s.bold}
	f, ok := c.faces[key]
	if !ok {
		src := c.regular
		if s.bold {
			src = c.bold
		}
		// The fonts parsed, so a face can fail only for its options, which are in range.
		options := opentype.FaceOptions{Size: s.size, DPI: 72, Hinting: font.HintingFull}
		f, _ = opentype.NewFace(src, &options)
		c.faces[key] = f
	}
	return f
}

// textWidth returns how wide a text is, in pixels.
func (c *canvas) textWidth(t string, s style) float64 {
	return float64(font.MeasureString(c.face(s), t)) / 64
}

// text writes t with its base line at y; align is 0 to begin at x, 0.5 to centre there, 1 to end there.
func (c *canvas) text(t string, x, y, align float64, s style) {
	x -= align * c.textWidth(t, s)
	sub, _ := c.img.SubImage(c.clip).(draw.Image)
	d := font.Drawer{Dst: sub, Src: image.NewUniform(s.col), Face: c.face(s)}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6(math.Round(x) * 64), Y: fixed.Int26_6(math.Round(y) * 64)}
	d.DrawString(t)
}

// fit shortens t with an ellipsis until it is at most width wide.
func (c *canvas) fit(t string, width float64, s style) string {
	if c.textWidth(t, s) <= width {
		return t
	}
	r := []rune(t)
	n := sort.Search(len(r), func(n int) bool { return c.textWidth(string(r[:n+1])+"…", s) > width })
	return string(r[:n]) + "…"
}
