// Package sim is the game of the demo without its engine: a valley with a river, seen from above, in which
// 6,000 birds, sheep and fish live, gophers walk from village to village, and terrain, pictures and texts are
// made while one looks. It needs no display and no graphics library, so tests and measurements run it
// anywhere.
//
// # What it is for
//
// The demo shows one and the same game under different executors. So every piece of work that could leave the
// frame goroutine is a Job, every executor is a Runner, and nothing else differs between the modes:
//
//	step     a ParallelFor over the crowd: must be complete when it returns, each frame, 1 ms to 2 ms
//	path     A* on 512 x 512 tiles, urgent, the latest request of an agent wins, about 46 a second
//	terrain  a chunk of the picture: coarse at once, fine soon, ahead of the camera when there is time
//	decode   PNG and JPEG files and lines of text, a burst of some 110 every 15 seconds
//	save     the whole world, gob and gzip, every 5 seconds if asked for
//
// # Concurrency
//
// DS1. The World belongs to the frame goroutine. A Job's Run reads what the job owns, the Map and the fonts,
// which never change (the free list of search memory in the Map has a lock), and the generation counters of
// the PathTable, which are atomic. It writes what the job owns.
//
// DS2. A Commit is short. Pictures are swapped, not copied; pixels leave through Uploads, some rows at a time.
//
// DS3. The crowd's ParallelFor reads one set of arrays and writes the other; body(lo, hi) writes [lo, hi)
// only.
//
// DS4. Everything in flight is bounded: 24 terrain jobs, one job per asset, one save, and, of paths, the
// unstarted ones that a newer request has turned into empty shells. Uploads holds a texture once.
//
// # Determinism
//
// DS5. World.Hash is a function of the options, the dt of each Step and the inputs (Scare): by DS3 the crowd
// does not depend on cuts and goroutines, and nothing in it reads the result of a job. By DS1 and a fixed
// order among equals a job's result is a function of its arguments. What remains is when results arrive:
// agents stand and wait for their path, hence HashAll, which includes them, is equal only among Runners that
// end all jobs within a Step.
//
// Floating point: float32 throughout. The language lets a compiler fuse x*y+z, and some do (arm64, ppc64,
// s390x; amd64 from GOAMD64=v3), so hashes may be compared within one build, not between architectures.
//
// # Costs
//
// go test -bench . prints them; the figures in the comments are of one busy core of a virtual machine. Step
// allocates nothing in steady state, nor do terrain and path jobs; decode and save allocate what image and
// compression libraries allocate, which is part of the point.
//
// # Rejected
//
// A torus instead of edges: noise without seams costs two more dimensions, and a camera on a path needs none.
// One closure per job instead of an interface: two allocations for each of 1,200 jobs a second. A copy of the
// atlas in memory: 4 MB to touch in one Commit; pixels now go from the decoder's memory to the card. Dead
// sheep.
package sim
