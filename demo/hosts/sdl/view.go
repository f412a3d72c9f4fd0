package main

import (
	"image"
	"image/color"
	"unsafe"

	"github.com/veandco/go-sdl2/sdl"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/frameslice/frameslice/demo/hosts/work"
)

// A view draws a Work. Its textures belong to the frame goroutine, so tasks may make them.
type view struct {
	w         *work.Work
	renderer  *sdl.Renderer
	thumbs    []*sdl.Texture
	fractal   *sdl.Texture
	fractalOf *image.RGBA
	texts     map[string]*sdl.Texture
}

func newView(w *work.Work, renderer *sdl.Renderer) *view {
	v := &view{w: w, renderer: renderer, texts: map[string]*sdl.Texture{}}
	w.Commit = func(item work.Item) { v.thumbs = append(v.thumbs, v.texture(item.Thumb)) } // in the slice
	return v
}

// handle reports whether the program continues.
func (v *view) handle(event sdl.Event) bool {
	switch e := event.(type) {
	case *sdl.QuitEvent:
		return false
	case *sdl.MouseButtonEvent:
		if e.Type == sdl.MOUSEBUTTONDOWN {
			v.click(image.Pt(int(e.X), int(e.Y)))
		}
	}
	return true
}

func (v *view) click(at image.Point) {
	switch {
	case at.In(work.LoadButton):
		for _, t := range v.thumbs {
			t.Destroy()
		}
		v.thumbs = nil
		v.w.Load()
	case at.In(work.HeavyButton):
		v.w.Heavy()
	}
}

func (v *view) draw() {
	v.colour(work.Background)
	v.renderer.Clear()
	v.fill(work.Bar, work.BarBack)
	v.fill(v.w.BarFilled(), work.BarDone)
	v.fill(v.w.Mover(), work.BarDone)
	v.button("load", work.LoadButton)
	v.button("heavy job", work.HeavyButton)
	v.text(v.w.Status(), work.StatusText.Min.Add(image.Pt(0, 6)))
	for i, thumb := range v.thumbs {
		v.copy(thumb, work.Cell(i))
	}
	if img := v.w.Fractal; img != nil {
		if img != v.fractalOf {
			if v.fractal != nil {
				_ = v.fractal.Destroy()
			}
			v.fractal, v.fractalOf = v.texture(img), img
		}
		v.copy(v.fractal, work.FractalArea)
	}
}

func (v *view) colour(c color.NRGBA) { v.renderer.SetDrawColor(c.R, c.G, c.B, c.A) }

func rect(r image.Rectangle) *sdl.Rect {
	return &sdl.Rect{X: int32(r.Min.X), Y: int32(r.Min.Y), W: int32(r.Dx()), H: int32(r.Dy())}
}

func (v *view) fill(r image.Rectangle, c color.NRGBA) {
	v.colour(c)
	v.renderer.FillRect(rect(r))
}

func (v *view) copy(t *sdl.Texture, r image.Rectangle) { v.renderer.Copy(t, nil, rect(r)) }

func (v *view) button(name string, r image.Rectangle) {
	v.fill(r, work.Button)
	v.text(name, r.Min.Add(image.Pt(10, 7)))
}

// text draws a line of text, whose texture is kept.
func (v *view) text(s string, at image.Point) {
	t := v.texts[s]
	if t == nil {
		if len(v.texts) > 50 {
			for _, old := range v.texts {
				old.Destroy()
			}
			clear(v.texts)
		}
		face := basicfont.Face7x13
		img := image.NewRGBA(image.Rect(0, 0, max(face.Advance*len(s), 1), face.Height))
		d := font.Drawer{Dst: img, Src: image.NewUniform(work.Text), Face: face, Dot: fixed.P(0, face.Ascent)}
		d.DrawString(s)
		t = v.texture(img)
		t.SetBlendMode(sdl.BLENDMODE_BLEND)
		v.texts[s] = t
	}
	_, _, width, height, _ := t.Query()
	v.copy(t, image.Rectangle{at, at.Add(image.Pt(int(width), int(height)))})
}

// texture uploads a picture.
func (v *view) texture(img *image.RGBA) *sdl.Texture {
	size := img.Bounds().Size()
	t, err := v.renderer.CreateTexture(uint32(sdl.PIXELFORMAT_RGBA32), sdl.TEXTUREACCESS_STATIC,
		int32(size.X), int32(size.Y))
	if err != nil {
		panic(err) // the window is gone
	}
	t.Update(nil, unsafe.Pointer(&img.Pix[0]), img.Stride)
	return t
}
