// Package load runs the same frames and the same background work in different ways, and says what each does
// to the frames. It is the headless part of the demo, and the judge of its claims.
//
// # Usage
//
//	os.Exit(load.Main(ctx, load.Config{Compare: true, JSON: "r.json"}, os.Stdout, os.Stderr))
//
// Run returns the Report instead. A host that only wants the modes, as the window does, calls Open.
//
// # What is the same in every mode
//
//   - One goroutine runs the frames. It waits for absolute ticks of Config.Interval in the same way, by
//     default in a system call as a buffer swap does.
//   - Every frame does Own of work: a step of the crowd, and arithmetic up to the total. Both are
//     fixed in iterations that were measured at the start, so a core that is taken away shows as time. Only a
//     mode of ours forks the step; a naive mode that did would wait behind its own backlog.
//   - Jobs come due by an open schedule, job k at k/rate seconds, whatever became of the ones before. The
//     same seed gives the same jobs. A job paints one chunk of terrain; its result is committed on the frame
//     goroutine.
//   - At most 200 ms of offered work may wait. What comes due beyond that is dropped, and counted as
//     offered.
//
// Only the Executor differs. The idle mode has no jobs, and is the yardstick: what a machine does to a loop
// that asks nothing of it is no fault of any executor.
//
// # How a comparison is fair
//
// DL1. Slices of some seconds alternate, in rounds in which each mode runs once, in an order drawn anew for
// each round. A neighbour's load or a change of the clock speed falls on all modes alike.
//
// DL2. Each slice starts from the same world, after a collection, with a new executor; the executor of the
// slice before has ended all its goroutines and put GOMAXPROCS back. None of that lies in a measured frame.
// The first Config.Warmup of each slice is left out, and its frames are counted.
//
// DL3. Nothing is written, printed or allocated by the harness in a measured frame. Allocations, collections
// and processor time are read at the two ends of a slice.
//
// DL4. The naive modes are the best of their kind that we found. An errgroup whose Go is called by the frame
// blocks it whenever the group is full, and with TryGo it starts one job per CPU and frame; with a goroutine
// that feeds it, it does neither, so that is what stands in the table. Inline work is bounded to one frame's
// regular arrivals, because without the bound each late frame makes the next one later.
//
// DL5. Lateness is max(0, d-r) of the interval from one frame's start to the next. A mode that misses frames
// also does less of the frame's own work, and so has more time for jobs: the throughput of a naive mode that
// misses 70 % of the frames is not reduced for that. It is the harder rival.
//
// # The end
//
// When the context ends, the slice in progress ends at the next frame, what it measured counts, the executor
// is closed and the report is marked partial. Files are written whole or not at all, after the last frame.
package load
