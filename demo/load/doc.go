// Package load runs the same frames and the same background work in different ways, and says what each way does to the
// frames. It is the part of the demo that needs no window, and the judge of its claims.
//
//	err := load.Main(ctx, load.Config{Modes: load.Modes(), Out: "out"}, os.Stdout, os.Stderr)
//
// Run returns the Report instead. The window opens the modes by Open, and sums up its figures by Figures.
//
// # What is the same in every mode
//
//   - One goroutine runs the frames. It waits for absolute ticks of Config.Interval, by default in a system call as a
//     buffer swap does.
//   - Every frame does Own of work: a step of the crowd, and arithmetic up to the total. Both are fixed in iterations
//     that were measured at the start, so a core that is taken away shows as time. Only a mode of ours forks the
//     step. A naive mode that did would wait behind its own backlog.
//   - Jobs come due by a schedule that waits for nobody. The same seed gives the same jobs. A job paints one chunk of
//     terrain, and its result is committed on the frame goroutine.
//   - At most 200 ms of offered work may wait. What comes due beyond that is dropped, and counts as offered.
//   - A goroutine writes sound, 10 ms at a time and at most 40 ms ahead. A simulated device plays it by the clock. It
//     stands for every goroutine of the program that has to run in time and is not the frame's.
//
// Only the Executor differs. The idle mode has no jobs, and is the yardstick: no executor is to blame for what the
// machine does to a loop without jobs.
//
// # How a comparison is fair
//
// DL1. Slices of some seconds alternate, in rounds in which each mode runs once. Each round has an order of its own.
// So a neighbour's load or a change of the clock speed falls on all modes alike.
//
// DL2. Each slice starts from the same world, after a collection, with a new executor. The executor of the slice
// before has ended all its goroutines and put GOMAXPROCS back. None of that lies in a measured frame. The first
// Config.Warmup of each slice is left out, and its frames are counted.
//
// DL3. The harness writes, prints and allocates nothing in a measured frame. It reads allocations, collections and
// processor time at the two ends of a slice.
//
// DL4. The naive modes are the best of their kind that we found. The errgroup is fed by a goroutine of its own. Its
// Go would block the frame whenever the group is full, and its TryGo would start one job per CPU and frame. Inline
// work is bounded to one frame's regular arrivals, because without the bound each late frame makes the next one
// later.
//
// DL5. Lateness is max(0, d-r) of the interval d between the starts of two frames, where r is the target. A mode that
// misses frames also does less of the frame's own work, and so has more time for jobs. The table does not reduce the
// throughput of a naive mode for that, which makes it the harder rival.
//
// # The end
//
// When the context ends, the slice in progress ends at the next frame. Its figures count, the executor is closed,
// and the report is marked partial. Files are written whole or not at all, after the last frame.
package load
