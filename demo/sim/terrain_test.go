package sim

import (
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
)

func TestTerrainFillsThePictureCoarseFirst(t *testing.T) {
	w := small(t)
	w.Camera.Free = true
	r := &later{}
	w.Terrain.stream(r)
	if len(r.jobs) != maxInFlight || w.Terrain.InFlight != maxInFlight {
		t.Fatalf("%d jobs in flight, want %d", len(r.jobs), maxInFlight)
	}
	first := r.jobs[0].(*terrainJob)
	near := int(w.Camera.X)/ChunkSize == first.cx && int(w.Camera.Y)/ChunkSize == first.cy
	if !near || r.prios[0] != deadline.UserBlocking {
		t.Errorf("the first job is not urgent, or not for the middle: %+v", r.jobs[0])
	}
	for w.Terrain.InFlight > 0 {
		absent, _ := w.Terrain.Missing()
		for i, j := range r.jobs {
			if j := j.(*terrainJob); j.detail > CoarseDetail && r.prios[i] == deadline.UserBlocking {
				t.Errorf("a fine picture is urgent")
			}
			if j := j.(*terrainJob); absent > maxInFlight && j.detail > CoarseDetail {
				t.Errorf("refines while %d chunks are missing", absent)
			}
		}
		r.settle()
		drain(w)
		w.Terrain.stream(r)
	}
	if absent, coarse := w.Terrain.Missing(); absent+coarse != 0 || w.Uploads.Len() != 0 {
		t.Errorf("at rest %d chunks are missing and %d coarse", absent, coarse)
	}
	asked := w.Terrain.Asked
	w.Terrain.stream(r)
	if w.Terrain.Asked != asked {
		t.Error("asks again for what it has")
	}
}

// checkTerrain verifies the links between slots, index, free list, jobs and uploads.
func checkTerrain(t *testing.T, tr *Terrain, r *shredder) {
	t.Helper()
	live := 0
	images := map[*image.RGBA]bool{}
	for i := range tr.slots {
		s := &tr.slots[i]
		if images[s.image] {
			t.Fatalf("two slots share a picture")
		}
		images[s.image] = true
		if s.live {
			live++
			if tr.at(s.cx, s.cy) != s {
				t.Fatalf("slot %d is not in the index", i)
			}
		} else if s.job != nil || s.pending || s.shown != 0 {
			t.Fatalf("slot %d is free and has work: %+v", i, *s)
		}
	}
	indexed := 0
	for _, k := range tr.index {
		if k > 0 {
			indexed++
		}
	}
	if live != indexed || live+len(tr.free) != tr.Slots {
		t.Fatalf("%d live, %d indexed, %d free of %d slots", live, indexed, len(tr.free), tr.Slots)
	}
	if tr.InFlight > maxInFlight || int(tr.Asked-tr.Committed) != tr.InFlight || tr.InFlight != len(r.jobs) {
		t.Fatalf("%d in flight, %d asked, %d committed, %d jobs", tr.InFlight, tr.Asked, tr.Committed, len(r.jobs))
	}
	for _, it := range tr.w.Uploads.queue {
		if s, ok := it.src.(*slot); ok && (!s.live || !s.pending) {
			t.Fatalf("slot %d waits for its upload after it was evicted", s.number)
		}
	}
	for _, j := range r.jobs {
		j := j.(*terrainJob)
		if images[j.chunk.Image] {
			t.Fatal("a job in flight writes a picture that a slot holds")
		}
		images[j.chunk.Image] = true
		if j.slot != nil && j.slot.job != j {
			t.Fatal("a job's slot does not know it")
		}
	}
	for _, j := range tr.jobs {
		if images[j.chunk.Image] {
			t.Fatal("a spare job holds a picture that is in use")
		}
		images[j.chunk.Image] = true
	}
}

func TestTerrainSurvivesAWildCamera(t *testing.T) {
	w := world(Options{Seed: 3, Boids: -1, Agents: -1, NoAssets: true, Detail: CoarseDetail + 1})
	r := newShredder(9)
	rnd := rand.New(rand.NewPCG(4, 4))
	w.Camera.Free = true
	for range ticks(600) {
		switch rnd.IntN(12) {
		case 0:
			w.Camera.X, w.Camera.Y = rnd.Float32()*WorldSize, rnd.Float32()*WorldSize
		case 1:
			w.Camera.Zoom = 0.5 + rnd.Float32()*4
		case 2:
			w.Camera.View = image.Pt(200+rnd.IntN(3000), 200+rnd.IntN(2000)) // also larger than New was told
		default:
			w.Camera.X += rnd.Float32()*200 - 100
		}
		w.Camera.clamp(w.opts.MinZoom)
		w.Terrain.stream(r)
		r.some()
		for range rnd.IntN(4) {
			w.Uploads.Next(1 << (10 + rnd.IntN(8)))
		}
		checkTerrain(t, w.Terrain, r)
	}
	if w.Terrain.Dropped == 0 {
		t.Error("no picture came too late: the test tests less than it should")
	}
	w.Camera.View, w.Camera.Zoom = image.Pt(1280, 720), 1
	w.Camera.clamp(w.opts.MinZoom)
	for range 40 {
		w.Terrain.stream(r)
		r.settle()
		drain(w)
	}
	if absent, coarse := w.Terrain.Missing(); absent+coarse != 0 {
		t.Errorf("at rest %d chunks are missing and %d coarse", absent, coarse)
	}
}

func TestSlotIsShownOnlyWhenUploadedWhole(t *testing.T) {
	w := world(Options{Seed: 3, Boids: -1, Agents: -1, NoAssets: true, Detail: 1})
	w.Terrain.stream(Inline{})
	cx, cy := int(w.Camera.X)/ChunkSize, int(w.Camera.Y)/ChunkSize
	shown := func() bool { _, _, ok := w.Terrain.Slot(cx, cy); return ok }
	if shown() || w.Terrain.at(cx, cy).detail == 0 {
		t.Error("committed: want a picture in memory, and none shown")
	}
	up, _ := w.Uploads.Next(ChunkSize * ChunkSize * 2) // half
	if up.Last || shown() {
		t.Error("shown after half of the rows")
	}
	if up, _ = w.Uploads.Next(1 << 20); !up.Last || !shown() {
		t.Error("not shown after all rows")
	}
	if n, detail, _ := w.Terrain.Slot(cx, cy); n != up.Slot || detail != 1 {
		t.Errorf("slot %d of detail %d, uploaded was slot %d", n, detail, up.Slot)
	}
	if _, _, ok := w.Terrain.Slot(-1, WorldChunks); ok {
		t.Error("a chunk outside the world")
	}
}

func TestMapAgreesWithTheTerrain(t *testing.T) {
	m := small(t).Map
	var count [Snow + 1]int
	for _, g := range m.Ground {
		count[g]++
	}
	for g, n := range count {
		if n < 200 {
			t.Errorf("only %d tiles of %v", n, Ground(g))
		}
	}
	walkable := 0
	for i := range m.land {
		if m.land[i] {
			walkable++
			if m.cost[i] < minCost {
				t.Fatalf("tile %d costs %d, less than the heuristic allows", i, m.cost[i])
			}
		}
	}
	if walkable*3 < len(m.land) {
		t.Errorf("only %d of %d tiles are connected land", walkable, len(m.land))
	}
	if len(m.Sites) < 20 {
		t.Errorf("only %d villages", len(m.Sites))
	}
	for _, s := range m.Sites {
		if !m.land[s.Tile] || strings.TrimSpace(s.Name) == "" || m.Tile(s.X, s.Y) != s.Tile {
			t.Errorf("village %+v", s)
		}
		if x, y := m.Centre(s.Tile); abs32(x-s.X) > TileSize || abs32(y-s.Y) > TileSize {
			t.Errorf("village %+v is not near its tile's middle", s)
		}
	}
	if m.Tile(-50, -50) != 0 || m.Tile(1e6, 1e6) != MapTiles*MapTiles-1 {
		t.Error("points outside are not clamped")
	}
	// The picture of the map and the chunks are painted with the same colours.
	c := Synth(3, 16, 16, DefaultDetail)
	var a, b [3]int
	for y := range ChunkSize {
		for x := range ChunkSize {
			p, q := c.Image.RGBAAt(x, y), m.Overview.RGBAAt(16*16+x/TileSize, 16*16+y/TileSize)
			a[0], a[1], a[2] = a[0]+int(p.R), a[1]+int(p.G), a[2]+int(p.B)
			b[0], b[1], b[2] = b[0]+int(q.R), b[1]+int(q.G), b[2]+int(q.B)
		}
	}
	for k := range a {
		if d := (a[k] - b[k]) / (ChunkSize * ChunkSize); d < -30 || d > 30 {
			t.Errorf("channel %d of the overview is off by %d", k, d)
		}
	}
}
