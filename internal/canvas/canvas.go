// Package canvas draws boxes, lines and texts: the panels over a game's picture, and the pictures of frame times. It
// needs no graphics library: a Canvas is a list of quads, each of which takes its pixels from one picture, the Atlas. A
// host draws the list in one call. Paint draws the list into an image, as for a PNG. A canvas that BeginSVG begins
// prints SVG instead of quads.
//
// Positions are in units, about a pixel of a window of 1280x720. The atlas says how many pixels a unit has. Every edge
// is rounded to a pixel, so lines stay sharp at any scale. Nothing allocates once the list has grown.
package canvas

// A Region is a rectangle of the atlas, in its pixels.
type Region struct{ U0, V0, U1, V1 float32 }

// A Quad draws a region of the atlas into a rectangle of the screen, in pixels, times a colour.
type Quad struct {
	X0, Y0, X1, Y1 float32
	Region
	Colour
}

// A Rect is a rectangle in units.
type Rect struct{ X, Y, W, H float32 }

// Contains reports whether the point is in r.
func (r Rect) Contains(x, y float32) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Inset returns r without a margin.
func (r Rect) Inset(by float32) Rect { return Rect{r.X + by, r.Y + by, r.W - 2*by, r.H - 2*by} }

// A Canvas collects quads. The zero Canvas is ready for Begin.
type Canvas struct {
	Quads []Quad
	W, H  float32 // of the screen, in units
	Buf   []byte  // scratch for numbers; Bytes, BytesRight and BytesWidth empty it

	atlas *Atlas
	svg   *svg // nil: quads
}

// Begin empties the canvas for a screen of w by h pixels.
func (c *Canvas) Begin(a *Atlas, w, h int) {
	c.Quads, c.atlas, c.svg = c.Quads[:0], a, nil
	c.W, c.H = float32(w)/a.Scale, float32(h)/a.Scale
}

// Scale returns how many pixels a unit has.
func (c *Canvas) Scale() float32 { return c.atlas.Scale }

// Snap rounds a position in units to a pixel.
func (c *Canvas) Snap(v float32) float32 { return c.px(v) / c.atlas.Scale }

// px returns the pixel of a position in units.
func (c *Canvas) px(v float32) float32 { return float32(int(v*c.atlas.Scale + 0.5)) }

func (c *Canvas) quad(x0, y0, x1, y1 float32, r Region, col Colour) {
	if c.svg != nil {
		c.svg.box(x0, y0, x1, y1, col)
		return
	}
	c.Quads = append(c.Quads, Quad{x0, y0, x1, y1, r, col})
}

// Fill fills a rectangle.
func (c *Canvas) Fill(r Rect, col Colour) {
	c.quad(c.px(r.X), c.px(r.Y), c.px(r.X+r.W), c.px(r.Y+r.H), c.atlas.white, col)
}

// Hair draws a line of one pixel: horizontal if w > 0, else vertical.
func (c *Canvas) Hair(x, y, w, h float32, col Colour) {
	x0, y0, x1, y1 := c.px(x), c.px(y), c.px(x+w), c.px(y+h)
	if w > 0 {
		y1 = y0 + 1
	} else {
		x1 = x0 + 1
	}
	c.quad(x0, y0, x1, y1, c.atlas.white, col)
}

// Round fills a rectangle with round corners, k times as round as those of a panel.
func (c *Canvas) Round(r Rect, k float32, col Colour) {
	x0, y0, x1, y1 := c.px(r.X), c.px(r.Y), c.px(r.X+r.W), c.px(r.Y+r.H)
	d := min(float32(int(c.atlas.radius*k+0.5)), float32(int(min(x1-x0, y1-y0)/2)))
	c.corners(x0, y0, x1, y1, d, c.atlas.disc, col)
	w := c.atlas.white
	c.quad(x0+d, y0, x1-d, y1, w, col)
	c.quad(x0, y0+d, x0+d, y1-d, w, col)
	c.quad(x1-d, y0+d, x1, y1-d, w, col)
}

func (c *Canvas) corners(x0, y0, x1, y1, d float32, s Region, col Colour) {
	mx, my := (s.U0+s.U1)/2, (s.V0+s.V1)/2
	c.quad(x0, y0, x0+d, y0+d, Region{s.U0, s.V0, mx, my}, col)
	c.quad(x1-d, y0, x1, y0+d, Region{mx, s.V0, s.U1, my}, col)
	c.quad(x0, y1-d, x0+d, y1, Region{s.U0, my, mx, s.V1}, col)
	c.quad(x1-d, y1-d, x1, y1, Region{mx, my, s.U1, s.V1}, col)
}

// Pad is the space between a panel's edge and what it holds, and Gap the space between panels.
const (
	Pad = 8
	Gap = 6
)

// captionHeight is what a panel's title takes.
const captionHeight = 14

// Panel draws a pane of glass with a title, which may be empty, and returns the rectangle for what it holds.
func (c *Canvas) Panel(r Rect, title string) Rect {
	c.Round(r, 1, Glass)
	x0, y0, x1, y1 := c.px(r.X), c.px(r.Y), c.px(r.X+r.W), c.px(r.Y+r.H)
	d, w := c.atlas.radius, c.atlas.white
	c.corners(x0, y0, x1, y1, d, c.atlas.ring, Edge)
	c.quad(x0+d, y0, x1-d, y0+1, w, Edge)
	c.quad(x0+d, y1-1, x1-d, y1, w, Edge)
	c.quad(x0, y0+d, x0+1, y1-d, w, Edge)
	c.quad(x1-1, y0+d, x1, y1-d, w, Edge)
	in := r.Inset(Pad)
	if title != "" {
		c.Text(Small, in.X, in.Y+8, Dim, title)
		in.Y, in.H = in.Y+captionHeight, in.H-captionHeight
	}
	return in
}

// Bar draws a share of a track, rounded.
func (c *Canvas) Bar(r Rect, share float32, col Colour) {
	c.Round(r, 0.6, Track)
	if w := r.W * min(max(share, 0), 1); w >= 1 {
		c.Round(Rect{r.X, r.Y, max(w, min(r.H, r.W)), r.H}, 0.6, col)
	}
}
