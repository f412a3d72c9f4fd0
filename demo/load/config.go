package load

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// A Wait is how the frame goroutine waits for its next tick.
type Wait string

const (
	WaitSyscall Wait = "syscall" // a system call that blocks until an absolute time, as a swap does (Linux)
	WaitTimer   Wait = "timer"   // a Go timer

	// Of a report only: a window does not wait itself.
	WaitSwap  Wait = "swap"       // the engine's swap of buffers blocks until the refresh
	WaitPacer Wait = "loop pacer" // nothing blocks, and the frame.Loop around the game waits
)

// ParseWait returns the way of waiting with that name.
func ParseWait(s string) (Wait, error) {
	switch w := Wait(s); w {
	case WaitSyscall, WaitTimer:
		return w, nil
	}
	return "", usage("unknown wait %q; it is %s or %s", s, WaitSyscall, WaitTimer)
}

// Config says what to run. The zero value is a run of the frameslice mode at the default load.
type Config struct {
	Compare bool   // all of Modes, interleaved in slices, instead of Mode alone
	Mode    Mode   // what Run runs; empty = Frameslice
	Modes   []Mode // what Compare runs; empty = Modes()

	Duration time.Duration // measured time of each mode; 0 = 20 s
	Slice    time.Duration // length of one uninterrupted stretch of a mode; 0 = 3 s, at most Duration
	Warmup   time.Duration // left out at the start of each slice; 0 = 500 ms, negative = none

	// Load is the offered work as a multiple of what the machine has left: Load × (CPUs − the frame's own
	// share) seconds of jobs come due each second, whatever has become of the earlier ones. Above 1 every
	// core stays busy and a backlog stands. 0 = 1.3, negative = no jobs.
	Load  float64
	Job   time.Duration // length of one job on an undisturbed core; 0 = 2 ms
	Alloc bool          // jobs allocate what they compute in, so that the collector runs
	Seed  uint64        // world, order of slices, jobs, resampling

	Interval time.Duration // length of a frame; 0 = 1/60 s
	Wait     Wait          // empty = WaitSyscall

	// Scene is the work; nil = the calibrated rig that Job and Load describe. A scene has one slice, of the whole
	// Duration: its world lives on.
	Scene Scene

	JSON, PNG, HGRM string // files to write at the end, whole or not at all; empty = none
	// Record is a folder for what record.Report.Save writes of each mode, empty = none.
	Record string
	// Flight is a folder for execution traces of late frames, empty = none: of the frames of all modes, or, in a
	// comparison, of ours.
	Flight   string
	Verbose  bool      // all that is known, in text
	Out      io.Writer // the text; nil = nowhere
	Progress io.Writer // a line per slice; nil = nowhere
}

// Defaults, named so that a command line can state them.
const (
	DefaultDuration = 20 * time.Second
	DefaultSlice    = 3 * time.Second
	DefaultWarmup   = 500 * time.Millisecond
	DefaultLoad     = 1.3
	DefaultJob      = 2 * time.Millisecond
	DefaultInterval = time.Second / 60
)

const (
	// Own is the frame's own work in a comparison without a window, serial and fixed in iterations.
	Own = 4 * time.Millisecond
	// backlog bounds the jobs that are accepted and not finished, as a time of offered load.
	backlog = 200 * time.Millisecond
	// liveHeap is what the game keeps alive in bytes if the jobs allocate: a quarter of it linked pieces that the
	// collector has to follow, the rest plain. Without it a collection comes every few ms, as in no game.
	liveHeap = 64 << 20
)

// WithDefaults returns c with every zero field replaced by its default and every "none" by zero.
func (c Config) WithDefaults() Config {
	dur := func(d *time.Duration, def time.Duration) {
		switch {
		case *d == 0:
			*d = def
		case *d < 0:
			*d = 0
		}
	}
	if c.Mode == "" {
		c.Mode = Frameslice
	}
	switch {
	case !c.Compare:
		c.Modes = []Mode{c.Mode}
	case len(c.Modes) == 0:
		c.Modes = Modes()
	}
	dur(&c.Duration, DefaultDuration)
	dur(&c.Slice, DefaultSlice)
	dur(&c.Warmup, DefaultWarmup)
	dur(&c.Job, DefaultJob)
	dur(&c.Interval, DefaultInterval)
	c.Slice = min(c.Slice, c.Duration)
	if c.Scene != nil {
		c.Slice = c.Duration
	}
	switch {
	case c.Load == 0:
		c.Load = DefaultLoad
	case c.Load < 0:
		c.Load = 0
	}
	if c.Wait == "" {
		c.Wait = WaitSyscall
	}
	if c.Out == nil {
		c.Out = io.Discard
	}
	if c.Progress == nil {
		c.Progress = io.Discard
	}
	return c
}

// Check returns a *UsageError for the first setting that cannot be run, nil otherwise. It looks at the
// folders of the output files, so that a long run does not fail at its last step; it creates nothing.
func (c Config) Check() error {
	c = c.WithDefaults()
	for i, m := range c.Modes {
		if !m.Valid() {
			_, err := ParseMode(string(m))
			return err
		}
		for _, n := range c.Modes[:i] {
			if m == n {
				return usage("mode %q is named twice", m)
			}
		}
	}
	if _, err := ParseWait(string(c.Wait)); err != nil {
		return err
	}
	longest := time.Hour
	if c.Scene != nil {
		longest = 24 * time.Hour
	}
	for _, d := range []struct {
		name      string
		v, lo, hi time.Duration
	}{
		{"duration", c.Duration, 100 * time.Millisecond, 24 * time.Hour},
		{"slice", c.Slice, 100 * time.Millisecond, longest},
		{"warm-up", c.Warmup, 0, time.Minute},
		{"job", c.Job, 10 * time.Microsecond, 10 * time.Second},
		{"interval", c.Interval, time.Millisecond, time.Second},
	} {
		if d.v < d.lo || d.v > d.hi {
			return usage("%s %v is out of range: it is %v to %v", d.name, d.v, d.lo, d.hi)
		}
	}
	if c.Scene == nil && Own >= c.Interval { // a scene has work of its own
		return usage("own work %v does not fit a frame of %v", Own, c.Interval)
	}
	if math.IsNaN(c.Load) || c.Load > 1000 {
		return usage("load %v is out of range: it is 0 to 1000", c.Load)
	}
	if n := c.maxPending(); c.Scene == nil && n > maxJobs {
		return usage("load %v of jobs of %v means %d waiting jobs; at most %d are kept", c.Load, c.Job, n, maxJobs)
	}
	files := []string{c.JSON, c.PNG, c.HGRM}
	for i, f := range files {
		if f != "" && slices.Contains(files[:i], f) {
			return usage("%s is named for two outputs", f)
		}
		if err := checkFile(f); err != nil {
			return err
		}
	}
	return nil
}

func checkFile(f string) error {
	if f == "" {
		return nil
	}
	if st, err := os.Stat(f); err == nil && st.IsDir() {
		return usage("cannot write %s: it is a folder", f)
	}
	dir := filepath.Dir(f)
	st, err := os.Stat(dir)
	switch {
	case err != nil:
		return usage("cannot write %s: there is no folder %s", f, dir)
	case !st.IsDir():
		return usage("cannot write %s: %s is no folder", f, dir)
	}
	return nil
}

// cpus is how many jobs can run at once: what the Go runtime was given, which on a limited container is less
// than the machine has.
func cpus() int { return min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) }

// rate is the offered jobs per second.
func (c Config) rate(cpus int) float64 {
	left := float64(cpus) - float64(Own)/float64(c.Interval)
	return c.Load * max(left, 0.1) * float64(time.Second) / float64(c.Job)
}

// maxJobs bounds the jobs that may wait, far beyond any useful setting.
const maxJobs = 1 << 18

// maxPending is the bound on jobs accepted and not finished. One frame's arrivals always fit.
func (c Config) maxPending() int {
	r := c.rate(cpus())
	return int(min(math.Ceil(r*max(backlog, c.Interval).Seconds()), math.MaxInt32)) // an int may have no more
}
