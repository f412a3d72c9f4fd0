//go:build !headless

package main

import (
	"slices"
	"strings"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/demo/sim"
)

// posters hang the decoded images in the villages: those of -assets if there are any, else some of the
// built-in ones. An image that cannot be read hangs there too, as its placeholder, with its name below.
type posters struct {
	names []string // of the sprites that hang, those that cannot be read first
	bad   int      // how many of them cannot
	known int      // sprites in the atlas when names was made
	notes []note   // what the overlay is to write, this frame
}

// note is a text at a place of the screen, in device pixels.
type note struct {
	x, y float32
	text string
}

const (
	posterHeight = 46 // world units
	posterFrame  = 3
)

// builtinPosters are the built-in images that look well on a wall.
func builtinPosters() []string {
	return []string{
		"photo-gophers", "mascot-1", "shader-gopher", "photo-birthday",
		"gopher-flappy", "mascot-3", "backdrop", "ebiten",
	}
}

// list brings names up to date: images arrive one by one.
func (p *posters) list(w *sim.World) {
	all := w.Atlas.Names()
	if len(all) == p.known {
		return
	}
	p.known = len(all)
	p.names = p.names[:0]
	for _, n := range all {
		if strings.HasPrefix(n, sim.FromFolder) {
			p.names = append(p.names, n)
		}
	}
	if len(p.names) > 0 {
		p.sort(w)
		return
	}
	for _, n := range builtinPosters() {
		if slices.Contains(all, n) {
			p.names = append(p.names, n)
		}
	}
}

// sort puts what cannot be read first: whoever gave the folder wants to see it.
func (p *posters) sort(w *sim.World) {
	bad := func(name string) bool { s, _ := w.Atlas.Sprite(name); return s.Placeholder }
	slices.SortStableFunc(p.names, func(a, b string) int {
		switch x, y := bad(a), bad(b); {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return 0
	})
	p.bad = 0
	for p.bad < len(p.names) && bad(p.names[p.bad]) {
		p.bad++
	}
}

// at returns what hangs in village i: in every second one something that cannot be read, if there is any, so
// that one is always near.
func (p *posters) at(i int) string {
	switch good := len(p.names) - p.bad; {
	case p.bad == 0 || good == 0:
		return p.names[i%len(p.names)]
	case i%2 == 0:
		return p.names[i/2%p.bad]
	default:
		return p.names[p.bad+i/2%good]
	}
}

// drawPosters hangs one poster in each village.
func (s *scene) drawPosters(screen *ebiten.Image, w *sim.World, g *ground) {
	p := &s.posters
	p.list(w)
	p.notes = p.notes[:0]
	if len(p.names) == 0 {
		return
	}
	cam, z := &w.Camera, w.Camera.Zoom
	for i := range w.Map.Sites {
		site := &w.Map.Sites[i]
		x, y := cam.Screen(site.X+70, site.Y+26)
		if !seen(cam, x, y, 120*z) {
			continue
		}
		name := p.at(i)
		sp, ok := w.Atlas.Sprite(name)
		if !ok || !sp.Ready {
			continue
		}
		h := posterHeight * z
		r := area(sp.Mip(h))
		wid, rim := min(h*r.w()/r.h(), 2.2*h), posterFrame*z
		x0, y0 := snap(x-wid/2, y-h)
		s.batch.begin(screen, s.look.image, ebiten.FilterLinear)
		s.batch.turned(x0+wid/2+3*z, y0+h+rim, wid*1.25, 16*z, 1, 0, s.look.shadow, colour{0, 0, 0, 0.6})
		s.batch.quad(x0-rim, y0-rim, x0+wid+rim, y0+h+rim, s.look.plain, hex(0x5A4332))
		s.batch.quad(x0-rim/3, y0-rim/3, x0+wid+rim/3, y0+h+rim/3, s.look.plain, hex(0xF3ECDD))
		s.batch.flush()
		s.sprites.begin(screen, g.page(sp.Page), ebiten.FilterLinear)
		s.sprites.quad(x0, y0, x0+wid, y0+h, r, hex(0xFFFFFF))
		s.sprites.flush()
		if sp.Placeholder {
			p.notes = append(p.notes, note{x, y0 + h + rim, strings.TrimPrefix(name, sim.FromFolder)})
		}
	}
}
