package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// Main runs c and writes everything that it asks for: progress to stderr, the report to stdout, and the files of c. A
// ctx that ends is no failure: the report covers what was measured and says that it is partial.
func Main(ctx context.Context, c Config, stdout, stderr io.Writer) error {
	c.Out, c.Progress = stdout, stderr
	r, err := Run(ctx, c)
	if r != nil {
		err = errors.Join(err, r.Save(c))
	}
	return err
}

// Save writes the files that c names, and then the text to c.Out. If one of them cannot be written, the others are.
func (r *Report) Save(c Config) error {
	c = c.WithDefaults()
	var err error
	if c.JSON != "" {
		err = errors.Join(err, record.WriteFile(c.JSON, r.WriteJSON))
	}
	if c.CSV != "" {
		err = errors.Join(err, record.WriteFile(c.CSV, r.WriteCSV))
	}
	if c.PNG != "" {
		err = errors.Join(err, record.WriteFile(c.PNG, r.WritePNG))
	}
	if c.HGRM != "" {
		err = errors.Join(err, r.saveHGRM(c.HGRM))
	}
	if c.Record != "" {
		for _, l := range r.Loops {
			err = errors.Join(err, l.Report.Save(c.Record, Turn{l.Mode, l.Beside}.String()))
		}
	}
	if e := r.WriteText(c.Out, c.Verbose); e != nil {
		err = errors.Join(err, fmt.Errorf("cannot write the report: %w", e))
	}
	return err
}

// saveHGRM writes one file per mode that ran, with the mode before the ending if there are several.
func (r *Report) saveHGRM(name string) error {
	for _, m := range r.Modes {
		if m.Frames == 0 {
			continue
		}
		file := name
		if len(r.Modes) > 1 {
			ext := filepath.Ext(name)
			file = fmt.Sprintf("%s.%s%s", strings.TrimSuffix(name, ext), m.turn(), ext)
		}
		h := record.NewHistogram()
		for _, d := range m.Intervals {
			h.Record(d)
		}
		if err := record.WriteFile(file, h.WriteHGRM); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes the report as indented JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// progress announces a turn.
func (s *Session) progress(t Turn) {
	left := time.Duration(len(s.plan)-s.k) * (s.cfg.SliceLength() + s.cfg.Warmup)
	fmt.Fprintf(s.cfg.Progress, "turn %d of %d: %s, %v left\n",
		s.k+1, len(s.plan), t, left.Round(time.Second))
}
