package runfile

import (
	"fmt"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// demo is what we want of a report of the demo, which plays several modes in turns.
type demo struct {
	Settings *struct {
		Interval float64 `json:"interval_ms"`
		Load     float64 `json:"load"`
	} `json:"settings"`
	Modes []struct {
		Name        string             `json:"mode"`
		Says        string             `json:"says"`
		Intervals   numbers            `json:"intervals_ns"`
		Environment record.Environment `json:"env"`
		Jobs        float64            `json:"jobs_per_s"`
		Offered     float64            `json:"jobs_offered_per_s"`
		WarmUp      int                `json:"warmup_frames"`
		Jumps       int                `json:"jumps"`
	} `json:"modes"`
	Traces []struct {
		Interval time.Duration `json:"interval_ns"`
		Cause    string        `json:"cause"`
	} `json:"traces"`
}

// modes returns a run for each mode that has frames.
func (c *demo) modes(only []string) (runs []*Run, err error) {
	target, err := milliseconds(c.Settings.Interval)
	if err != nil {
		return nil, fmt.Errorf("interval_ms: %w", err)
	}
	why := map[time.Duration]string{} // traces have the interval to the nanosecond
	for _, r := range c.Traces {
		why[r.Interval] = Clean(r.Cause)
	}
	var names []string
	for _, m := range c.Modes {
		name := Clean(m.Name)
		if len(m.Intervals) == 0 || !wanted(name, only) {
			names = append(names, name)
			continue
		}
		run := &Run{Name: name, Format: "JSON of the demo", Target: target}
		for i, ns := range m.Intervals {
			d, err := milliseconds(ns / 1e6)
			if err != nil || d == 0 {
				return nil, fmt.Errorf("frame %d of the mode %s: %v ns is no frame time", i+1, name, ns)
			}
			run.Intervals = append(run.Intervals, d)
		}
		run.fact("mode", m.Says)
		if m.Offered > 0 {
			run.fact("jobs", fmt.Sprintf("%.0f of %.0f offered a second, load %.3g",
				m.Jobs, m.Offered, c.Settings.Load))
		}
		run.environment(&m.Environment)
		if m.WarmUp > 0 || m.Jumps > 0 {
			run.note("%d frames of warm-up and %d with a jump of the clock do not count", m.WarmUp, m.Jumps)
		}
		run.Why = func(i int, _ time.Duration) string { return why[run.Intervals[i]] }
		runs = append(runs, run)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("no frames of a mode, among %s", strings.Join(names[:min(len(names), maxNames)], ", "))
	}
	return runs, nil
}
