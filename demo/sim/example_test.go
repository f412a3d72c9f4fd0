package sim_test

import (
	"fmt"
	"time"

	"github.com/frameslice/frameslice/demo/sim"
)

// A world without executor, engine and display: two seconds of the valley.
func Example() {
	w := sim.New(sim.Options{Seed: 1, Boids: 1200, Agents: 20, NoAssets: true, Detail: sim.CoarseDetail})
	for range 120 {
		w.Step(time.Second/60, sim.Inline{})
		for { // a front would give the pixels to the graphics card, some in each frame
			if _, more := w.Uploads.Next(64 << 10); !more {
				break
			}
		}
	}
	absent, coarse := w.Terrain.Missing()
	fmt.Println(w.Tick, "ticks,", len(w.Crowd.X), "animals,", absent+coarse, "chunks missing")
	// Output: 120 ticks, 1200 animals, 0 chunks missing
}
