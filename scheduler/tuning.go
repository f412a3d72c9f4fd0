package scheduler

import "time"

// The constants that tune the scheduler, each with its reason. No promise depends on their exact values.
const (
	// overdueShare is the part of a slice that overdue work may use while fresh work waits: neither starves.
	overdueShare = 0.5
	// patience is the number of frames for which a task may be passed over: 50 ms at 60 Hz. It is waitFrames of
	// internal/costs: by then an estimate that is too high has fallen.
	patience = 3

	// passLimit is the number of tasks that do not fit and are passed over in one slice. Each costs about 50 ns.
	passLimit = 32
	// heldLimit is the same for tasks that are held back because they leave work to the host: there may be many.
	heldLimit = 1024
	// sweepLimit is how many overdue tasks one choice of a task sets aside, at most, to find a fresh one.
	sweepLimit = 1024
	// flatLimit is the number of tasks without any progress of the clock that end a slice with a deadline. A clock
	// that stands still would make the slice endless.
	flatLimit = 1 << 17
	// readyLimit is how many delayed tasks a count of ready tasks visits at most. There is a count after each slice,
	// and with 100,000 timers that are due it must not take a millisecond.
	readyLimit = 256

	// contSteps and contTime bound how long one task's continuations run ahead of their peers in a slice. The time is
	// for slices without a deadline; otherwise it is half of the slice. The explainer of the web's scheduler.yield has
	// a second, too.
	contSteps = 4096
	contTime  = time.Second

	// kindFloor is the least cost worth predicting. A task below it fits anywhere: its overrun is small beside those by
	// the garbage collector.
	kindFloor = 20 * time.Microsecond
	// cheapRuns is how many runs below the floor are remembered: enough that the estimate takes one costly run for an
	// outlier.
	cheapRuns = 40

	// bundleSize messages of the inbox make a bundle: to turn one around takes 5 to 30 µs.
	bundleSize = 256
	// drainChunk messages are read between two looks at the clock: about 30 µs when nothing is in the cache.
	drainChunk = 256
	// drainLeast messages are read before the first task of a slice, and outside of slices, whatever the time. So a
	// message that concerns the first task is known.
	drainLeast = 4096
	// dueChunk delayed members of groups become ready in one choice of a task: about 20 µs.
	dueChunk = 256
	// memberLimit is the length of the list that a group without members keeps.
	memberLimit = 1024

	// emptyBlocks is how many blocks of the arena are looked at for one that is free from end to end.
	emptyBlocks = 8
	// microtaskLimit is how many microtasks a frame runs. A microtask that adds itself must not stop the frame.
	microtaskLimit = 1000
	// idlePeriod is the longest idle period. A longer one would make input wait, in a slice without a deadline.
	idlePeriod = 50 * time.Millisecond
	// idleFloor is the shortest idle time worth starting a callback for.
	idleFloor = 100 * time.Microsecond
	// idleLimit is the number of coroutines without a task that are kept: 2 to 8 KiB each.
	idleLimit = 256
)
