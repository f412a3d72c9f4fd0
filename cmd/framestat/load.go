package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/cmd/framestat/internal/runfile"
	"github.com/frameslice/frameslice/frame/record"
)

// measured is a run and its figures.
type measured struct {
	*runfile.Run
	label string // the name of the file
	// target is by what the run is judged, and guessed how target was found, or "".
	target  time.Duration
	guessed string
	record.Metrics
	shown record.Metrics // by display times; N is 0 without any
}

// load reads all files.
func load(names []string) ([]*measured, error) {
	var runs []*measured
	for _, name := range names {
		r, err := read(name)
		if err != nil {
			return nil, err
		}
		if err := beside(r, name); err != nil {
			return nil, err
		}
		runs = append(runs, &measured{Run: r, label: runfile.Clean(filepath.Base(name))})
	}
	for i, r := range runs { // a.csv of two folders
		if slices.ContainsFunc(runs[:i], func(o *measured) bool { return o.label == r.label }) {
			r.label = fmt.Sprintf("%s (%d)", r.label, i+1)
		}
	}
	return runs, nil
}

func read(name string) (*runfile.Run, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, plain(name, err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, plain(name, err)
	}
	if st.IsDir() {
		return nil, fmt.Errorf("%s is a folder", runfile.Clean(name))
	}
	return runfile.Read(f, name)
}

// plain is an error of the system without the name, which may hold control characters.
func plain(name string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", runfile.Clean(name), err)
}

// beside joins our report, which has no frames, with its CSV, which has no target and no environment.
func beside(r *runfile.Run, name string) error {
	base := strings.TrimSuffix(name, filepath.Ext(name))
	switch {
	case r.Report != nil:
		csv, err := read(base + ".csv")
		if err != nil || csv.Format != runfile.OurCSV {
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				r.Notes = append(r.Notes, "no frames: give the CSV of the run, too, in the same folder")
				return nil
			}
			return err
		}
		r.Intervals, r.Displayed, r.Why = csv.Intervals, csv.Displayed, csv.Why
		if n := r.Report.N; n > len(r.Intervals) {
			note := fmt.Sprintf("the figures are of the last %d of %d frames", len(r.Intervals), n)
			csv.Notes = append(csv.Notes, note)
		}
		r.Notes = append(r.Notes, csv.Notes...)
		r.Report, r.Display = nil, nil
		r.Format += " and CSV"
	case r.Format == runfile.OurCSV:
		if report, err := read(base + ".json"); err == nil && report.Report != nil {
			r.Target, r.Facts, r.Name = report.Target, report.Facts, report.Name
			r.Format += " and JSON"
		}
	}
	return nil
}
