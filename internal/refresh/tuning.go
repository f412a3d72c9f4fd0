package refresh

import "time"

// Default is the period of a display of which nothing is known: 60 frames per second.
const Default = time.Second / 60

// Longest is the longest period of a display: slower than 17 Hz is a slow game.
const Longest = 60 * time.Millisecond

// The constants that tune, each with its reason.
const (
	window    = 60                     // samples for a median: a second at 60 Hz
	enough    = 8                      // samples before the first estimate
	learning  = 24                     // frames with small slices at the start and after a change: see consensus
	probe     = 64                     // frames without a sample before one frame gets a small slice: 1.5 % of them
	probes    = 3                      // probes in a row that contradict the estimate start the learning again
	moved     = 8                      // samples in a row that agree with one another, and not with the estimate
	smallest  = 500 * time.Microsecond // the small slice: an eighth of the period of 240 Hz
	scattered = 750 * time.Microsecond // how far the starts of frames may be off a display's refreshes

	// A host with shorter intervals may be paced by nothing: 240 Hz less a tenth for scatter. From pacedAbove on a
	// display paces the host: a hysteresis that is still below the period of 240 Hz.
	unpacedBelow = 3750 * time.Microsecond
	pacedAbove   = 4 * time.Millisecond

	agree  = 4 // clean frames in a row make a consensus
	verify = 4 // after a consensus one frame in so many stays small while the period is learned

	doubtful = 48 // frames with alternating slices until unpaced is decided
	seldom   = 7  // medians between two decisions: a decision sorts four times, 10 µs, much for frames of 1 µs

	fitMost  = 256             // intervals for a line: 4 s at 60 Hz, 0.5 s at 500 Hz
	fitLeast = 16              // intervals for a line
	fitSpan  = time.Second / 2 // of frames for a line, if there are so many: a clock of 1 ms makes a line too regular
	fitEvery = 8               // intervals between two lines
	fitError = 0.0001          // of the period: the fit takes more frames until the slope is that exact
	fitClock = 0.01            // of the period: a smaller scatter about the line is a clock's
	fitWorst = 0.001           // of the period: a slope that may be off by more is not used

	// gridDrift is the part of a frame's lateness that the grid follows. At 60 Hz the grid has caught up with a display
	// that is slower by 0.1 % (17 µs a frame) when the grid is 0.5 ms ahead.
	gridDrift = 32
	gridFar   = 8 // frames in a row that are late by an eighth of the interval: the grid is wrong
)
