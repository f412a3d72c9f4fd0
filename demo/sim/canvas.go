package sim

import "image"

// canvas draws antialiased shapes into a picture of a part of the world, a pixel for a world unit. (ox, oy) is the
// world point of the picture's corner. Shapes are in world units and are clipped. For ten thousand discs of five
// pixels it is much faster than x/image/vector, which rasterises whole paths through a mask.
type canvas struct {
	img    *image.RGBA
	ox, oy float32
}

// span clips [c-r, c+r], given in pixels, to [0, n).
func span(c, r float32, n int) (lo, hi int) {
	return max(int(floor32(c-r)), 0), min(int(floor32(c+r))+1, n)
}

// blend lays the colour c over the pixel at offset o with the weight a.
func (cv *canvas) blend(o int, c rgbf, a float32) {
	p := cv.img.Pix[o : o+4 : o+4]
	p[0] = clamp8(float32(p[0]) + (c.r-float32(p[0]))*a)
	p[1] = clamp8(float32(p[1]) + (c.g-float32(p[1]))*a)
	p[2] = clamp8(float32(p[2]) + (c.b-float32(p[2]))*a)
}

// disc draws a disc of radius r. It begins to fade at the share hard of the radius; 1 is a sharp edge.
func (cv *canvas) disc(x, y, r float32, c rgbf, alpha, hard float32) {
	x, y = x-cv.ox, y-cv.oy
	b := cv.img.Rect
	i0, i1 := span(x, r+1, b.Dx())
	j0, j1 := span(y, r+1, b.Dy())
	fade := max(r*(1-hard), 1)
	for j := j0; j < j1; j++ {
		dy := float32(j) + 0.5 - y
		for i := i0; i < i1; i++ {
			dx := float32(i) + 0.5 - x
			q := dx*dx + dy*dy
			if q >= (r+0.5)*(r+0.5) {
				continue
			}
			k := (r + 0.5 - sqrt32(q)) / fade
			if k > 1 {
				k = 1
			}
			cv.blend(j*cv.img.Stride+4*i, c, alpha*k)
		}
	}
}

// crown draws a tree from above: a dome that the sun lights from the north-west, with a rough surface.
func (cv *canvas) crown(t *tree) {
	x, y, r := t.x-cv.ox, t.y-cv.oy, t.r
	b := cv.img.Rect
	i0, i1 := span(x, r+1, b.Dx())
	j0, j1 := span(y, r+1, b.Dy())
	inv := 1 / r
	for j := j0; j < j1; j++ {
		dy := float32(j) + 0.5 - y
		for i := i0; i < i1; i++ {
			dx := float32(i) + 0.5 - x
			q := dx*dx + dy*dy
			if q >= (r+0.5)*(r+0.5) {
				continue
			}
			d := sqrt32(q)
			nx, ny := dx*inv, dy*inv
			nz := sqrt32(max(1-nx*nx-ny*ny, 0.05))
			if t.pine {
				nz = 0.55 // a cone
			}
			k := 0.60 + 0.58*max(nx*sunX+ny*sunY+nz*sunZ, -0.1)
			h := hash2(7, int32(cv.ox)+int32(i)/2, int32(cv.oy)+int32(j)/2)
			k *= 0.91 + 0.18*unit(h)
			c := rgbf{t.c.r * (k + 0.05*(k-0.8)), t.c.g * k, t.c.b * (k - 0.10*(k-0.8))}
			cv.blend(j*cv.img.Stride+4*i, c, min(r+0.5-d, 1))
		}
	}
}

// box draws a rectangle around (x, y). Its half sides are hl, along (ux, uy), and hw. shade gives the colour and the
// weight at u along and v across, in world units.
func (cv *canvas) box(x, y, ux, uy, hl, hw float32, shade func(u, v float32) (rgbf, float32)) {
	px, py := x-cv.ox, y-cv.oy
	b := cv.img.Rect
	i0, i1 := span(px, hl+hw+1, b.Dx())
	j0, j1 := span(py, hl+hw+1, b.Dy())
	for j := j0; j < j1; j++ {
		dy := float32(j) + 0.5 - py
		for i := i0; i < i1; i++ {
			dx := float32(i) + 0.5 - px
			u, v := dx*ux+dy*uy, dy*ux-dx*uy
			edge := min(hl-abs32(u), hw-abs32(v)) + 0.5
			if edge <= 0 {
				continue
			}
			c, a := shade(u, v)
			cv.blend(j*cv.img.Stride+4*i, c, a*min(edge, 1))
		}
	}
}
