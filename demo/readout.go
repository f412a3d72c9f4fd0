//go:build !headless

package main

import "github.com/frameslice/frameslice/demo/play"

// readout is what the panels of the demo show, gathered once a frame on the frame goroutine.
type readout struct {
	mode   string // name, and how it runs a job
	says   string
	paused bool
	toast  play.Message // passes by; zero for none
	toastK float32      // its opacity

	listed bool        // the panel of the parts is shown
	parts  []play.Part // what it says

	load    float64 // what the slider stands at
	maxLoad float64
	offered float64 // jobs a second, smoothed
	done    float64
	dropped float64
	cores   int
	waiting int // jobs that have not begun
	running int

	status   string // of a comparison: which slice of how many
	pointed  bool   // the pointer is on the slider
	dragging bool
}
