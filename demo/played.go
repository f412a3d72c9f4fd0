//go:build !headless

package main

import (
	"slices"
	"strconv"

	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/canvas"
)

// played is what the panel of the modes says of one that has been left: its last figures, so that the next mode can be
// compared.
type played struct {
	mode   string
	load   float64 // in the mean
	missed float64 // percent of the frames
	p99    float64 // ms
	jobs   float64 // a second
}

// keepPlayed returns the rows with the figures of a stretch of a mode in place of its earlier ones. A stretch without
// frames says nothing. The modes stand in the order in which each was first left.
func keepPlayed(rows []played, mode load.Mode, run *record.RunReport, s *load.Stretch) []played {
	if run.N == 0 || s.Span <= 0 {
		return rows
	}
	row := played{
		mode: string(mode), load: s.Jobs.Load(), missed: run.MissedPercent, p99: run.Interval.P99.Seconds() * 1000,
		jobs: float64(s.Jobs.Finished) / s.Span.Seconds(),
	}
	if i := slices.IndexFunc(rows, func(r played) bool { return r.mode == row.mode }); i >= 0 {
		rows[i] = row
		return rows
	}
	return append(rows, row)
}

const (
	playedRow  = 12
	playedHead = 30 // margins, and a line with the caption and the names of the columns
)

// playedHeight is how high the panel is for so many modes.
func playedHeight(modes int) float32 {
	if modes == 0 {
		return 0
	}
	return playedHead + playedRow*float32(modes)
}

// playedCard lists the modes that have been left. Of more than there is room for, the first are left out.
func (u *hud) playedCard(r canvas.Rect, rows []played) {
	if n := int((r.H - playedHead) / playedRow); n < len(rows) {
		rows = rows[len(rows)-max(n, 0):]
	}
	if len(rows) == 0 {
		return
	}
	r.H = playedHeight(len(rows))
	in := u.Panel(r, "played")
	ends := [...]float32{in.X + in.W - 120, in.X + in.W - 80, in.X + in.W - 38, in.X + in.W} // of the columns
	for i, name := range [...]string{"load", "missed", "p99 ms", "jobs/s"} {
		u.TextRight(canvas.Small, ends[i], r.Y+canvas.Pad+8, canvas.Dim, name)
	}
	for i := range rows {
		d, y := &rows[i], in.Y+9+playedRow*float32(i)
		u.TextIn(canvas.Small, in.X, y, ends[0]-30-in.X, accent(d.mode), d.mode)
		figure := func(i int, col canvas.Colour, b []byte) { u.BytesRight(canvas.Small, ends[i], y, col, b) }
		figure(0, canvas.White, strconv.AppendFloat(u.Buf[:0], d.load, 'f', 2, 64))
		col := canvas.White
		if d.missed >= 1 {
			col = canvas.Warn
		}
		figure(1, col, append(strconv.AppendFloat(u.Buf[:0], d.missed, 'f', 1, 64), " %"...))
		figure(2, canvas.White, canvas.AppendTenths(u.Buf[:0], d.p99))
		figure(3, canvas.White, canvas.AppendCount(u.Buf[:0], int(d.jobs+0.5)))
	}
}
