//go:build !headless

package main

import (
	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/demo/sim"
)

const (
	posterHeight = 46 // world units
	posterFrame  = 3
)

// posters are the images that hang in the villages, one in each, in turns.
func posters() []string {
	return []string{
		"photo-gophers", "mascot-1", "shader-gopher", "photo-birthday",
		"gopher-flappy", "mascot-3", "backdrop", "ebiten",
	}
}

// drawPosters hangs one poster in each village, as soon as its image has been decoded.
func (s *scene) drawPosters(screen *ebiten.Image, w *sim.World, g *ground) {
	cam, z := &w.Camera, w.Camera.Zoom
	for i := range w.Map.Sites {
		site := &w.Map.Sites[i]
		x, y := cam.Screen(site.X+70, site.Y+26)
		if !seen(cam, x, y, 120*z) {
			continue
		}
		sp, ok := w.Atlas.Sprite(s.posters[i%len(s.posters)])
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
	}
}
