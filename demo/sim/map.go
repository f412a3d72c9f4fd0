package sim

import (
	"image"
	"image/color"
	"runtime"
	"sync"
)

// Map is what the valley's inhabitants know of it, tile by tile. It never changes, so every goroutine may
// read it.
type Map struct {
	Ground   []Ground    // MapTiles*MapTiles, by rows
	Overview *image.RGBA // one pixel per tile: the picture for what no chunk shows yet
	Sites    []Site      // the villages, from the north-west to the south-east

	field    field
	cost     []uint8 // of a step onto the tile, in tenths; 0: not for walkers
	land     []bool  // walkable: the tile belongs to the largest connected area
	searches searches
	away     [3][]push
}

// Site is a village.
type Site struct {
	X, Y float32 // of its well
	Tile int32
	Name string
}

// push points out of ground that a species avoids: a vector of length at most 127.
type push struct{ x, y int8 }

// newMap computes the map on all CPUs: 100 ms of CPU time. The result does not depend on their number.
func newMap(seed uint64) *Map {
	m := &Map{
		Ground:   make([]Ground, MapTiles*MapTiles),
		Overview: image.NewRGBA(image.Rect(0, 0, MapTiles, MapTiles)),
		field:    newField(seed),
		cost:     make([]uint8, MapTiles*MapTiles),
	}
	height := make([]float32, MapTiles*MapTiles)
	bands(func(y0, y1 int) { m.survey(height, y0, y1) })
	bands(func(y0, y1 int) { m.paint(height, y0, y1) })
	m.connect()
	m.away[Sheep] = m.pushes(func(g Ground) bool { return g <= Shallow || g >= Rock })
	m.away[Fish] = m.pushes(func(g Ground) bool { return g > Shallow })
	m.settle()
	return m
}

// bands calls f for bands of rows at once and waits for all.
func bands(f func(y0, y1 int)) {
	n := min(runtime.GOMAXPROCS(0), 8)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i*MapTiles/n, (i+1)*MapTiles/n) })
	}
	wg.Wait()
}

func (m *Map) survey(height []float32, y0, y1 int) {
	var col [MapTiles]column
	for x := range col {
		col[x] = m.field.column((float32(x) + 0.5) * TileSize)
	}
	for y := y0; y < y1; y++ {
		for x := range MapTiles {
			height[y*MapTiles+x] = m.field.height(&col[x], (float32(x)+0.5)*TileSize, (float32(y)+0.5)*TileSize)
		}
	}
}

func (m *Map) paint(height []float32, y0, y1 int) {
	p := newPaint()
	inside := func(v int) int { return min(max(v, 0), MapTiles-1) }
	at := func(x, y int) float32 { return height[inside(y)*MapTiles+inside(x)] }
	for y := y0; y < y1; y++ {
		for x := range MapTiles {
			i := y*MapTiles + x
			wx, wy := (float32(x)+0.5)*TileSize, (float32(y)+0.5)*TileSize
			gx, gy := (at(x+1, y)-at(x-1, y))/(2*TileSize), (at(x, y+1)-at(x, y-1))/(2*TileSize)
			moist := m.field.moisture(wx, wy)
			g := classify(height[i], sqrt32(gx*gx+gy*gy), moist)
			m.Ground[i] = g
			m.cost[i] = walkCost(g)
			k := p.colour(&m.field, wx, wy, height[i], gx, gy, 0, moist)
			if g == Forest {
				k = k.scale(0.78)
			}
			m.Overview.SetRGBA(x, y, color.RGBA{clamp8(k.r), clamp8(k.g), clamp8(k.b), 255})
		}
	}
}

// walkCost is the cost of a straight step onto a tile; no cost is below minCost, which the heuristic relies
// on.
func walkCost(g Ground) uint8 {
	switch g {
	case Sand:
		return 12
	case Meadow:
		return minCost
	case Forest:
		return 16
	case Shallow:
		return 34
	}
	return 0
}

// Tile returns the tile under a point; points outside count as the nearest edge.
func (m *Map) Tile(x, y float32) int32 {
	tx := min(max(int32(x*(1.0/TileSize)), 0), MapTiles-1)
	ty := min(max(int32(y*(1.0/TileSize)), 0), MapTiles-1)
	return ty*MapTiles + tx
}

// Centre returns the middle of a tile.
func (m *Map) Centre(tile int32) (x, y float32) {
	return (float32(tile%MapTiles) + 0.5) * TileSize, (float32(tile/MapTiles) + 0.5) * TileSize
}

// firm returns the tile, or a walkable one at most three tiles away: an agent may have cut a corner.
func (m *Map) firm(tile int32) int32 {
	if m.land[tile] {
		return tile
	}
	x, y := tile%MapTiles, tile/MapTiles
	for r := int32(1); r <= 3; r++ {
		for ny := max(y-r, 0); ny <= min(y+r, MapTiles-1); ny++ {
			for nx := max(x-r, 0); nx <= min(x+r, MapTiles-1); nx++ {
				if n := ny*MapTiles + nx; m.land[n] {
					return n
				}
			}
		}
	}
	return tile
}

// connect finds the largest walkable area.
func (m *Map) connect() {
	label := make([]int32, len(m.cost))
	var stack []int32
	best, bestSize, next := int32(0), 0, int32(1)
	for start := range label {
		if label[start] != 0 || m.cost[start] == 0 {
			continue
		}
		size := 0
		label[start] = next
		for stack = append(stack[:0], int32(start)); len(stack) > 0; size++ {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			x := i % MapTiles
			for _, n := range [4]int32{i - 1, i + 1, i - MapTiles, i + MapTiles} {
				if n < 0 || n >= int32(len(label)) || (n == i-1 && x == 0) || (n == i+1 && x == MapTiles-1) {
					continue
				}
				if label[n] == 0 && m.cost[n] != 0 {
					label[n] = next
					stack = append(stack, n)
				}
			}
		}
		if size > bestSize {
			best, bestSize = next, size
		}
		next++
	}
	m.land = make([]bool, len(label))
	for i, l := range label {
		m.land[i] = l == best && l != 0
	}
}

// pushes returns, for each tile, the direction away from the ground that bad names: the gradient of its share
// in the square of 7x7 tiles around, so that animals turn before they get their feet wet.
func (m *Map) pushes(bad func(Ground) bool) []push {
	const r = 3
	sum := make([]int32, (MapTiles+1)*(MapTiles+1)) // summed-area table
	for y := range MapTiles {
		row := int32(0)
		for x := range MapTiles {
			if bad(m.Ground[y*MapTiles+x]) {
				row++
			}
			sum[(y+1)*(MapTiles+1)+x+1] = sum[y*(MapTiles+1)+x+1] + row
		}
	}
	area := func(x0, y0, x1, y1 int) int32 {
		x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, MapTiles), min(y1, MapTiles)
		const w = MapTiles + 1
		return sum[y1*w+x1] - sum[y0*w+x1] - sum[y1*w+x0] + sum[y0*w+x0]
	}
	out := make([]push, MapTiles*MapTiles)
	bands(func(lo, hi int) {
		for y := lo; y < hi; y++ {
			for x := range MapTiles {
				gx := area(x-r, y-r, x, y+r+1) - area(x+1, y-r, x+r+1, y+r+1)
				gy := area(x-r, y-r, x+r+1, y) - area(x-r, y+1, x+r+1, y+r+1)
				out[y*MapTiles+x] = push{int8(min(max(gx*6, -127), 127)), int8(min(max(gy*6, -127), 127))}
			}
		}
	})
	return out
}

// settle lists and names the villages.
func (m *Map) settle() {
	n := int32(WorldSize/siteCell + 1)
	for j := range n {
		for i := range n {
			s, ok := m.field.siteIn(i, j)
			if tile := m.Tile(s.x, s.y); ok && m.land[tile] {
				m.Sites = append(m.Sites, Site{s.x, s.y, tile, villageName(s.hash, len(m.Sites))})
			}
		}
	}
}

// villageName makes a name of a hash. Every fifth village has its name in kana, so that texts need a second script.
func villageName(h uint32, index int) string {
	if index%5 == 2 {
		head := [...]string{"みどり", "かわ", "あおい", "もり", "ひかり", "たに", "ほし", "かぜ"}
		tail := [...]string{"の里", "村", "が丘", "の谷"}
		return head[h%8] + tail[h>>8%4]
	}
	head := [...]string{
		"Alder", "Willow", "Heron", "Otter", "Hollow", "Stone", "Mossy", "Lark", "Bramble", "Copper", "Fallow",
		"Hazel", "Kestrel", "Linden", "Meadow", "Rowan",
	}
	tail := [...]string{"mere", "ford", "stead", "combe", "bridge", "wick", "holm", "ley", "beck", "thorpe"}
	return head[h%16] + tail[h>>8%10]
}
