package sim

import (
	"image"
	"math"
)

// Chunk is one square of the terrain as a picture.
type Chunk struct {
	CX, CY int         // chunk coordinates, 0 to WorldChunks-1
	Detail int         // of the picture; 0: none yet
	Image  *image.RGBA // ChunkSize x ChunkSize, opaque

	scratch synthScratch
}

// NewChunk returns a chunk with its memory: about 330 KB, most of it the scratch space of SynthInto.
func NewChunk() *Chunk {
	return &Chunk{Image: image.NewRGBA(image.Rect(0, 0, ChunkSize, ChunkSize))}
}

// The measures of detail.
const (
	DefaultDetail = 256 // one sample per pixel
	CoarseDetail  = 16  // one sample per 4x4 pixels: what a chunk shows first
	MaxDetail     = 1 << 20

	samplesPerDetail = 64
)

// synthScratch is the working memory of SynthInto; it lives in the chunk, so that a job owns it.
type synthScratch struct {
	height [(ChunkSize + 2) * (ChunkSize + 2)]float32
	sum    [ChunkSize * ChunkSize]rgbf
	col    [ChunkSize + 2]column
	trees  []tree
	huts   []hut
}

// SynthInto makes the picture of the chunk (cx, cy) of the valley of a seed, in the caller's memory. It is a pure
// function, for any goroutine. It allocates nothing once the chunk has been used for a while.
//
// It is the demo's measure of work. It takes 64*detail samples of the ground, so its cost is linear in detail: about
// 15 µs each, on top of about 0.25 ms for the trees and the pixels. Below DefaultDetail the picture is coarser than its
// pixels, above it is supersampled. Detail is clamped to [1, MaxDetail].
func SynthInto(c *Chunk, seed uint64, cx, cy, detail int) { synth(c, seed, cx, cy, detail, nil) }

// SynthPatiently is SynthInto that calls pause after some rows of samples, every 0.1 ms. pause may be nil.
func SynthPatiently(c *Chunk, seed uint64, cx, cy, detail int, pause func()) {
	if pause == nil {
		SynthInto(c, seed, cx, cy, detail)
		return
	}
	rows := 0
	synth(c, seed, cx, cy, detail, func(int) {
		if rows++; rows%8 == 0 {
			pause()
		}
	})
}

// synth is SynthInto that calls tick before each row of heights, and before each row of samples with their number. tick
// may be nil.
func synth(c *Chunk, seed uint64, cx, cy, detail int, tick func(samples int)) {
	detail = min(max(detail, 1), MaxDetail)
	c.CX, c.CY, c.Detail = cx, cy, detail
	f := newField(seed)
	p := newPaint()
	budget := detail * samplesPerDetail
	if budget < ChunkSize*ChunkSize {
		side := int(math.Sqrt(float64(budget)))
		clear(c.scratch.sum[:side*side])
		c.pass(&f, &p, side, side, 0, 0, tick)
		c.enlarge(side)
	} else {
		c.supersample(&f, &p, budget, tick)
	}
	c.decorate(&f)
}

// pass adds one sample per cell of a side x side lattice over the chunk, rows rows of it, to sum.
func (c *Chunk) pass(f *field, p *paint, side, rows int, offX, offY float32, tick func(int)) {
	s := &c.scratch
	step := float32(ChunkSize) / float32(side)
	x0 := float32(c.CX*ChunkSize) + (0.5+offX)*step
	y0 := float32(c.CY*ChunkSize) + (0.5+offY)*step
	w := side + 2 // one sample of border, for the gradient
	for i := range w {
		s.col[i] = f.column(x0 + float32(i-1)*step)
	}
	for j := range rows + 2 {
		if tick != nil {
			tick(0)
		}
		y := y0 + float32(j-1)*step
		row := s.height[j*w : j*w+w]
		for i := range row {
			row[i] = f.height(&s.col[i], x0+float32(i-1)*step, y)
		}
	}
	inv := 0.5 / step
	bend := 1 / (step * step)
	for j := range rows {
		if tick != nil {
			tick(side)
		}
		up, mid, down := s.height[j*w:j*w+w], s.height[(j+1)*w:(j+2)*w], s.height[(j+2)*w:(j+3)*w]
		y := y0 + float32(j)*step
		sum := s.sum[j*side : j*side+side]
		for i := range sum {
			h := mid[i+1]
			x := x0 + float32(i)*step
			k := p.colour(f, x, y, h, (mid[i+2]-mid[i])*inv, (down[i+1]-up[i+1])*inv,
				(up[i+1]+down[i+1]+mid[i]+mid[i+2]-4*h)*bend, f.moisture(x, y))
			sum[i].r += k.r
			sum[i].g += k.g
			sum[i].b += k.b
		}
	}
}

// supersample spends the budget on as many passes over all pixels as it pays for, and the rest on the upper rows.
func (c *Chunk) supersample(f *field, p *paint, budget int, tick func(int)) {
	const area = ChunkSize * ChunkSize
	s := &c.scratch
	clear(s.sum[:])
	full := budget / area
	for k := range full {
		ox, oy := jitter(k)
		c.pass(f, p, ChunkSize, ChunkSize, ox, oy, tick)
	}
	rest := (budget - full*area) / ChunkSize
	if rest > 0 {
		ox, oy := jitter(full)
		c.pass(f, p, ChunkSize, rest, ox, oy, tick)
	}
	for j := range ChunkSize {
		n := full
		if j < rest {
			n++
		}
		k := 1 / float32(n)
		row := c.Image.Pix[j*c.Image.Stride:][: 4*ChunkSize : 4*ChunkSize]
		for i := range ChunkSize {
			v := &s.sum[j*ChunkSize+i]
			row[4*i], row[4*i+1], row[4*i+2], row[4*i+3] = clamp8(v.r*k), clamp8(v.g*k), clamp8(v.b*k), 255
		}
	}
}

// jitter returns the k-th offset of a low-discrepancy sequence in [-0.5, 0.5), the first being 0.
func jitter(k int) (x, y float32) {
	fx, fy := float64(k)*0.7548776662466927, float64(k)*0.5698402909980532 // 1/g, 1/g²; g the plastic number
	fx, fy = fx-math.Floor(fx), fy-math.Floor(fy)
	if fx >= 0.5 {
		fx--
	}
	if fy >= 0.5 {
		fy--
	}
	return float32(fx), float32(fy)
}

// enlarge turns the side x side sums into the picture, with linear interpolation.
func (c *Chunk) enlarge(side int) {
	s := &c.scratch
	scale := float32(side) / ChunkSize
	for j := range ChunkSize {
		v := min(max((float32(j)+0.5)*scale-0.5, 0), float32(side-1))
		j0 := int(v)
		j1 := min(j0+1, side-1)
		v -= float32(j0)
		up, down := s.sum[j0*side:j0*side+side], s.sum[j1*side:j1*side+side]
		row := c.Image.Pix[j*c.Image.Stride:][: 4*ChunkSize : 4*ChunkSize]
		for i := range ChunkSize {
			u := min(max((float32(i)+0.5)*scale-0.5, 0), float32(side-1))
			i0 := int(u)
			i1 := min(i0+1, side-1)
			u -= float32(i0)
			k := up[i0].mix(up[i1], u).mix(down[i0].mix(down[i1], u), v)
			row[4*i], row[4*i+1], row[4*i+2], row[4*i+3] = clamp8(k.r), clamp8(k.g), clamp8(k.b), 255
		}
	}
}
