//go:build !headless

package main

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"
)

// colour is a premultiplied colour, 0 to 1, as the vertices of a batch want it.
type colour struct{ r, g, b, a float32 }

// hex returns an opaque colour from 0xRRGGBB.
func hex(v uint32) colour {
	return colour{float32(v>>16&255) / 255, float32(v>>8&255) / 255, float32(v&255) / 255, 1}
}

// fade returns c at k times its opacity.
func (c colour) fade(k float32) colour { return colour{c.r * k, c.g * k, c.b * k, c.a * k} }

// batch collects quads that take their pixels from one image, and draws them in one call. Everything on the screen goes
// through a few batches a frame: ground, layers of creatures, overlay. They are used again, so nothing allocates once
// they have grown.
//
// The indices of every quad follow the same pattern, so they are written once for the largest batch.
type batch struct {
	dst, src *ebiten.Image
	filter   ebiten.Filter
	vertices []ebiten.Vertex
	indices  []uint16
}

// maxQuads is what 16-bit indices can address.
const maxQuads = 1 << 14

func newBatch() batch {
	b := batch{indices: make([]uint16, 0, 6*maxQuads)}
	for q := range maxQuads {
		n := uint16(4 * q)
		b.indices = append(b.indices, n, n+1, n+2, n+1, n+2, n+3)
	}
	return b
}

// begin directs the quads that follow from src to dst. It first draws the quads of another pair.
func (b *batch) begin(dst, src *ebiten.Image, filter ebiten.Filter) {
	if b.dst != dst || b.src != src || b.filter != filter {
		b.flush()
		b.dst, b.src, b.filter = dst, src, filter
	}
}

// draw draws from src to dst what was collected without a begin.
func (b *batch) draw(dst, src *ebiten.Image) {
	b.dst, b.src, b.filter = dst, src, ebiten.FilterLinear
	b.flush()
}

// flush draws what was collected.
func (b *batch) flush() {
	quads := len(b.vertices) / 4
	if quads == 0 {
		return
	}
	o := ebiten.DrawTrianglesOptions{Filter: b.filter}
	o.ColorScaleMode = ebiten.ColorScaleModePremultipliedAlpha
	b.dst.DrawTriangles(b.vertices, b.indices[:6*quads], b.src, &o)
	b.vertices = b.vertices[:0]
}

// four makes room for a quad and returns its vertices: left top, right top, left bottom, right bottom.
func (b *batch) four() []ebiten.Vertex {
	if len(b.vertices) == 4*maxQuads {
		b.flush()
	}
	n := len(b.vertices)
	if n+4 > cap(b.vertices) {
		b.vertices = append(b.vertices, make([]ebiten.Vertex, 4)...)
	} else {
		b.vertices = b.vertices[:n+4]
	}
	return b.vertices[n : n+4 : n+4]
}

func vertex(x, y, u, v float32, c colour) ebiten.Vertex {
	return ebiten.Vertex{
		DstX: x, DstY: y, SrcX: u, SrcY: v, ColorR: c.r, ColorG: c.g, ColorB: c.b, ColorA: c.a,
	}
}

// region is a rectangle of the source image, in its pixels.
type region struct{ u0, v0, u1, v1 float32 }

func (r region) w() float32 { return r.u1 - r.u0 }
func (r region) h() float32 { return r.v1 - r.v0 }

// quad draws a region into the rectangle x0, y0 to x1, y1.
func (b *batch) quad(x0, y0, x1, y1 float32, r region, c colour) {
	q := b.four()
	q[0] = vertex(x0, y0, r.u0, r.v0, c)
	q[1] = vertex(x1, y0, r.u1, r.v0, c)
	q[2] = vertex(x0, y1, r.u0, r.v1, c)
	q[3] = vertex(x1, y1, r.u1, r.v1, c)
}

// shaded is quad with a colour for each corner.
func (b *batch) shaded(x0, y0, x1, y1 float32, r region, c00, c10, c01, c11 colour) {
	q := b.four()
	q[0] = vertex(x0, y0, r.u0, r.v0, c00)
	q[1] = vertex(x1, y0, r.u1, r.v0, c10)
	q[2] = vertex(x0, y1, r.u0, r.v1, c01)
	q[3] = vertex(x1, y1, r.u1, r.v1, c11)
}

// turned draws a region centred on (x, y), scaled to w by h and turned so that its right points along (cos, sin).
func (b *batch) turned(x, y, w, h, cos, sin float32, r region, c colour) {
	ax, ay := cos*w/2, sin*w/2
	bx, by := -sin*h/2, cos*h/2
	q := b.four()
	q[0] = vertex(x-ax-bx, y-ay-by, r.u0, r.v0, c)
	q[1] = vertex(x+ax-bx, y+ay-by, r.u1, r.v0, c)
	q[2] = vertex(x-ax+bx, y-ay+by, r.u0, r.v1, c)
	q[3] = vertex(x+ax+bx, y+ay+by, r.u1, r.v1, c)
}

// stroke draws a line of width w whose texture r runs across it: a soft gradient makes a soft line.
func (b *batch) stroke(x0, y0, x1, y1, w float32, r region, c0, c1 colour) {
	dx, dy := x1-x0, y1-y0
	n := float32(math.Hypot(float64(dx), float64(dy)))
	if n == 0 {
		return
	}
	nx, ny := -dy/n*w/2, dx/n*w/2
	u := (r.u0 + r.u1) / 2
	q := b.four()
	q[0] = vertex(x0-nx, y0-ny, u, r.v0, c0)
	q[1] = vertex(x1-nx, y1-ny, u, r.v0, c1)
	q[2] = vertex(x0+nx, y0+ny, u, r.v1, c0)
	q[3] = vertex(x1+nx, y1+ny, u, r.v1, c1)
}
