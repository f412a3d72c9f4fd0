package sim

import (
	"image"
	"math"

	"golang.org/x/image/draw"
)

// Render draws the world as its camera sees it, in software, without a display: terrain, fish, paths, sheep,
// walkers, hunters, birds with their shadows, and the villages' names. It is for looking at the world in
// tests and on machines without a screen (about 60 ms for 1280x720); the front draws the same with the
// graphics card. Dst is taken to be Camera.View pixels large. Frame goroutine only.
func Render(dst *image.RGBA, w *World) {
	v := view{w: w, pal: Colours(), z: w.Camera.Zoom}
	x0, y0, _, _ := w.Camera.Bounds()
	v.canvas = canvas{dst, x0, y0, v.z}
	v.ground()
	v.crowd(Fish, false)
	v.crowd(Fish, true)
	v.hunters(Fish)
	v.paths()
	v.crowd(Sheep, false)
	v.crowd(Sheep, true)
	v.hunters(Sheep)
	v.walkers()
	v.clouds()
	v.names()
	v.crowd(Bird, false)
	v.crowd(Bird, true)
	v.hunters(Bird)
}

type view struct {
	canvas
	w   *World
	pal Palette
	z   float32
}

// pixel returns the whole pixel at which a world point is drawn; neighbours that share an edge agree on it.
func (v *view) pixel(x, y float32) image.Point {
	return image.Pt(int(floor32((x-v.ox)*v.z+0.5)), int(floor32((y-v.oy)*v.z+0.5)))
}

func (v *view) ground() {
	t := v.w.Terrain
	x0, y0, x1, y1 := t.visible()
	draw.Draw(v.img, v.img.Rect, image.Black, image.Point{}, draw.Src)
	for cy := y0; cy <= y1; cy++ {
		for cx := x0; cx <= x1; cx++ {
			x, y := float32(cx*ChunkSize), float32(cy*ChunkSize)
			r := image.Rectangle{v.pixel(x, y), v.pixel(x+ChunkSize, y+ChunkSize)}
			src, from := v.w.Map.Overview, image.Rect(0, 0, ChunkSize/TileSize, ChunkSize/TileSize)
			from = from.Add(image.Pt(cx, cy).Mul(ChunkSize / TileSize))
			if img := t.Image(cx, cy); img != nil {
				src, from = img, img.Rect
			}
			if from.Size() == r.Size() {
				draw.Draw(v.img, r, src, from.Min, draw.Src)
			} else {
				draw.ApproxBiLinear.Scale(v.img, r, src, from, draw.Src, nil)
			}
		}
	}
}

// Cloud returns how much light the clouds leave at a point, 0.78 to 1, at a tick: their shadows drift over
// the valley.
func Cloud(x, y float32, tick uint64) float32 {
	t := float32(tick%(1<<20)) / 60
	n := noise2(77, (x-22*t)*(1.0/620), (y-9*t)*(1.0/620))
	n += 0.4 * noise2(78, (x-25*t)*(1.0/210), (y-8*t)*(1.0/210))
	return 1 - 0.22*smooth((n-0.05)/0.34)
}

// clouds darkens the picture where Cloud says so, at one eighth of the resolution and interpolated.
func (v *view) clouds() {
	const cell = 8
	nx := v.img.Rect.Dx()/cell + 2
	row := func(j int, out []float32) {
		for i := range out {
			out[i] = Cloud(v.ox+float32(i*cell)/v.z, v.oy+float32(j*cell)/v.z, v.w.Tick)
		}
	}
	up, down := make([]float32, nx), make([]float32, nx)
	row(0, down)
	for y := range v.img.Rect.Dy() {
		if y%cell == 0 {
			up, down = down, up
			row(y/cell+1, down)
		}
		fy := float32(y%cell) / cell
		p := v.img.Pix[y*v.img.Stride:]
		for x := range v.img.Rect.Dx() {
			i, fx := x/cell, float32(x%cell)/cell
			a, b := up[i]+(up[i+1]-up[i])*fx, down[i]+(down[i+1]-down[i])*fx
			k := a + (b-a)*fy
			q := p[4*x : 4*x+3 : 4*x+3]
			q[0], q[1], q[2] = uint8(float32(q[0])*k), uint8(float32(q[1])*k), uint8(float32(q[2])*min(k*1.03, 1))
		}
	}
}

// seen reports whether something of radius r at a point is in the picture.
func (v *view) seen(x, y, r float32) bool {
	px, py := (x-v.ox)*v.z, (y-v.oy)*v.z
	r *= v.z
	return px > -r && py > -r && px < float32(v.img.Rect.Dx())+r && py < float32(v.img.Rect.Dy())+r
}

// crowd draws the shadows of one species, or the animals.
func (v *view) crowd(kind Species, bodies bool) {
	c := v.w.Crowd
	for i := range c.X {
		if c.Kind[i] != kind || !v.seen(c.X[i], c.Y[i], 40) {
			continue
		}
		ux, uy := heading(c.VX[i], c.VY[i])
		beat, wag := float32(v.w.Tick)*0.15+float32(i)*1.7, float32(v.w.Tick)*0.13+float32(i)
		switch {
		case kind == Bird && bodies:
			v.bird(c.X[i], c.Y[i], ux, uy, 5.2, beat, toF(v.pal.Flock[c.Flock(i)%4]), 1)
		case kind == Bird:
			v.bird(c.X[i]+11, c.Y[i]+15, ux, uy, 4.8, beat, toF(v.pal.Shadow), 0.26)
		case kind == Sheep && bodies:
			v.sheep(c.X[i], c.Y[i], ux, uy, i%23 == 7)
		case kind == Sheep:
			v.disc(c.X[i]+1.6, c.Y[i]+1.8, 3.9, toF(v.pal.Shadow), 0.38, 0.4)
		case bodies:
			v.fish(c.X[i], c.Y[i], ux, uy, 3.4, toF(v.pal.Fish), 0.72, wag)
		default:
			v.fish(c.X[i]+1.2, c.Y[i]+2, ux, uy, 3.4, toF(v.pal.Shadow), 0.22, wag)
		}
	}
}

func heading(vx, vy float32) (ux, uy float32) {
	d := sqrt32(vx*vx + vy*vy)
	if d < 0.05 {
		return 1, 0
	}
	return vx / d, vy / d
}

func (v *view) sheep(x, y, ux, uy float32, black bool) {
	wool := toF(v.pal.Sheep)
	if black { // every flock has one
		wool = rgbf{92, 80, 74}
	}
	v.disc(x+ux*3.4, y+uy*3.4, 1.5, rgbf{74, 62, 56}, 1, 0.8) // head
	v.disc(x-ux*0.9, y-uy*0.9, 3.1, wool.scale(0.86), 1, 0.85)
	v.disc(x+ux*0.9, y+uy*0.9, 3.0, wool.scale(0.93), 1, 0.85)
	v.disc(x-0.7, y-0.7, 2.3, wool, 1, 0.5)
}

// bird draws two wings, swept back, that beat with the phase.
func (v *view) bird(x, y, ux, uy, size, phase float32, c rgbf, alpha float32) {
	beat := 0.62 + 0.38*float32(math.Sin(float64(phase)))
	for _, side := range [2]float32{-1, 1} {
		tipX := x + (-uy*side*beat-ux*0.45)*size
		tipY := y + (ux*side*beat-uy*0.45)*size
		tone := c
		if alpha == 1 && (-uy*side)*sunX+ux*side*sunY < 0 {
			tone = c.scale(0.84)
		}
		v.stroke(x+ux*size*0.3, y+uy*size*0.3, tipX, tipY, size*0.30, size*0.08, tone, alpha)
	}
	if alpha == 1 {
		fore, aft := size*0.6, size*0.62
		v.stroke(x+ux*fore, y+uy*fore, x-ux*aft, y-uy*aft, size*0.19, size*0.12, c.scale(0.95), 1)
		v.disc(x+ux*size*0.66, y+uy*size*0.66, size*0.12, rgbf{236, 150, 60}, 1, 0.6)
	}
}

func (v *view) fish(x, y, ux, uy, size float32, c rgbf, alpha, phase float32) {
	wag := 0.35 * float32(math.Sin(float64(phase)))
	v.stroke(x+ux*size, y+uy*size, x-ux*size, y-uy*size, size*0.34, size*0.14, c, alpha)
	tail, end := size*0.8, size*1.6
	v.stroke(x-ux*tail, y-uy*tail, x-(ux+uy*wag)*end, y-(uy-ux*wag)*end, size*0.06, size*0.36, c, alpha)
}

// stroke draws a line from a to b whose half width goes from wa to wb, with round ends. World units.
func (v *view) stroke(ax, ay, bx, by, wa, wb float32, c rgbf, alpha float32) {
	ax, ay, bx, by = (ax-v.ox)*v.z, (ay-v.oy)*v.z, (bx-v.ox)*v.z, (by-v.oy)*v.z
	wa, wb = wa*v.z, wb*v.z
	w := max(wa, wb) + 1
	i0, i1 := max(int(floor32(min(ax, bx)-w)), 0), min(int(floor32(max(ax, bx)+w))+1, v.img.Rect.Dx())
	j0, j1 := max(int(floor32(min(ay, by)-w)), 0), min(int(floor32(max(ay, by)+w))+1, v.img.Rect.Dy())
	dx, dy := bx-ax, by-ay
	inv := 1 / max(dx*dx+dy*dy, 1e-6)
	for j := j0; j < j1; j++ {
		for i := i0; i < i1; i++ {
			px, py := float32(i)+0.5-ax, float32(j)+0.5-ay
			t := min(max((px*dx+py*dy)*inv, 0), 1)
			ex, ey := px-t*dx, py-t*dy
			edge := wa + (wb-wa)*t + 0.5 - sqrt32(ex*ex+ey*ey)
			if edge > 0 {
				v.blend(j*v.img.Stride+4*i, c, alpha*min(edge, 1))
			}
		}
	}
}

func (v *view) hunters(prey Species) {
	for i := range v.w.Predators {
		p := &v.w.Predators[i]
		if p.Prey != prey || !v.seen(p.X, p.Y, 60) {
			continue
		}
		ux, uy := heading(p.VX, p.VY)
		switch prey {
		case Bird:
			flap := float32(v.w.Tick)/60*3 + float32(i)
			v.bird(p.X+18, p.Y+24, ux, uy, 13, flap, toF(v.pal.Shadow), 0.30)
			v.bird(p.X, p.Y, ux, uy, 14, flap, toF(v.pal.Falcon), 1)
		case Sheep:
			v.stroke(p.X+2+ux*5, p.Y+3+uy*5, p.X+2-ux*6, p.Y+3-uy*6, 2.6, 1.4, toF(v.pal.Shadow), 0.35)
			fur := toF(v.pal.Wolf)
			v.stroke(p.X-ux*5, p.Y-uy*5, p.X-ux*9, p.Y-uy*9, 1.2, 0.6, fur.scale(0.8), 1)
			v.stroke(p.X+ux*4, p.Y+uy*4, p.X-ux*5, p.Y-uy*5, 2.6, 2.0, fur, 1)
			v.disc(p.X+ux*6, p.Y+uy*6, 2.2, fur.scale(1.25), 1, 0.8)
		case Fish:
			v.fish(p.X+2, p.Y+3, ux, uy, 9, toF(v.pal.Shadow), 0.25, float32(v.w.Tick)/60*4)
			v.fish(p.X, p.Y, ux, uy, 9, toF(v.pal.Pike), 0.8, float32(v.w.Tick)/60*4)
		}
	}
}

// paths draws what lies ahead of each walker as a dotted line that fades out.
func (v *view) paths() {
	for i := range v.w.Agents {
		a := &v.w.Agents[i]
		c := toF(v.pal.Agent[a.Hue])
		ahead := a.Path[min(a.Next, len(a.Path)):]
		for k := 1; k < len(ahead) && k < 90; k += 2 {
			x, y := v.w.Map.Centre(ahead[k])
			if v.seen(x, y, 4) {
				fade := 1 - float32(k)/90
				v.disc(x+0.7, y+0.9, 2.1, toF(v.pal.Shadow), 0.35*fade, 0.4)
				v.disc(x, y, 1.9, c, 0.95*fade, 0.7)
			}
		}
	}
}

func (v *view) walkers() {
	for i := range v.w.Agents {
		a := &v.w.Agents[i]
		if !v.seen(a.X, a.Y, 30) {
			continue
		}
		v.disc(a.X+2.5, a.Y+2, 6.4, toF(v.pal.Shadow), 0.40, 0.3)
		v.disc(a.X, a.Y+2, 6.6, toF(v.pal.Agent[a.Hue]), 0.75, 0.85)
		name := a.Sprite()
		if s, ok := v.w.Atlas.Sprite(name); ok {
			hop := float32(math.Abs(math.Sin(float64(v.w.Tick)*0.12 + float64(i))))
			hop *= min(sqrt32(a.VX*a.VX+a.VY*a.VY)/12, 1.6)
			v.sprite(s, a.X, a.Y-6-hop, 20)
			continue
		}
		v.disc(a.X, a.Y-3, 4.5, toF(v.pal.Agent[a.Hue]), 1, 0.9)
		v.disc(a.X-1.2, a.Y-5, 2.6, rgbf{255, 255, 255}, 0.5, 0.3)
	}
}

// Sprite returns the name of the sprite that shows an agent: the way it looks.
func (a *Agent) Sprite() string {
	switch {
	case a.VX > 6 && a.VX > abs32(a.VY)*0.6:
		return "gopher-right"
	case a.VX < -6 && -a.VX > abs32(a.VY)*0.6:
		return "gopher-left"
	}
	return "gopher-front"
}

// sprite draws a sprite around a point, height world units high.
func (v *view) sprite(s Sprite, x, y, height float32) {
	h := height * v.z
	from := s.Mip(h)
	wpx := h * float32(from.Dx()) / float32(from.Dy())
	px, py := (x-v.ox)*v.z, (y-v.oy)*v.z
	to := image.Rect(int(px-wpx/2), int(py-h/2), int(px+wpx/2), int(py+h/2))
	if to.Empty() {
		return
	}
	from = from.Sub(s.Rect.Min) // the image's own corner is the full size's
	draw.ApproxBiLinear.Scale(v.img, to, s.Image, from, draw.Over, nil)
}

func (v *view) names() {
	for _, site := range v.w.Map.Sites {
		if !v.seen(site.X, site.Y, 140) {
			continue
		}
		s, ok := v.w.Atlas.Sprite("site:" + site.Name)
		if !ok {
			continue
		}
		size := s.Rect.Size()
		at := v.pixel(site.X, site.Y-52).Sub(image.Pt(size.X/2, size.Y/2))
		draw.Draw(v.img, image.Rectangle{at, at.Add(size)}, s.Image, image.Point{}, draw.Over)
	}
}
