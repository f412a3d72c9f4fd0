// Command table prints the modes and the verdict of comparison reports as the tables of MEASUREMENTS.md, so
// that no figure there is copied by hand:
//
//	go run ./demo/table out/compare/*.json
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/frameslice/frameslice/demo/load"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: table REPORT.json...")
		os.Exit(2)
	}
	for _, name := range os.Args[1:] {
		if err := table(os.Stdout, name); err != nil {
			fmt.Fprintf(os.Stderr, "table: %v\n", err)
			os.Exit(1)
		}
	}
}

func table(w io.Writer, name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var r load.Report
	if err := json.Unmarshal(b, &r); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Fprintf(w, "**%s**\n\n", strings.TrimSuffix(filepath.Base(name), ".json"))
	fmt.Fprintln(w, "| mode | frames | missed | late p99 ms | p99.9 ms | max ms | jobs/s |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	for _, m := range r.Modes {
		jobs := "-"
		if m.Offered > 0 {
			jobs = fmt.Sprintf("%.0f", m.Jobs)
		}
		fmt.Fprintf(w, "| %s | %d | %d (%.2f %%) | %.2f | %.2f | %.2f | %s |\n",
			m.Mode, m.Frames, m.Missed, m.MissedPct, m.P99, m.P999, m.Max, jobs)
	}
	fmt.Fprintln(w)
	for _, c := range r.Verdict {
		name := c.Name
		if c.Mode != load.Frameslice {
			name = string(c.Mode) + ": " + name
		}
		fmt.Fprintf(w, "    %s  %s: %s\n", c.Word(), name, c.Says)
	}
	_, err = fmt.Fprintln(w)
	return err
}
