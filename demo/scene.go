//go:build !headless

package main

import (
	"context"
	"image"
	"math"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/workers/par"
)

// scene draws what lives on the ground. A graph makes the vertices, each layer's in a batch of its own. Workers run the
// layers at the same time if the loop has workers. Then the frame goroutine draws the layers in their order. The graph
// makes no vertex that the camera does not see.
type scene struct {
	graph   par.Graph
	seen    [3][]int32 // by species: the animals that the camera sees
	ways    batch      // as the other layers, it never fills up: only the frame goroutine may draw
	fish    batch
	sheep   batch
	shades  batch
	birds   batch
	batch   batch
	sprites batch
	look    *creatures
	palette sim.Palette
	site    []string // the sprite of each village's name
	posters []string // the sprites that hang in the villages

	// Of the frame that is drawn.
	world *sim.World
	zoom  float32
	time  float32
	level int // of the loop's pressure: the more, the simpler is the picture
}

func newScene(w *sim.World) *scene {
	s := &scene{
		batch: newBatch(), sprites: newBatch(), look: newCreatures(), palette: sim.Colours(), posters: posters(),
		world: w,
	}
	for i := range w.Map.Sites {
		s.site = append(s.site, "site:"+w.Map.Sites[i].Name)
	}
	layer := func(name string, b *batch, f func(), after ...*par.Node) {
		b.indices = s.batch.indices
		s.graph.Add(name, func() error { f(); return nil }, after...)
	}
	look := s.graph.Add("look", s.lookAround)
	layer("paths", &s.ways, s.paths)
	layer("walkers", &s.shades, s.shadows)
	layer("fish", &s.fish, func() { s.crowd(&s.fish, sim.Fish) }, look)
	layer("sheep", &s.sheep, func() { s.crowd(&s.sheep, sim.Sheep) }, look)
	layer("birds", &s.birds, func() { s.crowd(&s.birds, sim.Bird) }, look)
	return s
}

// seen is a circle on the screen: whether it can be seen at all.
func seen(cam *sim.Camera, x, y, r float32) bool {
	return x > -r && y > -r && x < float32(cam.View.X)+r && y < float32(cam.View.Y)+r
}

func (s *scene) draw(screen *ebiten.Image, g *ground, t float32, loop *frameslice.Loop, level int) {
	w := s.world
	s.zoom, s.time, s.level = w.Camera.Zoom, t, level
	_ = s.graph.Run(context.Background(), loop.Pool()) // no node fails
	for _, b := range [...]*batch{&s.ways, &s.fish, &s.sheep, &s.shades} {
		b.draw(screen, s.look.image)
	}
	s.drawPosters(screen, w, g)
	s.agents(screen, w, g, t)
	s.names(screen, w, g)
	s.birds.draw(screen, s.look.image)
}

// simpler is the pressure from which on the shadows of animals are left out.
const simpler = 2

// lookAround finds the animals that the camera sees.
func (s *scene) lookAround() error {
	cam, c := &s.world.Camera, s.world.Crowd
	for kind := range s.seen {
		s.seen[kind] = s.seen[kind][:0]
	}
	for i, kind := range c.Kind {
		if x, y := cam.Screen(c.X[i], c.Y[i]); seen(cam, x, y, 30*s.zoom) {
			s.seen[kind] = append(s.seen[kind], int32(i))
		}
	}
	return nil
}

// crowd makes the boids of one species, and the animals that hunt them.
func (s *scene) crowd(b *batch, kind sim.Species) {
	w, z, t := s.world, s.zoom, s.time
	cam, c := &w.Camera, w.Crowd
	cast := colour{0, 0.01, 0.03, 0.30}
	for pass := range 2 { // birds: all shadows before all birds
		if pass == 0 && (kind != sim.Bird || s.level >= simpler) {
			continue
		}
		for _, i := range s.seen[kind] {
			x, y := cam.Screen(c.X[i], c.Y[i])
			cos, sin, v := heading(c.VX[i], c.VY[i])
			switch kind {
			case sim.Bird:
				pose := s.look.bird[int(t*9+float32(i)*0.37+v*0.02)&3]
				if pass == 0 {
					b.turned(x+9*z, y+13*z, 13*z, 13*z, cos, sin, pose, cast)
					continue
				}
				b.turned(x, y, 15*z, 15*z, cos, sin, pose, hex(0xFFFFFF))
			case sim.Sheep:
				if s.level < simpler {
					b.turned(x+1*z, y+1.5*z, 14*z, 13*z, 1, 0, s.look.shadow, colour{0, 0, 0, 0.42})
				}
				b.turned(x, y, 13*z, 13*z, cos, sin, s.look.sheep, hex(0xFFFFFF))
			case sim.Fish:
				pose := s.look.fish[int(t*5+float32(i)*0.61)&1]
				b.turned(x, y, 10*z, 10*z, cos, sin, pose, hex(0xFFFFFF).fade(0.72))
			}
		}
		for i := range w.Predators {
			if p := &w.Predators[i]; p.Prey == kind {
				s.hunter(b, p, t+float32(i), pass)
			}
		}
	}
}

func (s *scene) hunter(b *batch, p *sim.Predator, t float32, pass int) {
	cam, z := &s.world.Camera, s.zoom
	x, y := cam.Screen(p.X, p.Y)
	if !seen(cam, x, y, 40*z) {
		return
	}
	cos, sin, _ := heading(p.VX, p.VY)
	white := hex(0xFFFFFF)
	switch p.Prey {
	case sim.Bird:
		pose := s.look.falcon[int(t*6)&3]
		if pass == 0 {
			b.turned(x+15*z, y+21*z, 27*z, 27*z, cos, sin, pose, colour{0, 0.01, 0.03, 0.26})
			return
		}
		b.turned(x, y, 30*z, 30*z, cos, sin, pose, white)
	case sim.Sheep:
		b.turned(x+1*z, y+2*z, 24*z, 20*z, 1, 0, s.look.shadow, colour{0, 0, 0, 0.45})
		b.turned(x, y, 25*z, 25*z, cos, sin, s.look.wolf, white)
	case sim.Fish:
		b.turned(x, y, 28*z, 28*z, cos, sin, s.look.pike, white.fade(0.85))
	}
}

// heading returns the direction and the length of a velocity; to the right when it stands still.
func heading(vx, vy float32) (cos, sin, v float32) {
	v = sqrt32(vx*vx + vy*vy)
	if v < 0.01 {
		return 1, 0, 0
	}
	return vx / v, vy / v, v
}

// paths makes the way that each walker has still to go, as a soft line that fades with distance.
func (s *scene) paths() {
	ahead := 44 >> s.level // tiles
	w, z := s.world, s.zoom
	cam := &w.Camera
	for i := range w.Agents {
		a := &w.Agents[i]
		if a.Next >= len(a.Path) {
			continue
		}
		x0, y0 := cam.Screen(a.X, a.Y)
		if !seen(cam, x0, y0, float32(ahead)*sim.TileSize*z) {
			continue
		}
		c := s.hue(a.Hue)
		way := a.Path[a.Next:]
		way = way[:min(len(way), ahead)]
		for k, tile := range way {
			wx := float32(tile%sim.MapTiles)*sim.TileSize + sim.TileSize/2
			wy := float32(tile/sim.MapTiles)*sim.TileSize + sim.TileSize/2
			x1, y1 := cam.Screen(wx, wy)
			k0 := 0.55 * (1 - float32(k)/float32(ahead))
			k1 := 0.55 * (1 - float32(k+1)/float32(ahead))
			s.ways.stroke(x0, y0, x1, y1, 6*z, s.look.line, c.fade(k0), c.fade(k1))
			x0, y0 = x1, y1
		}
	}
}

func (s *scene) hue(h uint8) colour {
	c := s.palette.Agent[int(h)%len(s.palette.Agent)]
	return colour{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255, 1}
}

// walkerSize is the height of a walker, in world units.
const walkerSize = 24

// shadows makes what lies under the walkers: a shadow, and a plate of their colour.
func (s *scene) shadows() {
	w, z := s.world, s.zoom
	for i := range w.Agents {
		a := &w.Agents[i]
		x, y := w.Camera.Screen(a.X, a.Y)
		if seen(&w.Camera, x, y, 30*z) {
			s.shades.turned(x+2*z, y+2*z, 26*z, 14*z, 1, 0, s.look.shadow, colour{0, 0, 0, 0.5})
			s.shades.turned(x, y, 17*z, 9*z, 1, 0, s.look.unknown, s.hue(a.Hue).fade(0.8))
		}
	}
}

// agents draws the walkers with their decoded sprites, at the mip level that fits the zoom, on a plate of their colour.
func (s *scene) agents(screen *ebiten.Image, w *sim.World, g *ground, t float32) {
	cam, z := &w.Camera, w.Camera.Zoom
	for i := range w.Agents {
		a := &w.Agents[i]
		x, y := cam.Screen(a.X, a.Y)
		if !seen(cam, x, y, 40*z) {
			continue
		}
		_, _, v := heading(a.VX, a.VY)
		hop := abs32(float32(math.Sin(float64(t*7+float32(i))))) * min(v/12, 1.6) * z
		sp, ok := w.Atlas.Sprite(a.Sprite())
		if !ok || !sp.Ready {
			s.batch.begin(screen, s.look.image, ebiten.FilterLinear)
			s.batch.turned(x, y-5*z-hop, 10*z, 10*z, 1, 0, s.look.unknown, s.hue(a.Hue))
			continue
		}
		r := area(sp.Mip(walkerSize * z))
		wid := walkerSize * z * r.w() / r.h()
		y0 := y - walkerSize*z + 4*z - hop
		s.sprites.begin(screen, g.page(sp.Page), ebiten.FilterLinear)
		s.sprites.quad(x-wid/2, y0, x+wid/2, y0+walkerSize*z, r, hex(0xFFFFFF))
	}
	s.batch.flush()
	s.sprites.flush()
}

func area(r image.Rectangle) region {
	return region{float32(r.Min.X), float32(r.Min.Y), float32(r.Max.X), float32(r.Max.Y)}
}

// names writes the villages' names. Jobs have drawn them.
func (s *scene) names(screen *ebiten.Image, w *sim.World, g *ground) {
	cam, z := &w.Camera, w.Camera.Zoom
	k := min(max(z, 0.8), 2)
	for i := range w.Map.Sites {
		site := &w.Map.Sites[i]
		x, y := cam.Screen(site.X, site.Y)
		if !seen(cam, x, y, 120*k) {
			continue
		}
		sp, ok := w.Atlas.Sprite(s.site[i])
		if !ok || !sp.Ready {
			continue
		}
		r := area(sp.Mips[0])
		x, y = snap(x-r.w()*k/2, y-34*z-r.h()*k)
		s.sprites.begin(screen, g.page(sp.Page), ebiten.FilterLinear)
		s.sprites.quad(x, y, x+r.w()*k, y+r.h()*k, r, hex(0xFFFFFF))
	}
	s.sprites.flush()
}

func sqrt32(v float32) float32 { return float32(math.Sqrt(float64(v))) }

func abs32(v float32) float32 { return max(v, -v) }
