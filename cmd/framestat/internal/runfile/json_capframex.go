package runfile

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
)

// capture is CapFrameX's list of figures of the frames of one run. A missing list is empty.
type capture struct {
	MsBetweenPresents, MsBetweenDisplayChange, TimeInSeconds numbers

	CPUActive, GPUActive, MsInPresentAPI numbers // as the parts of presentParts

	Dropped []bool
}

// numbers is a list of numbers. A word, such as "NaN" or null, is 0.
type numbers []float64

// UnmarshalJSON is of json.Unmarshaler. A list may have millions, so none is a value of its own.
func (n *numbers) UnmarshalJSON(text []byte) error {
	text = bytes.TrimSpace(text)
	list, ok := bytes.CutPrefix(text, []byte("["))
	if !ok || len(text) < 3 {
		return nil // null, or empty
	}
	for cell := range bytes.SplitSeq(list[:len(list)-1], []byte(",")) {
		cell = bytes.TrimSpace(cell)
		f, err := 0.0, error(nil)
		if word := len(cell) == 0 || cell[0] == '"' || cell[0] == 'n'; !word {
			f, err = strconv.ParseFloat(string(cell), 64)
		}
		if err != nil {
			return fmt.Errorf("%.40q is no number", cell)
		}
		if len(*n) == maxFrames {
			return errFrames
		}
		*n = append(*n, f)
	}
	return nil
}

// capFrameX joins the runs of a capture.
func (c *content) capFrameX() (*Run, error) {
	run := &Run{Format: "JSON of CapFrameX"}
	dropped, generated, runs := 0, 0, 0
	var times []float64
	var parts [][len(presentParts)]time.Duration
	for i, r := range c.Runs {
		of := r.CaptureData
		if of == nil {
			continue
		}
		runs++
		from := len(run.Intervals)
		for k := range max(len(of.MsBetweenPresents), len(of.MsBetweenDisplayChange)) {
			shown := at(of.MsBetweenDisplayChange, k)
			first := k == 0 && (len(of.MsBetweenPresents) == 0 || of.MsBetweenPresents[0] == 0)
			if shown > 0 && !first {
				if len(run.Displayed) == maxFrames {
					return nil, errFrames
				}
				run.Displayed = append(run.Displayed, shown)
			}
			var d time.Duration
			if k < len(of.MsBetweenPresents) {
				var err error
				if d, err = milliseconds(of.MsBetweenPresents[k]); err != nil {
					return nil, fmt.Errorf("frame %d of run %d: %w", k+1, i+1, err)
				}
			}
			if d == 0 {
				if shown > 0 && !first {
					generated++ // by the driver
				}
				continue
			}
			if err := run.add(d); err != nil {
				return nil, err
			}
			parts = append(parts, [...]time.Duration{
				at(of.CPUActive, k), 0, at(of.GPUActive, k), at(of.MsInPresentAPI, k),
			})
			when := math.NaN()
			if k < len(of.TimeInSeconds) && len(run.Intervals) > from+1 {
				when = of.TimeInSeconds[k]
			}
			times = append(times, when)
		}
		for _, is := range of.Dropped {
			if is {
				dropped++
			}
		}
	}
	if runs == 0 {
		return nil, errors.New("a capture of CapFrameX without CaptureData")
	}
	if runs > 1 {
		run.note("%d runs, one after the other", runs)
	}
	if dropped > 0 {
		run.note("%d frames were never shown (Dropped), and count as frames", dropped)
	}
	if generated > 0 {
		run.note("%d frames were generated (without a present of their own): they count for the display only",
			generated)
	}
	run.compareTimes(times, "TimeInSeconds")
	for _, key := range slices.Sorted(maps.Keys(c.Info)) {
		switch value := c.Info[key].(type) {
		case string:
			run.fact(key, value)
			if key == "GameName" || key == "ProcessName" && run.Name == "" {
				run.Name = Clean(value)
			}
		case float64:
			run.fact(key, fmt.Sprint(value))
		}
	}
	run.explainBy(parts)
	return run, nil
}

// at returns the time at i, or 0 if it is unknown or no time.
func at(all numbers, i int) time.Duration {
	if i >= len(all) {
		return 0
	}
	d, _ := milliseconds(all[i])
	return d
}
