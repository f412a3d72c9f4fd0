// Package sim is the game of the demo without its engine: a valley with a river, seen from above. 6,000 birds, sheep
// and fish live in it, and gophers walk from village to village. Terrain, pictures and texts are made while one
// looks. It needs no display and no graphics library, so tests and measurements run it anywhere.
//
// # What it is for
//
// The demo shows the same game under different executors. So every piece of work that could leave the frame goroutine
// is a Job, every executor is a Runner, and nothing else differs between the modes:
//
//	step     a ParallelFor over the crowd: must be complete when it returns, each frame, 1 ms to 2 ms
//	path     A* on 512 x 512 tiles, urgent, the latest request of an agent wins, about 46 a second
//	terrain  a chunk of the picture: coarse at once, fine soon, ahead of the camera when there is time
//	decode   PNG and JPEG files and lines of text, in a burst
//
// # Concurrency
//
// DS1. The World belongs to the frame goroutine. A Job's Run writes only what the job owns. It reads what the job
// owns and what never changes: the Options, the Map, the fonts. The free list of search memory in the Map has a lock,
// and the generation counters of the PathTable are atomic.
//
// DS2. A Commit is short. Pictures are swapped, not copied; pixels leave through Uploads, some rows at a time.
//
// DS3. The crowd's ParallelFor reads one set of arrays and writes the other; body(lo, hi) writes [lo, hi) only.
//
// DS4. Everything in flight is bounded: 24 terrain jobs, one job per asset, and the searches. A newer request
// makes an unstarted search an empty shell. Uploads holds a texture once.
//
// # Determinism
//
// DS5. The crowd, the predators and the goals of the walkers are a function of the options, the dt of each Step and
// the inputs (Scare). By DS3 the crowd does not depend on cuts and goroutines, and nothing in it reads the result of
// a job. By DS1 and a fixed order among equals a job's result is a function of its arguments. Only the time at which
// results arrive differs: walkers stand and wait for their path. The tests compare hashes of worlds under different
// Runners.
//
// Floating point is float32 throughout. Go lets a compiler fuse x*y+z, and some do (arm64, ppc64, s390x; amd64 from
// GOAMD64=v3). So worlds are the same within one build, and not between architectures.
//
// # Costs
//
// The figures in the comments are of one busy core of a virtual machine. Step allocates nothing in steady state, nor do
// terrain and path jobs. Decode allocates what image libraries allocate, as in any game.
package sim
