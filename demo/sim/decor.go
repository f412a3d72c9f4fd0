package sim

import "math"

// Trees and huts are drawn into the chunk's picture, pixel-exact whatever its detail. Each stands at a point that is a
// function of the seed alone. So both chunks that a crown overlaps draw their part of the same tree.

const (
	treeCell = 9  // world units: at most one tree per cell
	reach    = 14 // how far a tree with its shadow can be seen from its foot
)

type tree struct {
	x, y, r float32
	c       rgbf
	pine    bool
}

// decorate draws the huts and the trees of the chunk, and of its neighbours' margins, with their shadows.
func (c *Chunk) decorate(f *field) {
	s := &c.scratch
	x0, y0 := float32(c.CX*ChunkSize), float32(c.CY*ChunkSize)
	s.huts = f.hutsAround(s.huts[:0], x0, y0, x0+ChunkSize, y0+ChunkSize)
	s.trees = f.treesAround(s.trees[:0], x0, y0, x0+ChunkSize, y0+ChunkSize)
	cv := canvas{c.Image, x0, y0}
	for i := range s.huts {
		s.huts[i].yard(&cv)
	}
	shadow := rgbf{10, 22, 34}
	for i := range s.trees {
		t := &s.trees[i]
		cv.disc(t.x+t.r*0.55, t.y+t.r*0.55, t.r*1.08, shadow, 0.34, 0.55)
	}
	for i := range s.huts {
		s.huts[i].draw(&cv)
	}
	for i := range s.trees {
		t := &s.trees[i]
		cv.crown(t)
	}
}

// treesAround appends the trees whose picture touches the rectangle, from north to south.
func (f *field) treesAround(list []tree, x0, y0, x1, y1 float32) []tree {
	pal := Colours()
	leaf, leaf2, pine, autumn := toF(pal.Leaf), toF(pal.Leaf2), toF(pal.Pine), toF(pal.Autumn)
	i0, i1 := floor32((x0-reach)/treeCell), floor32((x1+reach)/treeCell)
	j0, j1 := floor32((y0-reach)/treeCell), floor32((y1+reach)/treeCell)
	var sites [9]siteSpot
	near := f.sitesNear(sites[:0], x0-reach, y0-reach, x1+reach, y1+reach)
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			k := hash2(f.seed+900, i, j)
			x := (float32(i) + 0.15 + 0.7*unit(k)) * treeCell
			y := (float32(j) + 0.15 + 0.7*unit(k>>16)) * treeCell
			m := f.moisture(x, y)
			k2 := hash2(f.seed+901, i, j)
			// Woods thin out towards their edge; a few trees stand alone.
			if unit(k2) > 0.02+0.93*smooth((m-woodsAbove+0.05)/0.13) {
				continue
			}
			col := f.column(x)
			h := f.height(&col, x, y)
			if h < sandBelow*1.8 || h > treeLine+0.05*unit(k2>>16) {
				continue
			}
			hx := f.height(&col, x, y+3) - h
			if abs32(hx) > 3*rockSlope || cleared(near, x, y) {
				continue
			}
			t := tree{x: x, y: y, r: 2.9 + 2.2*unit(k2>>8)*unit(k>>8)}
			t.pine = h > 0.30+0.12*(unit(k>>4)-0.5)
			tone := unit(k2 >> 13)
			switch {
			case t.pine:
				t.c, t.r = pine.mix(leaf, 0.35*tone), t.r*0.92
			case tone > 0.965:
				t.c = autumn
			default:
				t.c = leaf.mix(leaf2, tone)
			}
			list = append(list, t)
		}
	}
	return list
}

// cleared reports whether a village has cleared the woods at a point.
func cleared(sites []siteSpot, x, y float32) bool {
	for _, s := range sites {
		dx, dy := x-s.x, y-s.y
		if dx*dx+dy*dy < 58*58 {
			return true
		}
	}
	return false
}

// siteSpot is the middle of a village.
type siteSpot struct {
	x, y float32
	hash uint32
}

const siteCell = 384 // world units: at most one village per cell

// siteIn returns the village of a cell, if the cell has a good place.
func (f *field) siteIn(i, j int32) (siteSpot, bool) {
	for try := range int32(6) {
		k := hash2(f.seed+950+uint32(try), i, j)
		x := (float32(i) + 0.2 + 0.6*unit(k)) * siteCell
		y := (float32(j) + 0.2 + 0.6*unit(k>>16)) * siteCell
		if x < 100 || y < 100 || x > WorldSize-100 || y > WorldSize-100 {
			continue
		}
		col := f.column(x)
		if h := f.height(&col, x, y); h < 0.05 || h > 0.36 {
			continue
		}
		flat := true
		for _, d := range [4][2]float32{{50, 0}, {-50, 0}, {0, 50}, {0, -50}} {
			dc := f.column(x + d[0])
			h := f.height(&dc, x+d[0], y+d[1])
			flat = flat && h > 0.02 && h < 0.42
		}
		if flat {
			return siteSpot{x, y, hash2(f.seed+960, i, j)}, true
		}
	}
	return siteSpot{}, false
}

// sitesNear appends the villages whose huts may touch the rectangle.
func (f *field) sitesNear(list []siteSpot, x0, y0, x1, y1 float32) []siteSpot {
	const far = 80
	for j := floor32((y0 - far) / siteCell); j <= floor32((y1+far)/siteCell); j++ {
		for i := floor32((x0 - far) / siteCell); i <= floor32((x1+far)/siteCell); i++ {
			if s, ok := f.siteIn(i, j); ok {
				list = append(list, s)
			}
		}
	}
	return list
}

// hut is a house with a ridged roof, seen from above.
type hut struct {
	x, y     float32 // middle
	ux, uy   float32 // unit vector along the ridge
	hl, hw   float32 // half length, half width
	c        rgbf
	chimney  bool
	isCentre bool // not a house but the village's well, on trodden ground
}

// hutsAround appends the huts of all villages near the rectangle.
func (f *field) hutsAround(list []hut, x0, y0, x1, y1 float32) []hut {
	pal := Colours()
	roof, roof2 := toF(pal.Roof), toF(pal.Roof2)
	var spots [9]siteSpot
	for _, s := range f.sitesNear(spots[:0], x0, y0, x1, y1) {
		list = append(list, hut{x: s.x, y: s.y, ux: 1, hl: 3, hw: 3, c: toF(pal.Rock), isCentre: true})
		n := 5 + int(s.hash%5)
		for i := range n {
			k := hash2(s.hash, int32(i), 3)
			a := (float64(i) + 0.62*float64(unit(k))) / float64(n) * 2 * math.Pi
			r := 26 + float32(i&1)*13 + 12*unit(k>>16)
			x, y := s.x+r*float32(math.Cos(a)), s.y+r*float32(math.Sin(a))
			col := f.column(x)
			if f.height(&col, x, y) < sandBelow {
				continue
			}
			turn := a + math.Pi/2 + 0.5*float64(unit(k>>8)-0.5)
			list = append(list, hut{
				x: x, y: y, ux: float32(math.Cos(turn)), uy: float32(math.Sin(turn)),
				hl: 7.6 + 3.2*unit(k>>4), hw: 5.4 + 1.4*unit(k>>12),
				c: roof.mix(roof2, unit(k>>6)), chimney: k&8 != 0,
			})
		}
	}
	return list
}

// yard draws the trodden ground under a hut, and its shadow.
func (t *hut) yard(cv *canvas) {
	earth := rgbf{176, 148, 104}
	if t.isCentre {
		cv.disc(t.x, t.y, 30, earth, 0.42, 0.25)
		return
	}
	cv.disc(t.x, t.y, t.hl*1.9, earth, 0.40, 0.2)
	cv.box(t.x+3.2, t.y+3.2, t.ux, t.uy, t.hl+0.8, t.hw+0.8, func(_, _ float32) (rgbf, float32) {
		return rgbf{16, 18, 28}, 0.42
	})
}

// draw draws the roof: the side that faces the sun is bright, shingles run along the ridge.
func (t *hut) draw(cv *canvas) {
	if t.isCentre {
		cv.disc(t.x+0.9, t.y+0.9, 4.2, rgbf{20, 22, 30}, 0.4, 0.5)
		cv.disc(t.x, t.y, 3.8, rgbf{205, 197, 184}, 1, 0.9)
		cv.disc(t.x, t.y, 2.4, rgbf{52, 96, 122}, 1, 0.9)
		return
	}
	side := -t.uy*sunX + t.ux*sunY // of the normal of the slope at positive v
	cv.box(t.x, t.y, t.ux, t.uy, t.hl, t.hw, func(u, v float32) (rgbf, float32) {
		k := 0.92 + 0.34*side
		if v < 0 {
			k = 0.92 - 0.34*side
		}
		if abs32(v) < 0.55 {
			k = 1.22
		}
		if int32(abs32(v)*0.9+20)&1 == 0 {
			k *= 0.95
		}
		if t.hw-abs32(v) < 0.7 || t.hl-abs32(u) < 0.7 {
			k *= 0.80
		}
		return t.c.scale(k), 1
	})
	if t.chimney {
		cv.disc(t.x+t.ux*t.hl*0.45-t.uy*2, t.y+t.uy*t.hl*0.45+t.ux*2, 1.3, rgbf{96, 84, 80}, 1, 0.8)
	}
}
