package sim

import (
	"image"

	"github.com/frameslice/frameslice/deadline"
)

// Terrain keeps the chunks around the camera resident. A chunk passes through these states:
//
//	absent -> coarse asked -> coarse shown -> fine asked -> fine shown -> absent
//
// "Asked" begins when a job is submitted and ends with its Commit. "Shown" begins when Uploads has given out the last
// piece of the picture. If a chunk leaves the camera's surroundings while a job works for it, the Commit drops the
// picture. Frame goroutine only.
type Terrain struct {
	Slots     int    // number of textures of ChunkSize x ChunkSize that the front needs; a constant of a World
	Asked     uint64 // jobs submitted
	Committed uint64 // jobs committed
	Dropped   uint64 // of them: too late, the camera had moved on
	InFlight  int    // jobs submitted and not committed

	w     *World
	index [WorldChunks * WorldChunks]int16 // slot+1 of each chunk; 0: absent
	slots []slot
	free  []int16 // slots without a chunk
	jobs  []*terrainJob
	order []spot // scratch of stream
}

// slot is the place of a resident chunk. It is an uploadSource.
type slot struct {
	number  int
	cx, cy  int
	live    bool
	job     *terrainJob // asked for and not committed
	image   *image.RGBA // the newest committed picture
	detail  int         // of image; 0: none yet
	pending bool        // image waits in Uploads
	shown   int         // detail of what the front's texture shows completely; 0: nothing of this chunk
}

type spot struct {
	cx, cy   int
	distance int
}

const (
	margin      = 1  // chunks around the picture that are prefetched
	maxInFlight = 24 // terrain jobs: bounds the memory, and how much work a fast camera wastes
)

func newTerrain(w *World, view image.Point, minZoom float32) *Terrain {
	nx := int(float32(view.X)/minZoom)/ChunkSize + 2 + 2*margin
	ny := int(float32(view.Y)/minZoom)/ChunkSize + 2 + 2*margin
	t := &Terrain{w: w, Slots: min(nx*ny, WorldChunks*WorldChunks)}
	t.slots = make([]slot, t.Slots)
	for i := t.Slots - 1; i >= 0; i-- {
		t.slots[i] = slot{number: i, image: image.NewRGBA(image.Rect(0, 0, ChunkSize, ChunkSize))}
		t.free = append(t.free, int16(i))
	}
	t.order = make([]spot, 0, t.Slots)
	return t
}

// Slot returns the texture slot that shows chunk (cx, cy), and the detail shown. ok is false until a whole picture of
// the chunk has left Uploads. Until then the Map's Overview is the picture to draw.
func (t *Terrain) Slot(cx, cy int) (number, detail int, ok bool) {
	if s := t.at(cx, cy); s != nil && s.shown > 0 {
		return s.number, s.shown, true
	}
	return 0, 0, false
}

func (t *Terrain) at(cx, cy int) *slot {
	if cx < 0 || cy < 0 || cx >= WorldChunks || cy >= WorldChunks {
		return nil
	}
	if i := t.index[cy*WorldChunks+cx]; i > 0 {
		return &t.slots[i-1]
	}
	return nil
}

func (t *Terrain) visible() (x0, y0, x1, y1 int) {
	fx0, fy0, fx1, fy1 := t.w.Camera.Bounds()
	in := func(v float32) int { return min(max(int(floor32(v/ChunkSize)), 0), WorldChunks-1) }
	return in(fx0), in(fy0), in(fx1), in(fy1)
}

// stream evicts what the camera has left behind and asks for what it sees or is about to see: about 20 µs.
func (t *Terrain) stream(r Runner) {
	x0, y0, x1, y1 := t.visible()
	for i := range t.slots {
		s := &t.slots[i]
		if s.live && (s.cx < x0-margin || s.cx > x1+margin || s.cy < y0-margin || s.cy > y1+margin) {
			t.evict(s)
		}
	}
	// From the middle outwards, so that the eye's place comes first.
	mx, my := int(t.w.Camera.X)/ChunkSize, int(t.w.Camera.Y)/ChunkSize
	order := t.order[:0]
	for cy := max(y0-margin, 0); cy <= min(y1+margin, WorldChunks-1); cy++ {
		for cx := max(x0-margin, 0); cx <= min(x1+margin, WorldChunks-1); cx++ {
			s := t.at(cx, cy)
			if s != nil && (s.job != nil || s.detail >= t.w.opts.Detail) {
				continue
			}
			d := (cx-mx)*(cx-mx) + (cy-my)*(cy-my)
			if s != nil && s.detail > 0 {
				d += WorldChunks * WorldChunks * 2 // refine after all holes are filled
			}
			if len(order) < cap(order) {
				order = append(order, spot{cx, cy, d})
			}
		}
	}
	t.order = order
	for len(order) > 0 && t.InFlight < maxInFlight {
		best := 0
		for i := range order {
			if order[i].distance < order[best].distance {
				best = i
			}
		}
		o := order[best]
		order[best] = order[len(order)-1]
		order = order[:len(order)-1]
		inside := o.cx >= x0 && o.cx <= x1 && o.cy >= y0 && o.cy <= y1
		t.ask(o.cx, o.cy, inside, r)
	}
}

// ask submits the next job for a chunk: coarse if nothing is there, else fine.
func (t *Terrain) ask(cx, cy int, inside bool, r Runner) {
	s := t.at(cx, cy)
	if s == nil {
		n := len(t.free)
		if n == 0 {
			return // zoomed out further than New was told: the overview shows there
		}
		s = &t.slots[t.free[n-1]]
		t.free = t.free[:n-1]
		s.cx, s.cy, s.live, s.detail, s.shown = cx, cy, true, 0, 0
		t.index[cy*WorldChunks+cx] = int16(s.number + 1)
	}
	detail, prio := t.w.opts.Detail, deadline.Low
	if inside {
		prio = deadline.Normal
	}
	if s.detail == 0 && detail > CoarseDetail {
		detail = CoarseDetail
		if inside {
			prio = deadline.UserBlocking
		}
	}
	var j *terrainJob
	if n := len(t.jobs); n > 0 {
		j, t.jobs = t.jobs[n-1], t.jobs[:n-1]
	} else {
		j = &terrainJob{chunk: NewChunk()}
	}
	*j = terrainJob{chunk: j.chunk, t: t, slot: s, cx: cx, cy: cy, detail: detail}
	s.job = j
	t.Asked++
	t.InFlight++
	r.Submit(KindTerrain, prio, j)
}

func (t *Terrain) evict(s *slot) {
	if s.pending {
		t.w.Uploads.cancel(s)
		s.pending = false
	}
	if s.job != nil {
		s.job.slot = nil // its Commit drops the picture
		s.job = nil
	}
	t.index[s.cy*WorldChunks+s.cx] = 0
	s.live, s.detail, s.shown = false, 0, 0
	t.free = append(t.free, int16(s.number))
}

// terrainJob makes the picture of one chunk.
type terrainJob struct {
	t      *Terrain
	slot   *slot // nil: evicted meanwhile; frame goroutine only
	chunk  *Chunk
	cx, cy int
	detail int
}

func (j *terrainJob) Run() { SynthInto(j.chunk, j.t.w.opts.Seed, j.cx, j.cy, j.detail) }

// Commit swaps the pictures of job and slot: no pixel is copied.
func (j *terrainJob) Commit() {
	t := j.t
	t.InFlight--
	t.Committed++
	if s := j.slot; s != nil {
		s.job = nil
		s.image, j.chunk.Image = j.chunk.Image, s.image
		s.detail = j.detail
		s.pending = true
		t.w.Uploads.push(s)
	} else {
		t.Dropped++
	}
	j.slot = nil
	t.jobs = append(t.jobs, j)
}

func (s *slot) size() image.Point { return s.image.Rect.Max }

func (s *slot) rows(y, n int) (Target, int, image.Rectangle, []byte) {
	pix := s.image.Pix[y*s.image.Stride : (y+n)*s.image.Stride]
	return TargetChunk, s.number, image.Rect(0, y, ChunkSize, y+n), pix
}

func (s *slot) uploaded() {
	s.pending = false
	s.shown = s.detail
}
