package load

import (
	"runtime"
	"time"
)

// Config says what to run. The zero value is a run of the frameslice mode at the default load.
type Config struct {
	Modes []Mode // what runs, in turns; empty = Frameslice alone

	Duration time.Duration // measured time of each mode; 0 = 20 s
	Slice    time.Duration // length of one uninterrupted stretch of a mode; 0 = 3 s, at most Duration
	Warmup   time.Duration // left out at the start of each slice; 0 = 500 ms, negative = none

	// Load is the offered work as a multiple of what the machine has left: Load × (CPUs − the frame's own share)
	// seconds of jobs come due each second, whatever has become of the earlier ones. Above 1 every core stays busy
	// and a backlog stands. 0 = 1.3, negative = no jobs.
	Load float64
	Job  time.Duration // length of one job on an undisturbed core; 0 = 2 ms

	Interval time.Duration // length of a frame; 0 = 1/60 s

	Out string // the folder for what Report.Save leaves; empty = none
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

// Seed is that of the world, of the jobs, and of the order of the slices: each run is of the same work.
const Seed = 1

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
	if len(c.Modes) == 0 {
		c.Modes = []Mode{Frameslice}
	}
	dur(&c.Duration, DefaultDuration)
	dur(&c.Slice, DefaultSlice)
	dur(&c.Warmup, DefaultWarmup)
	dur(&c.Job, DefaultJob)
	dur(&c.Interval, DefaultInterval)
	c.Slice = min(c.Slice, c.Duration)
	switch {
	case c.Load == 0:
		c.Load = DefaultLoad
	case c.Load < 0:
		c.Load = 0
	}
	return c
}

// cpus is how many jobs can run at once: what the Go runtime was given. In a limited container the machine has more.
func cpus() int { return min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) }

// rate is the offered jobs per second.
func (c Config) rate(cpus int) float64 {
	left := float64(cpus) - float64(Own)/float64(c.Interval)
	return c.Load * max(left, 0.1) * float64(time.Second) / float64(c.Job)
}
