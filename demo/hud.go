//go:build !headless

package main

import (
	"image"
	"strconv"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/ebitenhost"
	"github.com/frameslice/frameslice/internal/canvas"
	"github.com/frameslice/frameslice/internal/words"
)

// hud draws what only this program has: the mode, the load, the keys, and passing messages. How the frames do is the
// library's overlay, as any game has it.
type hud struct {
	batch
	canvas.Canvas
	overlay ebitenhost.Overlay
	atlas   *canvas.Atlas
	image   *ebiten.Image // of the atlas

	upper *ebiten.Image // the part of a screen that has the overlay
	of    *ebiten.Image // the screen that it is a part of

	slider canvas.Rect // where the track of the slider is; the input asks
	card   canvas.Rect // and where the panel of the mode is

	taps []canvas.Rect // where the hints are
}

// accent returns the colour of a mode.
func accent(mode string) canvas.Colour {
	switch mode {
	case "inline", "inline-budget":
		return canvas.Hex(0xFF7A66)
	case "goroutines":
		return canvas.Hex(0xFFB84D)
	case "workers":
		return canvas.Hex(0xB79CFF)
	case "errgroup":
		return canvas.Hex(0xFF8CC6)
	case "idle":
		return canvas.Hex(0xA9B4C2)
	}
	return canvas.Hex(0x4FE0B5) // frameslice
}

// Heights of the line of keys and of the panels, and their width.
const (
	keysHeight = 24
	modeHeight = 66
	loadHeight = 76
	cardWidth  = 222
	border     = 6
)

// resize prepares for a screen of w by h device pixels whose display has so many device pixels per point. The letters
// are painted again when the scale has changed.
func (u *hud) resize(w, h int, device float32) error {
	scale := max(float32(int(4*min(float32(w)/1280, float32(h)/720)))/4, device)
	u.overlay.Pixels, u.overlay.Form = float64(device), ebitenhost.OverlayWhole
	if u.atlas != nil && u.atlas.Scale == scale {
		return nil
	}
	a, err := canvas.Bake(scale, canvas.Small, canvas.Strong, canvas.Huge)
	if err != nil {
		return err
	}
	if u.image != nil {
		u.image.Deallocate()
	}
	u.atlas = a
	u.image = ebiten.NewImageWithOptions(a.Picture.Rect, &ebiten.NewImageOptions{Unmanaged: true})
	u.Begin(a, w, h)
	u.image.WritePixels(a.Picture.Pix[:4*a.Picture.Rect.Dx()*a.Picture.Rect.Dy()])
	if u.indices == nil {
		u.batch = newBatch()
	}
	return nil
}

// draw draws the overlay and the panels.
func (u *hud) draw(screen *ebiten.Image, g *game) {
	b := screen.Bounds()
	u.Begin(u.atlas, b.Dx(), b.Dy())
	// On a wide screen the overlay leaves the upper left corner free. On a narrow one it is below the panels.
	card := canvas.Rect{X: border, Y: border, W: cardWidth, H: modeHeight}
	cards := float32(modeHeight + canvas.Gap + loadHeight)
	top := float32(0)
	if u.W < 2*cardWidth+100 || u.H < 300 {
		top, card.W = cards+border, u.W-2*border
	}
	u.show(screen, b, top, g.host.loop)

	u.keys()
	u.slider, u.card = canvas.Rect{X: -1e6}, canvas.Rect{X: -1e6} // if they do not fit
	if u.H >= border+cards+keysHeight {
		card.Y, card.H = u.modeCard(card, &g.out), loadHeight
		u.loadCard(card, &g.out)
	}
	u.toastLine(&g.out)

	u.begin(screen, u.image, ebiten.FilterNearest)
	for i := range u.Quads {
		q := &u.Quads[i]
		u.quad(q.X0, q.Y0, q.X1, q.Y1, region{q.U0, q.V0, q.U1, q.V1}, colour{q.R, q.G, q.B, q.A})
	}
	u.flush()
}

// show draws the overlay between the top, in units, and the line of keys.
func (u *hud) show(screen *ebiten.Image, b image.Rectangle, top float32, loop *frame.Loop) {
	y0, y1 := b.Min.Y+int(top*u.Scale()+0.5), b.Max.Y-int(keysHeight*u.Scale()+0.5)
	if y0 >= y1 {
		return
	}
	if r := image.Rect(b.Min.X, y0, b.Max.X, y1); u.of != screen || u.upper.Bounds() != r {
		u.of, u.upper = screen, screen.SubImage(r).(*ebiten.Image)
	}
	u.overlay.Draw(u.upper, loop)
}

// hints are what the line of keys has: a name for game.act, and what it does.
var hints = [...][2]string{
	{"M", "mode"}, {"Space", "pause"}, {"1-5", "pick"}, {"+ -", "load"}, {"Drag", "look"},
	{"S", "picture"}, {"H", "hide"}, {"R", "reset"}, {"Q", "quit"},
}

// keys writes the line of keys along the lower edge.
func (u *hud) keys() {
	u.Fill(canvas.Rect{Y: u.H - keysHeight + 4, W: u.W, H: keysHeight - 4}, canvas.Glass)
	x, y := float32(14), u.H-7
	u.taps = u.taps[:0]
	for _, k := range hints {
		if x+u.Width(canvas.Small, k[0])+u.Width(canvas.Small, k[1])+18 > u.W {
			break
		}
		from := x
		x = u.Text(canvas.Small, x, y, canvas.White, k[0])
		x = u.Text(canvas.Small, x+4, y, canvas.Dim, k[1]) + 13
		u.taps = append(u.taps, canvas.Rect{X: from - 6, Y: u.H - keysHeight, W: x - from, H: keysHeight})
	}
}

// tapped returns the name of the key whose hint is at that place, or was before the panels were hidden; "" for none.
func (u *hud) tapped(x, y float32) string {
	for i, r := range u.taps {
		if r.Contains(x, y) {
			return hints[i][0]
		}
	}
	return ""
}

// modeCard names the mode and what it does. It returns where the next panel begins.
func (u *hud) modeCard(r canvas.Rect, d *readout) float32 {
	u.card = r
	in := u.Panel(r, "mode")
	ac := accent(d.mode)
	u.Round(canvas.Rect{X: r.X, Y: r.Y + 10, W: 3, H: r.H - 20}, 0.4, ac)
	hint := "M  next mode"
	if d.status != "" {
		hint = d.status
	}
	if d.paused {
		hint = "paused"
	}
	u.TextRight(canvas.Small, in.X+in.W, r.Y+canvas.Pad+8, canvas.Dim, hint)
	u.TextIn(canvas.Huge, in.X, in.Y+20, in.W, ac, d.mode)
	u.TextIn(canvas.Small, in.X+1, in.Y+35, in.W, canvas.Dim, d.says)
	return r.Y + r.H + canvas.Gap
}

// loadCard is the slider, and what became of the jobs: the same in every mode, whatever runs them.
func (u *hud) loadCard(r canvas.Rect, d *readout) {
	in := u.Panel(r, "load")
	b := append(strconv.AppendFloat(u.Buf[:0], d.load, 'f', 2, 64), "×"...)
	u.BytesRight(canvas.Small, in.X+in.W, r.Y+canvas.Pad+8, canvas.White, b)
	u.slider = canvas.Rect{X: in.X, Y: in.Y, W: in.W, H: 12}
	share := float32(d.load / d.maxLoad)
	u.Bar(canvas.Rect{X: in.X, Y: in.Y + 4, W: in.W, H: 4}, share, accent(d.mode))
	u.Hair(in.X+in.W*float32(1/d.maxLoad), in.Y, 0, 12, canvas.Faint) // 1 = what fits
	knob := float32(11)
	if d.pointed || d.dragging {
		knob = 13
	}
	at := in.X + min(max(in.W*share, knob/2), in.W-knob/2)
	u.Round(canvas.Rect{X: at - knob/2, Y: in.Y + 6 - knob/2, W: knob, H: knob}, 3, canvas.White)

	x, y := in.X, in.Y+26
	part := func(name string, n int, col canvas.Colour) {
		x = u.Text(canvas.Small, x, y, canvas.Dim, name)
		x = u.Bytes(canvas.Small, x+3, y, col, words.AppendCount(u.Buf[:0], n)) + 6
	}
	part("jobs/s:", int(d.done+0.5), canvas.White)
	part("of", int(d.offered+0.5), canvas.White)
	if d.dropped >= 0.5 {
		part("dropped", int(d.dropped+0.5), canvas.Warn)
	}
	x, y = in.X, in.Y+39
	part("waiting", d.waiting, canvas.White)
	col := canvas.White
	if d.running > d.cores {
		col = canvas.Warn
	}
	part("running", d.running, col)
	part("on", d.cores, canvas.White)
	u.Text(canvas.Small, x-3, y, canvas.Dim, "CPUs")
}

// toastLine writes the passing message: at the top between the panels, or if it is too long for this above the keys.
func (u *hud) toastLine(d *readout) {
	if d.toastK <= 0 {
		return
	}
	w := min(u.Width(canvas.Strong, d.toast.Text)+28, u.W-20)
	r := canvas.Rect{X: (u.W - w) / 2, Y: 12, W: w, H: 26}
	if r.X < border+cardWidth {
		r.Y = u.H - keysHeight - r.H
	}
	u.Round(r, 1.8, canvas.Glass.Fade(d.toastK))
	col := canvas.White
	if d.toast.Bad {
		col = canvas.Warn
	}
	u.TextIn(canvas.Strong, r.X+14, r.Y+17, r.W-28, col.Fade(d.toastK), d.toast.Text)
}
