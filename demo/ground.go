//go:build !headless

package main

import (
	"image"
	"math"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/demo/sim"
)

// ground is the texture memory of the world, and the picture of its terrain. Chunks live side by side in one image,
// so the terrain is one draw call. Their pixels arrive in pieces through upload, which only the frame goroutine can
// do. In the frameslice mode uploads are a task of the slice.
//
// The vignette and the shadows of clouds are in the colours of the vertices, so they cost no further pixels.
type ground struct {
	chunks   *ebiten.Image
	columns  int
	overview *ebiten.Image
	pages    []*ebiten.Image // of the atlas of decoded images

	slotChunk []int32   // which chunk a slot showed last
	slotSince []float32 // and since when, seconds: a new picture fades in
	batch     batch
}

func newGround(w *sim.World) *ground {
	g := &ground{batch: newBatch()}
	g.columns = int(math.Ceil(math.Sqrt(float64(w.Terrain.Slots))))
	rows := (w.Terrain.Slots + g.columns - 1) / g.columns
	unmanaged := &ebiten.NewImageOptions{Unmanaged: true}
	g.chunks = ebiten.NewImageWithOptions(
		image.Rect(0, 0, g.columns*sim.ChunkSize, rows*sim.ChunkSize), unmanaged)
	g.overview = ebiten.NewImageWithOptions(w.Map.Overview.Rect, unmanaged)
	g.overview.WritePixels(w.Map.Overview.Pix)
	g.slotChunk = make([]int32, w.Terrain.Slots)
	g.slotSince = make([]float32, w.Terrain.Slots)
	for i := range g.slotChunk {
		g.slotChunk[i] = -1
	}
	return g
}

// page returns the texture of an atlas page, made when first asked for.
func (g *ground) page(n int) *ebiten.Image {
	for len(g.pages) <= n {
		g.pages = append(g.pages, ebiten.NewImageWithOptions(
			image.Rect(0, 0, sim.AtlasSize, sim.AtlasSize), &ebiten.NewImageOptions{Unmanaged: true}))
	}
	return g.pages[n]
}

// upload moves the next piece of at most maxBytes to the graphics card. It returns the bytes of the piece, 0 if there
// is none. It may run in the swap's shadow, because Ebitengine takes WritePixels from any goroutine between frames.
func (g *ground) upload(w *sim.World, maxBytes int) int {
	u, ok := w.Uploads.Next(maxBytes)
	if !ok {
		return 0
	}
	to, at := g.chunks, image.Pt(u.Slot%g.columns, u.Slot/g.columns).Mul(sim.ChunkSize)
	if u.Target == sim.TargetAtlas {
		to, at = g.page(u.Slot), image.Point{}
	}
	to.SubImage(u.Rect.Add(at)).(*ebiten.Image).WritePixels(u.Pix)
	return len(u.Pix)
}

// draw draws the terrain that the camera sees; t is the time in seconds.
func (g *ground) draw(screen *ebiten.Image, w *sim.World, t float32) {
	cam := &w.Camera
	x0, y0, x1, y1 := cam.Bounds()
	in := func(v float32) int {
		return min(max(int(math.Floor(float64(v/sim.ChunkSize))), 0), sim.WorldChunks-1)
	}
	cx0, cy0, cx1, cy1 := in(x0), in(y0), in(x1), in(y1)
	light := func(wx, wy, px, py float32) colour { return g.light(cam, wx, wy, px, py, t) }

	const tiles = sim.ChunkSize / sim.TileSize
	g.batch.begin(screen, g.overview, ebiten.FilterLinear)
	filter := ebiten.FilterLinear
	if cam.Zoom == 1 {
		filter = ebiten.FilterNearest
	}
	for pass := range 2 {
		if pass == 1 {
			g.batch.begin(screen, g.chunks, filter)
		}
		for cy := cy0; cy <= cy1; cy++ {
			for cx := cx0; cx <= cx1; cx++ {
				slot, _, ok := w.Terrain.Slot(cx, cy)
				k := float32(0)
				if ok {
					k = g.fade(slot, int32(cy*sim.WorldChunks+cx), t)
				}
				if pass == 0 && k >= 1 || pass == 1 && !ok {
					continue
				}
				wx0, wy0 := float32(cx*sim.ChunkSize), float32(cy*sim.ChunkSize)
				wx1, wy1 := wx0+sim.ChunkSize, wy0+sim.ChunkSize
				px0, py0 := snap(cam.Screen(wx0, wy0))
				px1, py1 := snap(cam.Screen(wx1, wy1))
				u0, v0 := float32(cx*tiles), float32(cy*tiles)
				r := region{u0, v0, u0 + tiles, v0 + tiles}
				if pass == 1 {
					u, v := float32(slot%g.columns*sim.ChunkSize), float32(slot/g.columns*sim.ChunkSize)
					r = region{u + 0.5, v + 0.5, u + sim.ChunkSize - 0.5, v + sim.ChunkSize - 0.5}
					if px1-px0 == sim.ChunkSize { // one to one: texels meet pixels
						r = region{u, v, u + sim.ChunkSize, v + sim.ChunkSize}
					}
				} else {
					k = 1
				}
				g.batch.shaded(px0, py0, px1, py1, r,
					light(wx0, wy0, px0, py0).fade(k), light(wx1, wy0, px1, py0).fade(k),
					light(wx0, wy1, px0, py1).fade(k), light(wx1, wy1, px1, py1).fade(k))
			}
		}
	}
	g.batch.flush()
}

// fade returns how far the picture in a slot has come into view.
func (g *ground) fade(slot int, chunk int32, t float32) float32 {
	if g.slotChunk[slot] != chunk {
		g.slotChunk[slot], g.slotSince[slot] = chunk, t
	}
	return min(max((t-g.slotSince[slot])/0.35, 0.02), 1)
}

// light returns the brightness of the ground at a point: a vignette of the screen, and clouds that drift
// over the land.
func (g *ground) light(cam *sim.Camera, wx, wy, px, py, t float32) colour {
	dx := (px - float32(cam.View.X)/2) / float32(cam.View.X)
	dy := (py - float32(cam.View.Y)/2) / float32(cam.View.Y)
	v := 1.03 - 0.62*min(max(dx*dx+dy*dy-0.06, 0), 0.5)
	x, y, s := float64(wx), float64(wy), float64(t)
	a := math.Sin(x/430+s*0.10+1.3*math.Sin(y/610)) * math.Sin(y/370-s*0.05+x/910)
	if a > 0.25 {
		v -= 0.17 * float32(math.Min((a-0.25)/0.4, 1))
	}
	return colour{v, v, min(v*1.02, 1.05), 1}
}

// snap rounds a point to a device pixel, so that neighbouring chunks meet without a seam.
func snap(x, y float32) (float32, float32) {
	return float32(math.Floor(float64(x) + 0.5)), float32(math.Floor(float64(y) + 0.5))
}
