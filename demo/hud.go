//go:build !headless

package main

import (
	"strconv"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/play"
)

// hud draws the overlay: panels of dark glass around a clear middle. It is laid out in units of its own,
// about a pixel of a 1280x720 window; scale turns them into device pixels, every edge is rounded to one,
// and so lines stay sharp on any screen. One batch, one image, no allocation per frame.
type hud struct {
	batch
	atlas *atlas
	theme theme
	scale float32 // device pixels per unit
	w, h  float32 // of the screen, in units
	buf   []byte  // scratch for numbers

	slider rect // where the track of the slider is, in units; the input asks
	card   rect // and where the panel of the mode is
}

// rect is a rectangle in units.
type rect struct{ x, y, w, h float32 }

func (r rect) contains(x, y float32) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// resize prepares for a screen of w by h device pixels whose display has so many device pixels per point.
// The atlas is painted anew when the scale has changed: 15 ms, once.
func (u *hud) resize(w, h int, device float32) error {
	scale := min(float32(w)/1280, float32(h)/720)
	scale = max(scale, 0.8*device) // below it letters of 10 units are no longer read with ease
	u.w, u.h = float32(w)/scale, float32(h)/scale
	if u.atlas != nil && u.scale == scale {
		return nil
	}
	a, err := newAtlas(scale)
	if err != nil {
		return err
	}
	if u.atlas != nil {
		u.atlas.image.Deallocate()
	}
	u.atlas, u.scale = a, scale
	if u.indices == nil {
		u.batch, u.theme = newBatch(), newTheme()
	}
	return nil
}

// px rounds a position in units to a device pixel.
func (u *hud) px(v float32) float32 { return float32(int(v*u.scale + 0.5)) }

// fill fills a rectangle.
func (u *hud) fill(x, y, w, h float32, c colour) {
	u.quad(u.px(x), u.px(y), u.px(x+w), u.px(y+h), u.atlas.white, c)
}

// hair draws a line of one device pixel: horizontal if w > 0, else vertical.
func (u *hud) hair(x, y, w, h float32, c colour) {
	x0, y0 := u.px(x), u.px(y)
	x1, y1 := u.px(x+w), u.px(y+h)
	if w > 0 {
		y1 = y0 + 1
	} else {
		x1 = x0 + 1
	}
	u.quad(x0, y0, x1, y1, u.atlas.white, c)
}

// round9 draws a rectangle with the corners of a round region: disc for a filled one.
func (u *hud) round9(r rect, k float32, c colour) {
	x0, y0, x1, y1 := u.px(r.x), u.px(r.y), u.px(r.x+r.w), u.px(r.y+r.h)
	d := min(u.atlas.radius*k, (x1-x0)/2, (y1-y0)/2)
	u.corners(x0, y0, x1, y1, d, u.atlas.disc, c)
	w := u.atlas.white
	u.quad(x0+d, y0, x1-d, y1, w, c)
	u.quad(x0, y0+d, x0+d, y1-d, w, c)
	u.quad(x1-d, y0+d, x1, y1-d, w, c)
}

func (u *hud) corners(x0, y0, x1, y1, d float32, s region, c colour) {
	mx, my := (s.u0+s.u1)/2, (s.v0+s.v1)/2
	u.quad(x0, y0, x0+d, y0+d, region{s.u0, s.v0, mx, my}, c)
	u.quad(x1-d, y0, x1, y0+d, region{mx, s.v0, s.u1, my}, c)
	u.quad(x0, y1-d, x0+d, y1, region{s.u0, my, mx, s.v1}, c)
	u.quad(x1-d, y1-d, x1, y1, region{mx, my, s.u1, s.v1}, c)
}

// panel draws a pane of glass with a title, and returns the rectangle for what it holds.
func (u *hud) panel(r rect, title string) rect {
	u.round9(r, 1, u.theme.glass)
	x0, y0, x1, y1 := u.px(r.x), u.px(r.y), u.px(r.x+r.w), u.px(r.y+r.h)
	d, e, w := u.atlas.radius, u.theme.edge, u.atlas.white
	u.corners(x0, y0, x1, y1, d, u.atlas.ring, e)
	u.quad(x0+d, y0, x1-d, y0+1, w, e)
	u.quad(x0+d, y1-1, x1-d, y1, w, e)
	u.quad(x0, y0+d, x0+1, y1-d, w, e)
	u.quad(x1-1, y0+d, x1, y1-d, w, e)
	if title == "" {
		return rect{r.x + pad, r.y + pad, r.w - 2*pad, r.h - 2*pad}
	}
	u.caption(r.x+pad, r.y+pad+8, title)
	return rect{r.x + pad, r.y + pad + 14, r.w - 2*pad, r.h - 2*pad - 14}
}

// pad is the space between a panel's edge and what it holds, gap the space between panels.
const (
	pad = 9
	gap = 8
)

// caption writes a small heading.
func (u *hud) caption(x, y float32, s string) { u.text(&u.atlas.small, x, y, u.theme.dim, s) }

func (u *hud) text(f *face, x, y float32, c colour, s string) float32 {
	return write(&u.batch, f, x*u.scale, y*u.scale, c, s) / u.scale
}

func (u *hud) right(f *face, x, y float32, c colour, s string) {
	writeRight(&u.batch, f, x*u.scale, y*u.scale, c, s)
}

// bytes and rightBytes write the scratch buffer and empty it.
func (u *hud) bytes(f *face, x, y float32, c colour, b []byte) float32 {
	u.buf = b[:0]
	return write(&u.batch, f, x*u.scale, y*u.scale, c, b) / u.scale
}

func (u *hud) rightBytes(f *face, x, y float32, c colour, b []byte) {
	u.buf = b[:0]
	writeRight(&u.batch, f, x*u.scale, y*u.scale, c, b)
}

// bar draws a share of a track, rounded.
func (u *hud) bar(r rect, share float32, c colour) {
	u.round9(r, 0.6, u.theme.track)
	if w := r.w * min(max(share, 0), 1); w >= 1 {
		u.round9(rect{r.x, r.y, max(w, r.h), r.h}, 0.6, c)
	}
}

// notes writes texts at places of the world, each on a small pane.
func (u *hud) notes(screen *ebiten.Image, notes []note) {
	u.begin(screen, u.atlas.image, ebiten.FilterNearest)
	for _, n := range notes {
		w := width(&u.atlas.small, n.text)/u.scale + 14
		r := rect{n.x/u.scale - w/2, n.y/u.scale + 4, w, 16}
		u.round9(r, 1, u.theme.glass)
		u.text(&u.atlas.small, r.x+7, r.y+11.5, u.theme.warn, n.text)
	}
}

// keys writes the line of keys along the lower edge, on a shade that keeps it readable over snow.
func (u *hud) keys(y float32) {
	w, top := u.atlas.white, y-26
	u.shaded(0, u.px(top), u.px(u.w), u.px(u.h), w, colour{}, colour{}, colour{a: 0.62}, colour{a: 0.62})
	x := float32(14)
	for _, k := range [...][2]string{
		{"M", "mode"}, {"1-5", "pick"}, {"+ -", "load"}, {"Space", "pause"}, {"Drag", "look"},
		{"S", "picture"}, {"H", "hide"}, {"R", "reset"}, {"Q", "quit"},
	} {
		x = u.text(&u.atlas.small, x, y, u.theme.text, k[0])
		x = u.text(&u.atlas.small, x+4, y, u.theme.dim, k[1]) + 13
		if x > u.w-240 {
			break
		}
	}
}

// modeCard names the mode and says how it does.
func (u *hud) modeCard(r rect, d *readout, h *play.History, ac colour) float32 {
	u.card = r
	in := u.panel(r, "")
	u.round9(rect{r.x, r.y + 10, 3, r.h - 20}, 0.4, ac)
	u.caption(in.x+2, in.y+8, "mode")
	hint := "M  next mode"
	if d.status != "" {
		hint = d.status
	}
	u.right(&u.atlas.small, in.x+in.w, in.y+8, u.theme.dim, hint)
	u.text(&u.atlas.huge, in.x+1, in.y+35, ac, d.mode)
	u.text(&u.atlas.small, in.x+2, in.y+51, u.theme.dim, u.fit(&u.atlas.small, d.says, in.w-2))

	quarter := in.w / 4
	y, x := in.y+77, in.x+2
	u.figure(x, y, play.AppendTenths(u.buf[:0], h.FPS()), "FPS", u.theme.text)
	u.figure(x+quarter, y, play.AppendTenths(u.buf[:0], h.FPS()*h.Updates), "TPS", u.theme.text)
	if h.Count == 0 {
		u.figure(x+2*quarter, y, append(u.buf[:0], "–"...), "p99 ms", u.theme.faint)
		u.figure(x+3*quarter, y, append(u.buf[:0], "–"...), "missed %", u.theme.faint)
		return r.h
	}
	m, p99 := h.MissedShare(), h.Percentile(99)
	c := u.theme.good
	if m >= 1 {
		c = u.theme.warn
	}
	if m >= 5 {
		c = u.theme.bad
	}
	worse := u.grade(p99 / play.Millis64(h.Target))
	u.figure(x+2*quarter, y, play.AppendTenths(u.buf[:0], p99), "p99 ms", worse)
	u.figure(x+3*quarter, y, play.AppendTenths(u.buf[:0], m), "missed %", c)
	return r.h
}

// figure writes a number with its unit below.
func (u *hud) figure(x, y float32, number []byte, unit string, c colour) {
	u.bytes(&u.atlas.title, x, y, c, number)
	u.text(&u.atlas.small, x, y+14, u.theme.dim, unit)
}

// grade colours an interval given in refreshes.
func (u *hud) grade(refreshes float64) colour {
	switch {
	case refreshes < 1.25:
		return u.theme.text
	case refreshes < 2.25:
		return u.theme.warn
	}
	return u.theme.bad
}

// loadCard is the slider.
func (u *hud) loadCard(r rect, d *readout, ac colour) float32 {
	in := u.panel(r, "load")
	b := append(strconv.AppendFloat(u.buf[:0], d.load, 'f', 2, 64), "×"...)
	u.rightBytes(&u.atlas.mono, in.x+in.w, r.y+pad+8, u.theme.text, b)
	u.slider = rect{in.x, in.y + 2, in.w, 12}
	share := float32(d.load / d.maxLoad)
	track := rect{in.x, in.y + 6, in.w, 4}
	u.bar(track, share, ac)
	full := in.x + in.w*float32(1/d.maxLoad)
	u.hair(full, in.y+2, 0, 12, u.theme.faint) // 1 = what fits
	knob := float32(11)
	if d.pointed || d.dragging {
		knob = 13
	}
	u.round9(rect{in.x + in.w*share - knob/2, in.y + 8 - knob/2, knob, knob}, 3, u.theme.text)

	y := in.y + 28
	x := u.text(&u.atlas.small, in.x, y, u.theme.dim, "offered ")
	x = u.bytes(&u.atlas.small, x, y, u.theme.text, strconv.AppendInt(u.buf[:0], int64(d.offered+0.5), 10))
	x = u.text(&u.atlas.small, x, y, u.theme.dim, "   done ")
	x = u.bytes(&u.atlas.small, x, y, u.theme.text, strconv.AppendInt(u.buf[:0], int64(d.done+0.5), 10))
	if d.dropped >= 0.5 {
		x = u.text(&u.atlas.small, x, y, u.theme.dim, "   dropped ")
		b := strconv.AppendInt(u.buf[:0], int64(d.dropped+0.5), 10)
		x = u.bytes(&u.atlas.small, x, y, u.theme.warn, b)
	}
	u.text(&u.atlas.small, x, y, u.theme.dim, " /s")
	return r.h
}

// hitchCard names the worst offender of the last late frame.
func (u *hud) hitchCard(r rect, d *readout, h *play.History, now deadline.Instant) {
	in := u.panel(r, "last hitch")
	if d.hitch.Late == 0 {
		u.text(&u.atlas.body, in.x, in.y+14, u.theme.good, "none yet")
		return
	}
	ago := now.Sub(d.hitch.At).Seconds()
	fresh := float32(max(0, 1-ago/2))
	b := strconv.AppendFloat(u.buf[:0], ago, 'f', 1, 64)
	u.rightBytes(&u.atlas.small, in.x+in.w, r.y+pad+8, u.theme.dim, append(b, " s ago"...))
	c := u.grade(float64(d.hitch.Late) / float64(h.Target))
	c = u.theme.text.mix(c, 0.5+fresh/2)
	u.bytes(&u.atlas.strong, in.x, in.y+12, c, play.AppendMillis(u.buf[:0], d.hitch.Late))
	u.line(in.x, in.y+27, in.w, d.hitch.Cause)
}
