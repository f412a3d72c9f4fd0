package main

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"github.com/frameslice/frameslice/demo/hosts/work"
)

// A view shows a Work by Fyne's widgets.
type view struct {
	w       *work.Work
	page    *fyne.Container
	done    *canvas.Rectangle
	mover   *canvas.Rectangle
	status  *canvas.Text
	thumbs  *fyne.Container
	shown   int // items of the list that have a picture
	fractal *canvas.Image
}

func newView(w *work.Work, window fyne.Window) *view {
	v := &view{
		w: w, done: canvas.NewRectangle(work.BarDone), mover: canvas.NewRectangle(work.BarDone),
		status: canvas.NewText("", work.Text), thumbs: container.NewWithoutLayout(),
		fractal: canvas.NewImageFromImage(image.NewRGBA(image.Rect(0, 0, 1, 1))),
	}
	v.status.TextSize = 14
	v.fractal.ScaleMode = canvas.ImageScaleFastest
	load := widget.NewButton("load", func() {
		v.thumbs.RemoveAll()
		v.shown = 0
		w.Load()
	})
	heavy := widget.NewButton("heavy job", w.Heavy)
	v.page = container.NewWithoutLayout(
		place(canvas.NewRectangle(work.Background), work.Window), place(canvas.NewRectangle(work.BarBack), work.Bar),
		v.done, v.mover, place(load, work.LoadButton), place(heavy, work.HeavyButton),
		place(v.status, work.StatusText), place(v.thumbs, work.Window), place(v.fractal, work.FractalArea),
	)
	window.SetPadded(false)
	window.SetFixedSize(true)
	window.SetContent(v.page)
	window.Resize(size(work.Window))
	return v
}

// refresh changes what has changed. It is on Fyne's goroutine.
func (v *view) refresh() {
	place(v.done, v.w.BarFilled())
	place(v.mover, v.w.Mover())
	if s := v.w.Status(); s != v.status.Text {
		v.status.Text = s
		v.status.Refresh()
	}
	for ; v.shown < len(v.w.Items); v.shown++ {
		img := canvas.NewImageFromImage(v.w.Items[v.shown].Thumb)
		img.ScaleMode = canvas.ImageScaleFastest
		v.thumbs.Add(place(img, work.Cell(v.shown)))
	}
	if img := v.w.Fractal; img != nil && v.fractal.Image != img {
		v.fractal.Image = img
		v.fractal.Refresh()
	}
}

func size(r image.Rectangle) fyne.Size { return fyne.NewSize(float32(r.Dx()), float32(r.Dy())) }

// place puts an object into the rectangle.
func place[T fyne.CanvasObject](object T, r image.Rectangle) T {
	object.Move(fyne.NewPos(float32(r.Min.X), float32(r.Min.Y)))
	object.Resize(size(r))
	return object
}
