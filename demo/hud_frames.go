//go:build !headless

package main

import (
	"math"
	"strconv"

	"github.com/frameslice/frameslice/demo/play"
)

// graph draws the last frames as bars: the part that the game took, the slice on top of it, the rest of the
// interval as a shadow of both. A bar that passes the line of the refresh is a frame shown late.
func (u *hud) graph(r rect, d *readout, h *play.History, ac colour) {
	in := u.panel(r, "frame times, ms")
	target := float64(h.Target) / 1e6
	top := target * 4
	b := append(play.AppendMS(u.buf[:0], float64(h.Worst)/1e6), " ms"...)
	x := in.x + in.w - width(&u.atlas.small, b)/u.scale
	u.bytes(&u.atlas.small, x, r.y+pad+8, u.theme.text, b)
	u.right(&u.atlas.small, x-3, r.y+pad+8, u.theme.dim, "worst")

	y := func(ms float64) float32 { return in.y + in.h - in.h*float32(math.Min(ms/top, 1)) }
	for k := 1; k < 4; k++ {
		c := u.theme.edge
		if k == 1 {
			c = u.theme.text.fade(0.45)
		}
		u.hair(in.x, y(target*float64(k)), in.w, 0, c)
	}
	base := in.y + in.h
	// Columns meet on whole device pixels, or there would be gaps.
	edge := func(i int) float32 {
		return u.px(in.x+in.w-in.w/play.HistoryFrames*float32(i)) / u.scale
	}
	for i := range h.N {
		s := h.At(i)
		x, end := edge(i+1), edge(i)
		col := end - x
		ms := float64(s.Interval)
		c := ac.fade(0.26)
		switch {
		case s.Missed >= 2:
			c = u.theme.bad.fade(0.85)
		case s.Missed == 1:
			c = u.theme.warn.fade(0.85)
		}
		yt := y(ms)
		u.fill(x, yt, col, base-yt, c)
		yg := y(float64(s.Game))
		u.fill(x, yg, col, base-yg, u.theme.text.fade(0.5))
		if s.Slice > 0.05 {
			ys := y(float64(s.Game + s.Slice))
			u.fill(x, ys, col, yg-ys, ac.fade(0.95))
		}
		if s.Missed > 0 && ms > top { // beyond the panel: a tooth at its top
			u.fill(x, in.y-3, col, 3, u.theme.bad)
		}
		if s.GC {
			u.fill(x, base+2, max(col, 1), 3, u.theme.warn.fade(0.9))
		}
	}
	u.label(&u.atlas.small, in.x+3, y(target)-4, u.theme.dim, append(u.buf[:0], refreshName(target)...))
	if d.paused {
		u.label(&u.atlas.strong, in.x+in.w/2-20, in.y+in.h/2, u.theme.text, append(u.buf[:0], "paused"...))
	}
}

// refreshName says what the line of the graph stands for.
func refreshName(target float64) string {
	switch int(1000/target + 0.5) {
	case 60:
		return "60 Hz"
	case 120:
		return "120 Hz"
	case 144:
		return "144 Hz"
	}
	return "refresh"
}

// histogram draws the distribution of all intervals of the mode: both axes logarithmic, so that one hitch
// among thousands of good frames can be seen, with the median and the 99th percentile.
func (u *hud) histogram(r rect, h *play.History, ac colour) {
	in := u.panel(r, "distribution")
	b := append(play.AppendCount(u.buf[:0], h.Count), " frames"...)
	u.rightBytes(&u.atlas.small, in.x+in.w, r.y+pad+8, u.theme.dim, b)
	const lo, hi = 4.0, 500.0 // ms
	plot := rect{in.x, in.y + 9, in.w, in.h - 20}
	xOf := func(ms float64) float32 {
		return plot.x + plot.w*float32(math.Log(math.Min(math.Max(ms, lo), hi)/lo)/math.Log(hi/lo))
	}
	base := plot.y + plot.h
	u.hair(plot.x, base, plot.w, 0, u.theme.edge)
	for _, t := range [...]struct {
		ms   float64
		name string
	}{{8.3, "8"}, {16.7, "17"}, {33.3, "33"}, {100, "100"}, {300, "300"}} {
		x := xOf(t.ms)
		u.hair(x, base, 0, 3, u.theme.faint)
		writeMid(&u.batch, &u.atlas.small, x*u.scale, (base+12)*u.scale, u.theme.dim, t.name)
	}
	most := uint32(1)
	for _, n := range h.Bins {
		most = max(most, n)
	}
	full := math.Log(float64(most) + 1)
	target := float64(h.Target) / 1e6
	for i, n := range h.Bins {
		if n == 0 {
			continue
		}
		a := play.BinsFrom * math.Pow(play.BinsRatio, float64(i))
		x0, x1 := xOf(a), xOf(a*play.BinsRatio)
		if x1-x0 < 1 {
			x0, x1 = min(x0, plot.x+plot.w-2), min(x0, plot.x+plot.w-2)+2
		}
		hgt := plot.h * float32(math.Log(float64(n)+1)/full)
		c := ac
		if a > 1.5*target {
			c = u.theme.warn
		}
		if a > 2.5*target {
			c = u.theme.bad
		}
		u.fill(x0, base-hgt, max(x1-x0-0.5, 1), hgt, c)
	}
	if h.Count == 0 {
		return
	}
	p50, p99 := h.Percentile(50), h.Percentile(99)
	for _, ms := range [...]float64{p50, p99} {
		u.hair(xOf(ms), plot.y-4, 0, plot.h+4, u.theme.text.fade(0.7))
	}
	for _, p := range [...]struct {
		name string
		ms   float64
	}{{"p50", p50}, {"p99", p99}} {
		x := xOf(p.ms)
		b := strconv.AppendFloat(append(append(u.buf[:0], p.name...), ' '), p.ms, 'f', 1, 64)
		wide := width(&u.atlas.small, b) / u.scale
		// The median's label stands on the left of its line and the tail's on the right of its, so they
		// never meet; except at the edges of the plot, where the tail's goes to the left, one line lower.
		at, y := x+4, plot.y+4
		if p.name == "p50" {
			at = max(x-4-wide, plot.x)
		} else if at+wide > plot.x+plot.w {
			at, y = x-4-wide, plot.y+17
		}
		u.label(&u.atlas.small, at, y, u.theme.text, b)
	}
}
