package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/cmd/framestat/internal/runfile"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
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

// load reads all files. In a file with several runs it reads the runs that only has. It writes to errs which files it
// passes over: those that have no frames, or the frames of another one. So all files of a folder can be given, as
// record.Report.Save writes several of a run.
func load(names, only []string, errs io.Writer) ([]*measured, error) {
	var runs []*measured
	read, ours, err := readAll(names, only, errs)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		all := read[i]
		if all == nil {
			continue
		}
		if same := ours[stem(name)]; same != "" && same != name && ofSave(all[0]) {
			fmt.Fprintf(errs, "framestat: %s: of the same run as %s, passed over\n", runfile.Clean(name),
				runfile.Clean(filepath.Base(same)))
			continue
		}
		for _, r := range all {
			if err := beside(r, name); err != nil {
				return nil, err
			}
			label := words.Tail(runfile.Clean(filepath.Base(name)), 48)
			switch {
			case len(all) > 1 && len(names) == 1:
				label = cmp.Or(r.Name, label)
			case len(all) > 1 && r.Name != "":
				label += " " + r.Name
			}
			runs = append(runs, &measured{Run: r, label: label})
		}
	}
	if len(runs) > maxRuns {
		var has []string
		for _, r := range runs {
			has = append(has, r.Name)
		}
		return nil, fmt.Errorf("%d runs: at most %d; -only NAME,NAME takes some of %s",
			len(runs), maxRuns, strings.Join(has[:min(len(has), 12)], ", "))
	}
	for i, r := range runs { // a.csv of two folders
		if slices.ContainsFunc(runs[:i], func(o *measured) bool { return o.label == r.label }) {
			r.label = fmt.Sprintf("%s (%d)", r.label, i+1)
		}
	}
	return runs, nil
}

// readAll reads the files. A file of Save without frames has nil. ours has the first file of each run of ours, by stem.
func readAll(names, only []string, errs io.Writer) (all [][]*runfile.Run, ours map[string]string, err error) {
	ours = map[string]string{}
	found := false
	for _, name := range names {
		runs, err := read(name, only...)
		if len(names) > 1 && runfile.NoRun(err) {
			fmt.Fprintf(errs, "framestat: %v; passed over\n", err)
			runs = nil
		} else if err != nil {
			return nil, nil, err
		}
		all = append(all, runs)
		found = found || runs != nil
		if runs != nil && ours[stem(name)] == "" && ofSave(runs[0]) {
			ours[stem(name)] = name
		}
	}
	if !found {
		return nil, nil, errors.New("no file has frames")
	}
	return all, ours, nil
}

// stem is what the names of all files of a record.Report.Save begin with.
func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// ofSave reports whether a run comes from a file that Save has written beside others.
func ofSave(r *runfile.Run) bool { return r.Format == runfile.OurCSV || r.Report != nil }

func read(name string, only ...string) ([]*runfile.Run, error) {
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
	return runfile.Read(f, name, only...)
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
	base := stem(name)
	switch {
	case r.Report != nil:
		all, err := read(base + ".csv")
		if err != nil || all[0].Format != runfile.OurCSV {
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				r.Notes = append(r.Notes, "no frames: give the CSV of the run, too, in the same folder")
				return nil
			}
			return err
		}
		csv := all[0]
		csv.Join(r)
		r.Intervals, r.Displayed, r.Why = csv.Intervals, csv.Displayed, csv.Why
		if n := r.Report.N; n > len(r.Intervals) {
			note := fmt.Sprintf("the figures are of the last %d of %d frames", len(r.Intervals), n)
			csv.Notes = append(csv.Notes, note)
		}
		r.Notes = append(r.Notes, csv.Notes...)
		r.Report, r.Display = nil, nil
		r.Format += " and CSV"
	case r.Format == runfile.OurCSV:
		if all, err := read(base + ".json"); err == nil && all[0].Report != nil {
			report := all[0]
			r.Join(report)
			r.Target, r.Facts, r.Name = report.Target, report.Facts, report.Name
			r.Format += " and JSON"
		}
	}
	return nil
}
