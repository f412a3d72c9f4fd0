package load

import (
	"fmt"
	"io"
	"runtime"
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
	return "", fmt.Errorf("unknown wait %q; it is %s or %s", s, WaitSyscall, WaitTimer)
}

// Config says what to run. The zero value is a run of the frameslice mode at the default load. Package options checks a
// command line before it makes one.
type Config struct {
	Compare bool   // all of Modes, interleaved in slices, instead of Mode alone
	Mode    Mode   // what runs without Compare; empty = Frameslice
	Modes   []Mode // what Compare runs; empty = Modes()

	Beside []Beside // what runs beside them, each with every mode; empty = None

	Duration time.Duration // measured time of each mode, beside each; 0 = 20 s
	Slice    time.Duration // length of one uninterrupted stretch of a mode; 0 = 3 s, at most Duration
	Warmup   time.Duration // left out at the start of each slice; 0 = 500 ms, negative = none

	// Load is the offered work as a multiple of what the machine has left: Load × (CPUs − the frame's own share)
	// seconds of jobs come due each second, whatever has become of the earlier ones. Above 1 every core stays busy
	// and a backlog stands. 0 = 1.3, negative = no jobs.
	Load  float64
	Job   time.Duration // length of one job on an undisturbed core; 0 = 2 ms
	Alloc bool          // jobs allocate what they compute in, so that the collector runs
	Seed  uint64        // world, order of slices, jobs, resampling

	Interval time.Duration // length of a frame; 0 = 1/60 s
	Wait     Wait          // empty = WaitSyscall

	// Scene is the work; nil = the calibrated rig that Job and Load describe. A scene has one slice, of the whole
	// Duration: its world lives on.
	Scene Scene

	JSON, CSV, PNG, HGRM string // files to write at the end, whole or not at all; empty = none
	// Record is a folder for what record.Report.Save writes of each mode, empty = none.
	Record string
	// Flight is a folder for execution traces of late frames, empty = none. In a comparison only our frames have them.
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

// cpus is how many jobs can run at once: what the Go runtime was given. In a limited container the machine has more.
func cpus() int { return min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) }

// rate is the offered jobs per second.
func (c Config) rate(cpus int) float64 {
	left := float64(cpus) - float64(Own)/float64(c.Interval)
	return c.Load * max(left, 0.1) * float64(time.Second) / float64(c.Job)
}
