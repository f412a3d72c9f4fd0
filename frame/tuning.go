package frame

import "time"

// The constants that tune, each with its reason. Those of the reserve stand in reserve.go, those of collections in
// idle_gc.go and gc.go, and those of the display's period in internal/refresh.
const (
	// leastInterval is the least Options.Interval. A shorter one was meant in another unit, or for another field.
	leastInterval = 50 * time.Microsecond

	// statsEvery is how many frames pass between two looks at the pool, which cost 100 ns per worker.
	statsEvery = 16

	// leastRoom is what a slice must have left for another call of the scheduler, which starts at least one task.
	leastRoom = 100 * time.Microsecond

	// starvedFrames is how many frames jobs that do not fit wait where there is no worker. Then they run all the same.
	starvedFrames = 3

	// shadowFloor is the least slice in the shadow. Tasks would starve beside a host that comes back at once.
	shadowFloor = 500 * time.Microsecond

	// stuckAfter is how long Close waits for a task in the shadow before Close calls that a deadlock. Begin waits twice
	// as long, so that a process which a debugger has stopped is not accused on the spot.
	stuckAfter = 15 * time.Second

	// nearEdge is how close to its reserve a slice must end to say something about the reserve.
	nearEdge = 250 * time.Microsecond

	// lateGrace is the part of the interval by which a frame may be late before the pool stands back: 0.26 ms at 60 Hz.
	// A frame on an idle machine is late by up to 0.1 ms.
	lateGrace = 64

	// longestSleep is the longest wait in a system call, which nothing interrupts: a little more than 1/60 s.
	longestSleep = 20 * time.Millisecond
)

// The share of work where the host is late without it: see deadline.Budget. A loading screen wants progress more than
// frames.
const (
	defaultShare = 1. / 8
	loadingShare = 1. / 2

	// freeMost is the part of an interval that a slice takes at most where no display holds a slow host up: about what
	// a loop with a fixed budget of 8 ms at 60 Hz uses. A smaller slice would have the load last longer, and so make
	// more frames late than it saves.
	freeMost = 9. / 16

	// shareMargin is for controls, for tasks that do not fit, and for the time until a slow host is known.
	shareMargin = 17. / 16
)

// The host without work: see baseline.go.
const (
	controlEvery  = time.Second // between two controls: how soon a change of the host's speed is seen
	controlApart  = 32          // frames between two controls of a slow host, or they would take the work's share
	controlSlice  = 500 * time.Microsecond
	controlFrames = 12          // the most frames of a control: long tasks prevent a verdict
	controlBrief  = 4           // the most of a slow host if none of these is bare
	controlClean  = 6           // bare frames in time, in a row, that a slow host must have to count as fast
	restFrames    = 8           // whose mean is what a frame takes without its slice
	restMost      = time.Second // the longest frame that counts for the share
)

// Gaps and jumps: see interval.go and judge.go.
const (
	// A gap is longer than gapIntervals and than gapLeast. A jump is longer than jumpGaps gaps: no frame takes five
	// seconds, but a debugger does.
	gapIntervals = 8
	gapLeast     = 250 * time.Millisecond
	jumpGaps     = 20

	// A host that shows less than four frames a second has a gap in each frame: that is its rate. The first rateGaps
	// gaps in a row put the timers off. Later gaps up to rateSlowest do not, or time would stand still for timers.
	// Later gaps beyond rateSeen are jumps: nobody sees that host.
	rateGaps    = 3
	rateSeen    = 750 * time.Millisecond
	rateSlowest = 2 * time.Second
)

// Pressure: see pressure.go.
const (
	pressureLevels = 4   // the highest level
	pressureDepth  = 256 // how many tasks and jobs a slice leaves behind under a full load

	// A frame of at least pressureHigh is hot, and one of at most pressureLow is calm. Between the two nothing changes.
	pressureHigh = 0.9
	pressureLow  = 0.5

	pressureRise    = 100 * time.Millisecond // hot time, less calm time, that raises the level: a player feels that
	pressureFall    = 2 * time.Second        // calm time that lowers the level, so that the picture does not flicker
	pressureSetback = 32                     // calm frames that a hot one undoes
)

// The watchdog: see watchdog.go and stuck.go.
const (
	stuckFrame = 10 * time.Second // a frame that takes longer hangs
	maxDump    = 16 << 20         // bytes of stacks to look at: some ten thousand goroutines
	maxChain   = 16               // stacks to show
)
