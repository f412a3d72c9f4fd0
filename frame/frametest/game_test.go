package frametest

import (
	"os"
	"strconv"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

// The faults that the measured game can have, by the variable GATE_PLANT.
const (
	plantOwn   = "own work +1 ms"
	plantSpike = "one frame of 200 +20 ms"
	plantKind  = "a kind 5 % slower"
	plantYield = "a lost yield"
)

const gameInterval = time.Second / 120

// game is the game that measures the gate: 2 ms of its own, and three kinds of tasks of 0.5 to 1 ms.
type game struct {
	loop  *frame.Loop
	plant string
	unit  int // steps of compute in a millisecond
	last  int64
}

func newGame(loop *frame.Loop) func() error {
	g := &game{loop: loop, plant: os.Getenv("GATE_PLANT")}
	g.unit, _ = strconv.Atoi(os.Getenv("GATE_UNIT"))
	loop.Go(deadline.Low, g.level)
	return g.frame
}

func (g *game) frame() error {
	own := 2.0
	if g.plant == plantOwn {
		own++
	}
	// One frame in the time of 200, whichever process that is in.
	now := time.Now().UnixNano() / int64(200*gameInterval)
	if g.plant == plantSpike && g.last != 0 && g.last != now {
		own += 20
	}
	g.last = now
	physics := g.loop.Section("physics")
	g.compute(own - 0.5)
	physics.End()
	scene := g.loop.Section("scene")
	g.compute(0.5)
	scene.End()
	g.loop.Post(deadline.Normal, g.path)
	g.loop.Post(deadline.Normal, g.crowd)
	return nil
}

func (g *game) path() {
	if g.plant == plantKind {
		g.compute(0.05)
	}
	g.compute(1)
}

func (g *game) crowd() { g.compute(0.5) }

// level builds a room a frame.
func (g *game) level(co *scheduler.Co) {
	for room := 1; ; room++ {
		g.compute(0.5)
		if g.plant != plantYield {
			co.NextFrame()
		} else if room%20 == 0 {
			for range 20 {
				co.NextFrame()
			}
		}
	}
}

// compute takes so many milliseconds of a free processor.
func (g *game) compute(ms float64) { sink += steps(int(ms * float64(g.unit))) }

var sink uint64

func steps(n int) uint64 {
	x := uint64(n)
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// measureUnit returns how many steps a free processor makes in a millisecond.
func measureUnit() int {
	const n = 1_000_000
	best := time.Hour
	for range 100 {
		begun := time.Now()
		sink += steps(n)
		best = min(best, time.Since(begun))
	}
	return int(n * float64(time.Millisecond) / float64(best))
}
