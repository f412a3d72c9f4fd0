package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// content is what we want of a JSON: of a report of ours, or of a capture of CapFrameX.
type content struct {
	Name        string             `json:"name"`
	Environment record.Environment `json:"environment"`
	Target      time.Duration      `json:"target_ns"`
	Report      *record.RunReport  `json:"run"`
	Window      record.Metrics     `json:"window"`

	Display *record.DisplayReport `json:"display"`

	Info map[string]any `json:"Info"`
	Runs []struct {
		CaptureData *capture `json:"CaptureData"`
	} `json:"Runs"`
}

func (l *lines) json() (*Run, error) {
	text, err := io.ReadAll(l.in)
	if err != nil {
		return nil, err
	}
	var c content
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, l.broken(text, err)
	}
	switch {
	case c.Report != nil && c.Target > 0 && c.Target <= longest:
		return c.ours()
	case len(c.Runs) > 0:
		return c.capFrameX()
	}
	return nil, errors.New("JSON that is neither a report of frameslice nor a capture of CapFrameX")
}

// broken finds the line of a fault.
func (l *lines) broken(text []byte, err error) error {
	var offset int64
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = kind.Offset
		err = fmt.Errorf("JSON of another kind: %s has type %s", Clean(kind.Field), Clean(kind.Value))
	}
	l.n = 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
	return err
}

// ours takes the figures of a report, which has no frames.
func (c *content) ours() (*Run, error) {
	r, e := c.Report, &c.Environment
	if r.N == 0 {
		return nil, errors.New("no frame counts in this report")
	}
	m := c.Window
	m.N, m.Time, m.AverageFPS = int(min(r.N, 1<<31-1)), r.Time, r.AverageFPS
	m.ByFrame, m.Lateness = r.Interval, r.Lateness
	m.Missed, m.MissedPercent = int64(min(r.Missed, 1<<62)), r.MissedPercent
	m.HitchRatio, m.QuantizedHitchRatio, m.HitchBand = r.HitchRatio, r.QuantizedHitchRatio, Clean(r.HitchBand)
	run := &Run{Name: Clean(c.Name), Format: "JSON of frameslice", Target: c.Target, Report: &m}
	if s := c.Display; s != nil && s.Interval.N > 0 {
		run.Display = &record.Metrics{
			N: int(min(s.Interval.N, 1<<31-1)), ByFrame: s.Interval, Missed: s.Missed, MissedPercent: s.MissedPercent,
			HitchRatio: s.HitchRatio, QuantizedHitchRatio: s.QuantizedHitchRatio, HitchBand: Clean(s.HitchBand),
		}
	}
	if e.GoVersion == "" {
		return run, nil // the report was made without an environment
	}
	run.fact("Go", e.GoVersion+" "+e.OS+"/"+e.Arch)
	run.fact("CPU", e.CPU)
	quota, gogc, limit := "no quota", "off", "none"
	if e.CPUQuota > 0 {
		quota = fmt.Sprintf("quota %.3g", e.CPUQuota)
	}
	if e.GOGC >= 0 {
		gogc = fmt.Sprint(e.GOGC)
	}
	if e.MemoryLimit > 0 {
		limit = fmt.Sprintf("%d MiB", e.MemoryLimit>>20)
	}
	run.fact("processors", fmt.Sprintf("GOMAXPROCS %d of %d, %s", e.GOMAXPROCS, e.NumCPU, quota))
	run.fact("memory", fmt.Sprintf("GOGC %s, GOMEMLIMIT %s", gogc, limit))
	run.fact("wait", e.WaitMode)
	run.fact("clock", fmt.Sprintf("resolution %v, %v a call; recorder %v a frame",
		e.ClockResolution, e.ClockCost, e.RecorderCost))
	if e.Race {
		run.note("the race detector was on: figures mean little")
	}
	return run, nil
}
