//go:build !headless

package main

// readout is what the panels of the demo show, gathered once a frame on the frame goroutine.
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
	waiting int // jobs that have not begun
	running int

	status   string // of a comparison: which slice of how many
	pointed  bool   // the pointer is on the slider
	dragging bool
}
