package work

import (
	"image"
	"image/color"
)

// Where the windows have what, in pixels. Tests click and look there.
var (
	Window      = image.Rect(0, 0, 680, 430)
	Bar         = image.Rect(10, 10, 670, 22) // the progress
	LoadButton  = image.Rect(10, 32, 110, 60)
	HeavyButton = image.Rect(120, 32, 220, 60)
	StatusText  = image.Rect(240, 32, 430, 60)
	FractalArea = image.Rect(430, 80, 430+FractalSide, 80+FractalSide)
)

// The colours of the windows.
var (
	Background = color.NRGBA{24, 26, 32, 255}
	BarBack    = color.NRGBA{60, 64, 72, 255}
	BarDone    = color.NRGBA{90, 200, 120, 255}
	Button     = color.NRGBA{50, 90, 160, 255}
	Text       = color.NRGBA{235, 235, 235, 255}
)

// Cell is where the item with that index is.
func Cell(index int) image.Rectangle {
	const columns, pitch = 12, Side + 2
	at := image.Pt(10+index%columns*pitch, 80+index/columns*pitch)
	return image.Rectangle{at, at.Add(image.Pt(Side, Side))}
}

// BarFilled is the part of the progress bar that is full.
func (w *Work) BarFilled() image.Rectangle {
	r := Bar
	r.Max.X = r.Min.X + int(w.Progress()*float64(r.Dx()))
	return r
}

// Mover is a small square that moves as long as something is under way.
func (w *Work) Mover() image.Rectangle {
	if !w.Busy() {
		return image.Rectangle{}
	}
	at := image.Pt(Bar.Min.X+w.Frame*4%(Bar.Dx()-6), 66)
	return image.Rectangle{at, at.Add(image.Pt(6, 6))}
}
