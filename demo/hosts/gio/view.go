package main

import (
	"image"
	"image/color"

	"gioui.org/f32"
	"gioui.org/font/gofont"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/text"
	"gioui.org/widget"
	"gioui.org/widget/material"

	"github.com/frameslice/frameslice/demo/hosts/work"
)

// A view draws a Work.
type view struct {
	w           *work.Work
	theme       *material.Theme
	load, heavy widget.Clickable
	thumbs      []paint.ImageOp
	fractal     paint.ImageOp
	fractalOf   *image.RGBA
}

func newView(w *work.Work) *view {
	v := &view{w: w, theme: material.NewTheme()}
	v.theme.Shaper = text.NewShaper(text.NoSystemFonts(), text.WithCollection(gofont.Regular()))
	w.Commit = func(item work.Item) { v.thumbs = append(v.thumbs, paint.NewImageOp(item.Thumb)) }
	return v
}

func (v *view) draw(gtx layout.Context) {
	if v.load.Clicked(gtx) {
		v.thumbs = nil
		v.w.Load()
	}
	if v.heavy.Clicked(gtx) {
		v.w.Heavy()
	}
	gtx.Constraints = layout.Exact(gtx.Constraints.Max)
	paint.Fill(gtx.Ops, work.Background)
	fill(gtx, work.Bar, work.BarBack)
	fill(gtx, v.w.BarFilled(), work.BarDone)
	fill(gtx, v.w.Mover(), work.BarDone)
	v.button(gtx, &v.load, "load", work.LoadButton)
	v.button(gtx, &v.heavy, "heavy job", work.HeavyButton)
	in(gtx, work.StatusText, func(gtx layout.Context) layout.Dimensions {
		label := material.Label(v.theme, 14, v.w.Status())
		label.Color = work.Text
		return label.Layout(gtx)
	})
	for i, thumb := range v.thumbs {
		picture(gtx, thumb, work.Cell(i))
	}
	if img := v.w.Fractal; img != nil {
		if img != v.fractalOf { // the texture is made once
			v.fractal, v.fractalOf = paint.NewImageOp(img), img
		}
		picture(gtx, v.fractal, work.FractalArea)
	}
}

func fill(gtx layout.Context, r image.Rectangle, c color.NRGBA) {
	paint.FillShape(gtx.Ops, c, clip.Rect(r).Op())
}

// in lays out f in the rectangle.
func in(gtx layout.Context, r image.Rectangle, f layout.Widget) {
	defer op.Offset(r.Min).Push(gtx.Ops).Pop()
	gtx.Constraints = layout.Exact(r.Size())
	f(gtx)
}

func (v *view) button(gtx layout.Context, b *widget.Clickable, name string, r image.Rectangle) {
	in(gtx, r, func(gtx layout.Context) layout.Dimensions {
		style := material.Button(v.theme, b, name)
		style.Background, style.Color, style.TextSize, style.Inset = work.Button, work.Text, 14, layout.Inset{}
		return style.Layout(gtx)
	})
}

func picture(gtx layout.Context, img paint.ImageOp, r image.Rectangle) {
	defer op.Affine(f32.AffineId().Offset(layout.FPt(r.Min))).Push(gtx.Ops).Pop()
	defer clip.Rect(image.Rectangle{Max: r.Size()}).Push(gtx.Ops).Pop()
	img.Add(gtx.Ops)
	paint.PaintOp{}.Add(gtx.Ops)
}
