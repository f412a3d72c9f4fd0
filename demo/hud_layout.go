//go:build !headless

package main

import (
	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/play"
)

// layout is where the overlay's panels stand. A window that is too small for all of them shows those that fit.
type layout struct {
	left, right, side float32 // where the columns begin, and their width
	base, foot        float32 // where the graph begins, and its height; 0 if it does not fit
	low               float32 // where the columns end
	wide              bool    // there is room for the column on the right
}

// plan lays out panels of a width in columns, above a graph of a height.
func (u *hud) plan(side, foot float32) layout {
	const mode = 112 // the panel that comes first
	p := layout{left: 10, right: u.w - 10 - side, side: side, wide: u.w >= 2*side+60}
	p.base, p.foot = u.h-10-foot-16, foot
	p.low = p.base - gap
	if p.low < 10+mode || u.w < side+20 {
		p.foot, p.low = 0, u.h-24 // above the line of keys
	}
	return p
}

// fits reports whether a panel of a height at y does.
func (p *layout) fits(y, h float32) bool { return y+h <= p.low && p.right >= 0 }

// draw draws the whole overlay.
func (u *hud) draw(
	screen *ebiten.Image, d *readout, h *play.History, a *play.Activity, now deadline.Instant,
) {
	u.begin(screen, u.atlas.image, ebiten.FilterNearest)
	ac := accent(d.mode)

	// How much more room than in the smallest window there is, 0 to 1: panels breathe with it.
	room := min(max((u.h-430)/290, 0), 1)
	grow := func(small, large float32) float32 { return small + (large-small)*room }

	u.keys(u.h - 9)
	p := u.plan(grow(222, 262), grow(92, 124))
	u.slider, u.card = rect{x: -1e6}, rect{x: -1e6} // if they do not fit
	y := float32(10)
	if p.fits(y, 112) {
		y += u.modeCard(rect{p.left, y, p.side, 112}, d, h, ac) + gap
	}
	if p.fits(y, 62) {
		y += u.loadCard(rect{p.left, y, p.side, 62}, d, ac) + gap
	}
	if p.fits(y, 58) {
		u.hitchCard(rect{p.left, y, p.side, 58}, d, h, now)
	}
	if p.wide {
		u.rightSide(&p, grow, d, h, a, ac)
	}
	if p.foot > 0 {
		w := u.w - 20
		if p.wide {
			w -= p.side + gap
			u.histogram(rect{p.right, p.base, p.side, p.foot}, h, ac)
		}
		u.graph(rect{p.left, p.base, w, p.foot}, d, h, ac)
	}
	u.toastLine(&p, d)
	u.flush()
}

func (u *hud) rightSide(
	p *layout, grow func(small, large float32) float32, d *readout, h *play.History, a *play.Activity, ac colour,
) {
	y := float32(10)
	if k := grow(72, 82); p.fits(y, k) {
		y += u.sliceCard(rect{p.right, y, p.side, k}, d, h, ac) + gap
	}
	if k := grow(96, 112); p.fits(y, k) {
		y += u.queueCard(rect{p.right, y, p.side, k}, d, ac) + gap
	}
	if k := grow(88, 116); p.fits(y, k) {
		u.workerCard(rect{p.right, y, p.side, k}, d, a)
	}
}
