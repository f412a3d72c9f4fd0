//go:build !headless

package main

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/play"
)

// readout is everything that the overlay shows, gathered once a frame on the frame goroutine. The overlay
// draws it and asks nobody else: what it shows belongs to one moment.
type readout struct {
	mode   string // name, and how it runs a job
	says   string
	paused bool
	toast  string  // a passing message, "" for none
	toastK float32 // its opacity
	bad    bool    // the message is a complaint

	load    float64 // what the slider stands at
	maxLoad float64
	offered float64 // jobs a second, smoothed
	done    float64
	dropped float64
	cores   int

	hasSlice bool          // the mode has a slice
	shadow   bool          // and it lies in the swap's shadow
	game     time.Duration // spent by the game itself in the last frame, smoothed
	used     time.Duration // by the slice, or by the jobs in the frame
	budget   time.Duration
	reserve  time.Duration // kept back, as far as it can be told
	tasks    float64       // run a second, smoothed

	jobs       [deadline.NumPriorities]int // waiting, by priority, most urgent first
	ready      [deadline.NumPriorities]int // tasks of the frame goroutine
	running    int
	background int // workers of low priority, 0 = none

	hitch    play.Hitch
	status   string // of a comparison: which slice of how many
	pointed  bool   // the pointer is on the slider
	dragging bool
}
