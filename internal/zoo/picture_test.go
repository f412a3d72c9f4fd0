package zoo_test

import (
	"image"
	"image/png"
	"io"

	"github.com/frameslice/frameslice/internal/canvas"
)

// picture writes a heat map: a row for each host, a column for each load. The large part of a square is the verdict by
// the frames missed in the window, the small one that by the frames missed until the load was done. A dominated cell
// has the rival's name, and a cell that breaks another rule an exclamation mark.
func picture(w io.Writer, title string, cs []*cell) error {
	a, err := canvas.Bake(1, canvas.Small, canvas.Strong, canvas.Title)
	if err != nil {
		return err
	}
	const left, top, wide, high, small = 200, 84, 96, 17, 14
	rows, columns := map[string]int{}, map[string]int{}
	for _, c := range cs {
		if _, ok := rows[c.host.name]; !ok {
			rows[c.host.name] = len(rows)
		}
		if _, ok := columns[c.load.name]; !ok {
			columns[c.load.name] = len(columns)
		}
	}
	img := image.NewRGBA(image.Rect(0, 0, left+wide*max(len(columns), 8)+20, top+high*len(rows)+16))
	var p canvas.Canvas
	p.Begin(a, img.Rect.Dx(), img.Rect.Dy())
	white, black := canvas.Hex(0xE8EDF3), canvas.Hex(0x10141A)
	p.Fill(canvas.Rect{W: p.W, H: p.H}, black)
	p.TextIn(canvas.Title, 16, 26, p.W-32, white, title)
	colours := [...]canvas.Colour{
		level: canvas.Hex(0x56606C), better: canvas.Hex(0x1FA37C), dominated: canvas.Hex(0xD8552A),
	}
	x := float32(16)
	for v, col := range colours {
		p.Fill(canvas.Rect{X: x, Y: 38, W: 12, H: 12}, col)
		x = p.Text(canvas.Small, x+17, 48, white, verdict(v).String()) + 22
	}
	p.Text(canvas.Small, x, 48, white, "large: frames in the window; small: until done; !: another rule")
	for name, k := range columns {
		p.TextIn(canvas.Small, left+float32(k)*wide, top-8, wide-4, white, name)
	}
	for name, k := range rows {
		p.TextRight(canvas.Small, left-8, top+float32(k)*high+12, white, name)
	}
	for _, c := range cs {
		x, y := left+float32(columns[c.load.name])*wide, top+float32(rows[c.host.name])*high
		v, by := c.judge(inWindow)
		until, _ := c.judge(untilDone)
		p.Fill(canvas.Rect{X: x, Y: y, W: wide - small - 2, H: high - 1}, colours[v])
		p.Fill(canvas.Rect{X: x + wide - small - 1, Y: y, W: small - 1, H: high - 1}, colours[until])
		note := ""
		if by != nil {
			note = by.name
		}
		if n := len(c.faults()); n > 1 || n == 1 && by == nil {
			note += " !"
		}
		p.TextIn(canvas.Small, x+4, y+12, wide-small-8, white, note)
	}
	p.Paint(img)
	return png.Encode(w, img)
}
