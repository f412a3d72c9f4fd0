package load

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frameslice/frameslice"
)

// A Mode is one way to run background jobs beside a frame loop. The frame loop itself is the same in every mode.
type Mode string

// The modes of the demo. Idle runs no jobs at all, and is the yardstick of the others.
const (
	Idle       Mode = "idle"       // the frame's own work only
	Inline     Mode = "inline"     // jobs run on the frame goroutine, at most one frame's arrivals in a frame
	Goroutines Mode = "goroutines" // go per job, results through a channel
	Workers    Mode = "workers"    // one goroutine per CPU on a buffered channel, never blocking the frame
	Errgroup   Mode = "errgroup"   // errgroup.SetLimit(CPUs) fed by a goroutine, never blocking the frame
	Frameslice Mode = "frameslice" // a loop of the preset frameslice.MaxThroughput
)

// InlineBudget runs jobs on the frame goroutine until two thirds of the frame are used. In a browser, which has one
// thread, this mode is the strongest rival. It runs only when asked for by name.
const InlineBudget Mode = "inline-budget"

// Balanced is a loop of the preset frameslice.Balanced. It runs only when asked for by name.
const Balanced Mode = "balanced"

var modes = [...]struct {
	mode Mode
	says string // how it runs a job, and the crowd, in the width that the game's panel has
}{
	{Idle, "no jobs: they are held back; crowd serial"},
	{Inline, "jobs in the frame itself, crowd serial"},
	{Goroutines, "one goroutine per job, crowd serial"},
	{Workers, "goroutine per CPU, channel; crowd serial"},
	{Errgroup, "errgroup, CPUs as limit; crowd serial"},
	{Frameslice, "low-priority pool, slice; crowd forked"},
	{Balanced, "CPUs-1 workers, slice; crowd forked"},
	{InlineBudget, "jobs in 2/3 of the frame, crowd serial"},
}

// Modes returns what a comparison runs when no modes are named, the yardstick first.
func Modes() []Mode { return AllModes()[:6] }

// AllModes returns every mode, the ones for closer questions last.
func AllModes() []Mode {
	out := make([]Mode, len(modes))
	for i, m := range modes {
		out[i] = m.mode
	}
	return out
}

// Preset returns the front door's preset that m is a loop of, if it is one.
func (m Mode) Preset() (p frameslice.Preset, ok bool) {
	switch m {
	case Frameslice:
		return frameslice.MaxThroughput, true
	case Balanced:
		return frameslice.Balanced, true
	}
	return p, false
}

// Says returns how m runs a job, in a few words.
func (m Mode) Says() string {
	for _, k := range modes {
		if k.mode == m {
			return k.says
		}
	}
	return "unknown"
}

// ParseModes reads a comma-separated list of at least one mode, each named once.
func ParseModes(list string) ([]Mode, error) {
	var out []Mode
	all := AllModes()
	for s := range strings.SplitSeq(list, ",") {
		m := Mode(strings.TrimSpace(s))
		switch {
		case !slices.Contains(all, m):
			return nil, fmt.Errorf("unknown mode %q; the modes are %v", m, all)
		case slices.Contains(out, m):
			return nil, fmt.Errorf("%v is named twice", m)
		}
		out = append(out, m)
	}
	return out, nil
}
