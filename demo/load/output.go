package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// Main runs c, with a line for each turn to progress. It writes the report to out and into c's folder. A ctx that ends
// is no failure: the report covers what was measured and says that it is partial.
func Main(ctx context.Context, c Config, out, progress io.Writer) error {
	r := Run(ctx, c, progress)
	err := r.Save(c.Out)
	if e := r.WriteText(out); e != nil {
		err = errors.Join(err, fmt.Errorf("cannot write the report: %w", e))
	}
	return err
}

// Save leaves the report in a folder that there is: report.json, histogram.png, and what record.Report.Save writes of
// each mode. Each file is written whole or not at all. If one cannot be written, the others are. An empty name means
// nowhere.
func (r *Report) Save(dir string) error {
	if dir == "" {
		return nil
	}
	err := errors.Join(record.WriteFile(filepath.Join(dir, "report.json"), r.writeJSON),
		record.WriteFile(filepath.Join(dir, "histogram.png"), r.writePNG))
	for _, l := range r.Loops {
		err = errors.Join(err, l.Report.Save(dir, string(l.Mode)))
	}
	return err
}

func (r *Report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// announce says on progress which turn begins.
func (s *Session) announce(m Mode) {
	left := time.Duration(len(s.plan)-s.k) * (s.cfg.SliceLength() + s.cfg.Warmup)
	fmt.Fprintf(s.progress, "turn %d of %d: %s, %v left\n", s.k+1, len(s.plan), m, left.Round(time.Second))
}
