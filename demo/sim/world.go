package sim

import (
	"image"
	"slices"
	"sync/atomic"
	"time"
)

// The measures of the valley. One world unit is one pixel at zoom 1.
const (
	TileSize    = 8                     // world units per tile
	MapTiles    = 512                   // tiles per side of the map
	ChunkSize   = 128                   // world units, and pixels, per side of a chunk
	WorldSize   = MapTiles * TileSize   // world units per side of the valley
	WorldChunks = WorldSize / ChunkSize // chunks per side
)

// Options sets up a World. The zero value is the demo's default world.
type Options struct {
	Seed     uint64      // zero is a seed like any other
	Boids    int         // the crowd; zero = 6000, negative = none
	Agents   int         // walkers; zero = 160, negative = none
	View     image.Point // size of the picture in pixels; zero = 1280x720
	MinZoom  float32     // how far the camera may zoom out; zero = 0.75; decides Terrain.Slots
	Detail   int         // of a fine terrain chunk; zero = DefaultDetail
	NoAssets bool        // no images and no texts; zero = those that ship with the demo
}

func (o Options) withDefaults() Options {
	or := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
		*v = max(*v, 0)
	}
	or(&o.Boids, 6000)
	or(&o.Agents, 160)
	or(&o.Detail, DefaultDetail)
	o.Detail = min(max(o.Detail, 1), MaxDetail)
	if o.View == (image.Point{}) {
		o.View = image.Pt(1280, 720)
	}
	if !(o.MinZoom > 0) {
		o.MinZoom = 0.75
	}
	o.MinZoom = min(max(o.MinZoom, 0.25), 8)
	return o
}

// World is the whole game. New, every method and every field are for the frame goroutine. Work leaves it as a Job.
type World struct {
	Tick      uint64
	Camera    Camera // the caller may write it between two Steps; Step keeps it in the valley
	Map       *Map   // never changes
	Crowd     *Crowd // read only for the caller, as is all that follows
	Predators []Predator
	Agents    []Agent
	Paths     PathTable
	Terrain   *Terrain
	Assets    Assets
	Atlas     *Atlas
	Uploads   Uploads
	Problems  []Problem // the first of each name

	opts    Options
	threats []threat
	scare   threat
	scaring bool
}

// New makes the valley: about 100 ms of CPU time, on all CPUs. No job is submitted before the first Step.
func New(o Options) *World {
	return newWorld(o.withDefaults(), newMap(o.Seed))
}

// newWorld makes a world on a map, which worlds of the same seed may share.
func newWorld(o Options, m *Map) *World {
	w := &World{opts: o, Map: m}
	w.Crowd = newCrowd(o.Seed, w.Map, o.Boids)
	w.Predators = newPredators(o.Seed, w.Map)
	w.Agents = newAgents(o.Seed, w.Map, o.Agents)
	w.Paths.gen = make([]atomic.Uint32, len(w.Agents))
	w.Camera = Camera{Zoom: max(1, o.MinZoom), View: o.View}
	w.Camera.X, w.Camera.Y = w.Map.flyway(0, 0)
	w.Camera.clamp(o.MinZoom)
	w.Terrain = newTerrain(w, o.View, o.MinZoom)
	w.Atlas = newAtlas(&w.Uploads)
	w.Assets = newAssets(w)
	w.threats = make([]threat, 0, maxThreats)
	return w
}

// Options returns the options with their defaults filled in.
func (w *World) Options() Options { return w.opts }

// Scare makes the crowd flee from a point, a mouse pointer say, until it is called with on false.
func (w *World) Scare(x, y float32, on bool) {
	w.scare, w.scaring = threat{x: x, y: y, prey: -1}, on && x == x && y == y
}

// Step advances the world by one tick of dt, clamped to [1 ms, 50 ms]. The camera glides, the crowd (a ParallelFor)
// and the predators move, agents walk and ask for paths, and terrain is asked for around the camera. The first Step
// asks for all assets. In steady state Step itself allocates nothing. Frame goroutine only.
//
// On one core of 2020 a Step with 6,000 boids takes 1.5 ms to 2 ms, nearly all of it in the ParallelFor, and the time
// of the Runner's Submit.
func (w *World) Step(dt time.Duration, r Runner) {
	w.Tick++
	s := float32(min(max(dt, time.Millisecond), 50*time.Millisecond).Seconds())
	if !w.Camera.Free {
		x, y := w.Map.flyway(w.Tick, 0)
		w.Camera.glide(x, y, s)
	}
	w.Camera.clamp(w.opts.MinZoom)
	w.Crowd.step(s, w.Tick, w.fears(), r)
	w.hunt(s)
	w.walk(s, r)
	w.Terrain.stream(r)
	if w.Tick == 1 {
		w.Reload(r)
	}
}

// fears lists what the crowd flees from.
func (w *World) fears() []threat {
	list := w.threats[:0]
	if w.scaring {
		list = append(list, w.scare)
	}
	for i := range w.Predators {
		p := &w.Predators[i]
		list = append(list, threat{p.X, p.Y, int8(p.Prey)})
	}
	return list
}

// Problem is something that went wrong and was got over, as a save that failed.
type Problem struct {
	Name string // of the asset
	Err  error
}

// problem notes the first problem of each name.
func (w *World) problem(name string, err error) {
	if !slices.ContainsFunc(w.Problems, func(p Problem) bool { return p.Name == name }) {
		w.Problems = append(w.Problems, Problem{name, err})
	}
}
