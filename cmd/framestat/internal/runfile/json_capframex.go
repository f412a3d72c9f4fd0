package runfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// capture is CapFrameX's list of figures of the frames of one run. A missing or odd list is left out.
type capture struct {
	MsBetweenPresents []float64
	Dropped           []bool
}

// capFrameX joins the runs of a capture.
func (c *content) capFrameX() (*Run, error) {
	run := &Run{Format: "JSON of CapFrameX"}
	dropped, runs := 0, 0
	for i, r := range c.Runs {
		if r.CaptureData == nil {
			continue
		}
		runs++
		for k, ms := range r.CaptureData.MsBetweenPresents {
			d, err := milliseconds(ms)
			if err != nil {
				return nil, fmt.Errorf("frame %d of run %d: %w", k+1, i+1, err)
			}
			if d == 0 {
				continue // the first frame
			}
			if err := run.add(d); err != nil {
				return nil, err
			}
		}
		for _, is := range r.CaptureData.Dropped {
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
	return run, nil
}
