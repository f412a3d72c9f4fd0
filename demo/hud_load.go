//go:build !headless

package main

import (
	"math"
	"strconv"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/play"
)

// sliceCard shows one frame as a bar: the game's own part, the part given to tasks, the part kept back.
func (u *hud) sliceCard(r rect, d *readout, h *play.History, ac colour) float32 {
	title := "frame: game, then jobs"
	if d.hasSlice {
		title = "frame: game, then slice"
		if d.shadow {
			title = "frame: game, shadow slice"
		}
	}
	in := u.panel(r, title)
	if d.tasks > 0 {
		b := append(strconv.AppendInt(u.buf[:0], int64(d.tasks+0.5), 10), " tasks/s"...)
		u.rightBytes(&u.atlas.small, in.x+in.w, r.y+pad+8, u.theme.dim, b)
	}
	target := play.Millis(h.Target)
	track := rect{in.x, in.y + 3, in.w, 13}
	u.round9(track, 0.7, u.theme.track)
	unit := in.w / (target * 1.25) // the bar shows a frame and a quarter: an overrun has to be seen
	x := in.x
	part := func(ms float32, c colour) {
		w := min(ms*unit, in.x+in.w-x)
		if w > 0.5 {
			u.fill(x, track.y, w, track.h, c)
			x += w
		}
	}
	part(play.Millis(d.game), u.theme.text.fade(0.55))
	begin := x
	part(play.Millis(d.used), ac)
	if d.hasSlice && d.budget > 0 {
		end := begin + play.Millis(d.budget)*unit
		if end < in.x+in.w {
			u.fill(end, track.y-2, 2, track.h+4, u.theme.text)
		}
		x = max(x, end+2)
		part(play.Millis(d.reserve), u.theme.text.fade(0.16))
	}
	u.hair(in.x+target*unit, track.y-3, 0, track.h+6, u.theme.warn) // the refresh
	y := in.y + 33
	x = u.text(&u.atlas.small, in.x, y, u.theme.dim, "game ")
	x = u.bytes(&u.atlas.small, x, y, u.theme.text, play.AppendMS(u.buf[:0], play.Millis64(d.game)))
	name := "   jobs in frame "
	if d.hasSlice {
		name = "   slice "
	}
	x = u.text(&u.atlas.small, x, y, u.theme.dim, name)
	x = u.bytes(&u.atlas.small, x, y, ac, play.AppendMS(u.buf[:0], play.Millis64(d.used)))
	if d.hasSlice {
		x = u.text(&u.atlas.small, x, y, u.theme.dim, " of ")
		x = u.bytes(&u.atlas.small, x, y, u.theme.text, play.AppendMS(u.buf[:0], play.Millis64(d.budget)))
		x = u.text(&u.atlas.small, x, y, u.theme.dim, "   kept ")
		x = u.bytes(&u.atlas.small, x, y, u.theme.text, play.AppendMS(u.buf[:0], play.Millis64(d.reserve)))
	}
	u.text(&u.atlas.small, x, y, u.theme.dim, " ms")
	return r.h
}

// queueCard shows what waits, by priority: jobs in the accent, tasks of the frame goroutine in white.
func (u *hud) queueCard(r rect, d *readout, ac colour) float32 {
	in := u.panel(r, "waiting")
	total, tasks := 0, 0
	for i := range d.jobs {
		total += d.jobs[i]
		tasks += d.ready[i]
	}
	x := in.x + in.w
	b := play.AppendCount(u.buf[:0], total)
	b = append(b, " jobs"...)
	if tasks > 0 {
		b = append(b, ", "...)
		b = append(play.AppendCount(b, tasks), " tasks"...)
	}
	u.rightBytes(&u.atlas.small, x, r.y+pad+8, u.theme.dim, b)
	row := in.h / deadline.NumPriorities
	for i, p := range deadline.Priorities() {
		name := p.String()
		y := in.y + row*float32(i)
		n, m := d.jobs[i], d.ready[i]
		c := u.theme.text
		if n+m == 0 {
			c = u.theme.faint
		}
		u.text(&u.atlas.small, in.x, y+row-3, c, name)
		track := rect{in.x + 74, y + row - 10, in.w - 74 - 44, 6}
		share := depth(n + m)
		u.bar(track, share, ac)
		if m > 0 {
			u.bar(rect{track.x, track.y, track.w, track.h}, share*float32(m)/float32(n+m), u.theme.text)
		}
		u.rightBytes(&u.atlas.mono, x, y+row-2, c, play.AppendCount(u.buf[:0], n+m))
	}
	return r.h
}

// depth maps a queue's length to the length of its bar: logarithmic, full at a thousand and more.
func depth(n int) float32 { return min(float32(math.Log2(float64(n)+1))/10, 1) }

// workerCard shows the lanes in which jobs ran in the last seconds, coloured by kind.
func (u *hud) workerCard(r rect, d *readout, a *play.Activity) {
	in := u.panel(r, "running")
	b := strconv.AppendInt(u.buf[:0], int64(d.running), 10)
	b = append(b, " on "...)
	b = strconv.AppendInt(b, int64(d.cores), 10)
	b = append(b, " CPUs"...)
	if d.background > 0 {
		b = append(b, ", low priority"...)
	}
	c := u.theme.dim
	if d.running > d.cores {
		c = u.theme.warn
	}
	u.rightBytes(&u.atlas.small, in.x+in.w, r.y+pad+8, c, b)

	const rows = 6
	legend := float32(12)
	row := (in.h - legend) / rows
	col := in.w / play.ActivityFrames
	for i := range rows {
		y := in.y + row*float32(i)
		u.fill(in.x, y+1, in.w, row-2, u.theme.track.fade(0.6))
		for k := 0; k < play.ActivityFrames; {
			at := (a.Head + 1 + k) % play.ActivityFrames
			share := a.Share[i][at]
			run := 1
			for k+run < play.ActivityFrames { // equal neighbours are one quad
				n := (at + run) % play.ActivityFrames
				if a.Kind[i][n] != a.Kind[i][at] || abs32(a.Share[i][n]-share) > 0.08 {
					break
				}
				run++
			}
			if share > 0.02 {
				h := max((row-2)*share, 1)
				c := kindColour(int(a.Kind[i][at])).fade(0.9)
				u.fill(in.x+col*float32(k), y+1+(row-2-h), col*float32(run), h, c)
			}
			k += run
		}
	}
	x, y := in.x, in.y+in.h
	for i, k := range play.Kinds() {
		if x+8+width(&u.atlas.small, k)/u.scale > in.x+in.w {
			break // a narrow panel names the most frequent ones
		}
		u.fill(x, y-7, 6, 6, kindColour(i))
		x = u.text(&u.atlas.small, x+8, y-1, u.theme.dim, k) + 6
	}
}

func abs32(v float32) float32 { return max(v, -v) }
