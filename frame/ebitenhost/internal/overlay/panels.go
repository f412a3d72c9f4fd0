package overlay

import (
	"math"
	"strconv"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/canvas"
	"github.com/frameslice/frameslice/internal/words"
)

// accent is the colour of the slice and of what else is the library's.
var accent = canvas.Hex(0x4FE0B5)

const (
	hitchHeight = 53
	sliceHeight = 54
	queueHeight = 84
	rowHeight   = 10 // of a worker
	lineHeight  = 11 // of small text
	head        = 30 // of a panel: its margins and caption
)

// panel draws a pane with a caption and what it says at the right, if there is room for both. It returns the rectangle
// for the rest.
func panel(c *canvas.Canvas, r canvas.Rect, caption string, col canvas.Colour, b []byte) canvas.Rect {
	in := c.Panel(r, caption)
	if c.Width(canvas.Small, caption)+c.BytesWidth(canvas.Small, b)+6 < in.W {
		c.BytesRight(canvas.Small, in.X+in.W, r.Y+canvas.Pad+8, col, b)
	}
	return in
}

// lastHitch says which frame was late, and why.
func (v *View) lastHitch(c *canvas.Canvas, r canvas.Rect) {
	if v.hitch.late == 0 {
		in := c.Panel(r, "last hitch")
		c.Text(canvas.Small, in.X, in.Y+9, canvas.Good, "none yet")
		return
	}
	ago := v.at.Sub(v.hitch.at).Seconds()
	fresh := float32(min(max(0, 1-ago/2), 1))
	b := append(words.AppendMS(c.Buf[:0], words.Millis(v.hitch.late)), " ms, "...)
	b = append(strconv.AppendFloat(b, ago, 'f', 1, 64), " s ago"...)
	col := canvas.White.Mix(v.grade(words.Millis(v.hitch.late)), 0.5+fresh/2)
	in := panel(c, r, "last hitch", col, b)
	c.Wrap(canvas.Small, in, 12, canvas.White, v.hitch.cause)
}

// grade colours an interval in milliseconds.
func (v *View) grade(ms float64) canvas.Colour {
	switch refreshes := ms * 1e6 / float64(v.target); {
	case refreshes < 1.5:
		return canvas.White
	case refreshes < 2.5:
		return canvas.Warn
	}
	return canvas.Bad
}

// slice shows one frame as a bar: the game's own part, the slice's, and the part that is kept free. If there is room,
// a line says how old the input in the picture is.
func (v *View) slice(c *canvas.Canvas, r canvas.Rect) {
	name := "slice, ms"
	if v.shadow {
		name = "slice beside the swap, ms"
	}
	in := panel(c, r, name, canvas.Dim, append(c.Buf[:0], v.short...))
	d := &v.shown
	track := canvas.Rect{X: in.X, Y: in.Y + 2, W: in.W, H: 11}
	c.Round(track, 0.7, canvas.Track)
	unit := in.W / (float32(v.target) * 1.25) // the bar has a frame and a quarter: an overrun has to be seen
	end := in.X + in.W
	x := in.X
	part := func(d smooth, col canvas.Colour) {
		w := min(float32(d)*unit, end-x)
		if w > 0.5 {
			c.Fill(canvas.Rect{X: x, Y: track.Y, W: w, H: track.H}, col)
			x += w
		}
	}
	part(v.own, canvas.White.Fade(0.55))
	begin := x
	part(v.used, accent)
	part(max(v.budget-v.used, 0), accent.Fade(0.25))
	if at := begin + float32(v.budget)*unit; at < end {
		c.Fill(canvas.Rect{X: at, Y: track.Y - 2, W: 1, H: track.H + 4}, canvas.White)
	}
	c.Hair(in.X+float32(v.target)*unit, track.Y-3, 0, track.H+6, canvas.Warn) // the refresh

	x = in.X
	for _, one := range [...]struct {
		name string
		d    time.Duration
		col  canvas.Colour
	}{
		{"game ", d.own, canvas.White}, {"slice ", d.used, accent}, {"of ", d.budget, canvas.White},
		{"kept ", d.spare, canvas.White},
	} {
		b := words.AppendMS(c.Buf[:0], words.Millis(one.d))
		if x+c.Width(canvas.Small, one.name)+c.BytesWidth(canvas.Small, b) > end {
			break
		}
		x = c.Text(canvas.Small, x, in.Y+25, canvas.Dim, one.name)
		x = c.Bytes(canvas.Small, x, in.Y+25, one.col, b) + 6
	}
	const text = "input to frame handed over "
	b := words.AppendMS(c.Buf[:0], words.Millis(d.latency))
	width := c.Width(canvas.Small, text) + c.BytesWidth(canvas.Small, b)
	if d.latency == 0 || r.H < sliceHeight+lineHeight || width > in.W {
		return
	}
	y := in.Y + 25 + lineHeight
	c.Bytes(canvas.Small, c.Text(canvas.Small, in.X, y, canvas.Dim, text), y, canvas.White, b)
}

// appendWaiting appends how much waits. Timed tasks are left out unless there is room.
func (v *View) appendWaiting(b []byte, wide bool) []byte {
	tasks, jobs, delayed := 0, 0, 0
	for i := range v.tasks {
		tasks, jobs, delayed = tasks+v.tasks[i], jobs+v.pool.Queued[i], delayed+v.delayed[i]
	}
	b = append(words.AppendCount(b, tasks), " tasks"...)
	if delayed > 0 && wide {
		b = append(words.AppendCount(append(b, " + "...), delayed), " timed"...)
	}
	b = append(words.AppendCount(append(b, ", "...), jobs), " jobs"...)
	if io := v.pool.IO + v.pool.IOWaiting; io > 0 {
		b = append(words.AppendCount(append(b, ", "...), io), " IO"...)
	}
	return b
}

// queues shows what waits, by priority: jobs in the accent, tasks in white. IO has no priority.
func (v *View) queues(c *canvas.Canvas, r canvas.Rect) {
	in := panel(c, r, "waiting", canvas.Dim, v.appendWaiting(c.Buf[:0], r.W > 250))
	y := in.Y
	for i, p := range deadline.Priorities() {
		n, m := v.pool.Queued[i], v.tasks[i]
		col := canvas.White
		if n+m == 0 {
			col = canvas.Faint
		}
		c.Text(canvas.Small, in.X, y+8, col, p.String())
		track := canvas.Rect{X: in.X + 74, Y: y + 2, W: in.W - 74 - 38, H: 6}
		share := depth(n + m)
		c.Bar(track, share, accent)
		if m > 0 {
			c.Bar(track, share*float32(m)/float32(n+m), canvas.White)
		}
		c.BytesRight(canvas.Small, in.X+in.W, y+8, col, words.AppendCount(c.Buf[:0], n+m))
		y += lineHeight
	}
}

// depth maps a queue's length to the length of its bar: logarithmic, full at a thousand and more.
func depth(n int) float32 { return min(float32(math.Log2(float64(n)+1))/10, 1) }

// workers shows how busy the workers were in the last frames, coloured by kind of job.
func (v *View) workers(c *canvas.Canvas, r canvas.Rect) {
	n := len(v.pool.PerWorker)
	b := strconv.AppendInt(c.Buf[:0], int64(v.shown.running), 10)
	b = strconv.AppendInt(append(b, " of "...), int64(n), 10)
	b = append(b, " busy"...)
	if v.pool.Background > 0 {
		b = append(b, ", low priority"...)
	}
	in := panel(c, r, "workers", canvas.Dim, b)
	w := &v.work
	col := in.W / columns
	row := in.H / float32(rows(n))
	for i := range rows(n) {
		top := in.Y + row*float32(i)
		high := row - 2
		c.Fill(canvas.Rect{X: in.X, Y: top, W: in.W, H: high}, canvas.Track)
		for k := 0; k < columns; {
			at := (w.head + 1 + k) % columns
			share, of := w.share[i][at], w.kind[i][at]
			run := 1
			for k+run < columns { // equal neighbours are one quad
				next := (at + run) % columns
				if w.kind[i][next] != of || max(w.share[i][next]-share, share-w.share[i][next]) > 0.08 {
					break
				}
				run++
			}
			if share > 0.02 {
				h := max(high*share, 1)
				c.Fill(canvas.Rect{X: in.X + col*float32(k), Y: top + high - h, W: col * float32(run), H: h},
					canvas.Palette(int(of)))
			}
			k += run
		}
	}
}

// kinds names the kinds of jobs and tasks, and the sections, that cost the most lately. Jobs have the colours of the
// workers' panel.
func (v *View) kinds(c *canvas.Canvas, r canvas.Rect) {
	in := panel(c, r, "costliest kinds", canvas.Dim, append(c.Buf[:0], "ms each second"...))
	w := &v.work
	for i, at := range w.order[:min(w.ranked, int(in.H/lineHeight))] {
		k, y := &w.kinds[at], in.Y+lineHeight*float32(i)
		col := canvas.White
		if k.of == aJob {
			col = canvas.Palette(int(at))
		}
		c.Fill(canvas.Rect{X: in.X, Y: y + 2, W: 6, H: 6}, col)
		b := words.AppendMS(c.Buf[:0], float64(k.shown))
		right := c.BytesRight(canvas.Small, in.X+in.W, y+8, canvas.White, b)
		x := c.Text(canvas.Small, in.X+10, y+8, canvas.Dim, sources[k.of])
		c.TextIn(canvas.Small, x, y+8, right-6-x, canvas.White, k.name)
	}
}
