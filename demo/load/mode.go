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
	Frameslice Mode = "frameslice" // a loop of the preset frameslice.FillAll
)

// InlineBudget runs jobs on the frame goroutine until two thirds of the frame are used. In a browser, which has one
// thread, this mode is the strongest rival. It runs only when asked for by name.
const InlineBudget Mode = "inline-budget"

// LeaveOne is a loop of the preset frameslice.LeaveOne. It runs only when asked for by name.
const LeaveOne Mode = "leave-one"

// A role is what the verdict makes of a mode.
type role uint8

const (
	control role = iota // runs no jobs
	naive               // a rival
	ours                // is judged
)

var modes = [...]struct {
	mode   Mode
	role   role
	always bool // part of a comparison that names no modes
	says   string
}{
	{Idle, control, true, "the frame's own work only; crowd serial"},
	{Inline, naive, true, "on the frame goroutine, one frame's arrivals in each; crowd serial"},
	{Goroutines, naive, true, "go per job, results by channel; crowd serial"},
	{Workers, naive, true, "a goroutine per CPU on a buffered channel, sends never block; crowd serial"},
	{Errgroup, naive, true, "errgroup.SetLimit(CPUs), a goroutine feeds it, no frame blocks; crowd serial"},
	{Frameslice, ours, true,
		"preset FillAll: low-priority workers, GOMAXPROCS raised; crowd forked"},
	{LeaveOne, ours, false,
		"preset LeaveOne: one worker less than CPUs, what fits runs in the slice; crowd forked"},
	{InlineBudget, naive, false,
		"on the frame goroutine, until 2/3 of the frame are used, the rest carried over; crowd serial"},
}

// Modes returns what a comparison runs when no modes are named, the yardstick first.
func Modes() []Mode {
	var out []Mode
	for _, m := range modes {
		if m.always {
			out = append(out, m.mode)
		}
	}
	return out
}

// AllModes returns every mode, the ones for closer questions last.
func AllModes() []Mode {
	out := make([]Mode, len(modes))
	for i, m := range modes {
		out[i] = m.mode
	}
	return out
}

// Valid reports whether m is one of AllModes.
func (m Mode) Valid() bool { return m.index() >= 0 }

// Naive reports whether m is one of the ways that need no library of ours: the rivals in the verdict.
func (m Mode) Naive() bool { return m.is(naive) }

// Preset returns the front door's preset that m is a loop of, if it is one.
func (m Mode) Preset() (p frameslice.Preset, ok bool) {
	switch m {
	case Frameslice:
		return frameslice.FillAll, true
	case LeaveOne:
		return frameslice.LeaveOne, true
	}
	return p, false
}

// Quiet reports whether m runs no jobs: it is a control.
func (m Mode) Quiet() bool { return m.is(control) }

func (m Mode) is(r role) bool { i := m.index(); return i >= 0 && modes[i].role == r }

// Says returns how m runs a job, in a few words.
func (m Mode) Says() string {
	if i := m.index(); i >= 0 {
		return modes[i].says
	}
	return "unknown"
}

func (m Mode) index() int {
	for i := range modes {
		if modes[i].mode == m {
			return i
		}
	}
	return -1
}

// ParseMode returns the mode with that name, or an error that lists the names.
func ParseMode(s string) (Mode, error) {
	if m := Mode(s); m.Valid() {
		return m, nil
	}
	names := make([]string, 0, len(modes))
	for _, k := range modes {
		names = append(names, string(k.mode))
	}
	return "", fmt.Errorf("unknown mode %q; the modes are %s", s, strings.Join(names, ", "))
}

// ParseModes reads a comma-separated list of at least one mode, each named once.
func ParseModes(list string) ([]Mode, error) { return parseList(list, ParseMode) }

func parseList[T comparable](list string, parse func(string) (T, error)) ([]T, error) {
	var out []T
	for s := range strings.SplitSeq(list, ",") {
		v, err := parse(strings.TrimSpace(s))
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, v) {
			return nil, fmt.Errorf("%v is named twice", v)
		}
		out = append(out, v)
	}
	return out, nil
}
