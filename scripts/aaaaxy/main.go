// Command aaaaxy prints the table of docs/case-aaaaxy.md from the frames that run.sh has measured, and draws them:
//
//	go run ./scripts/aaaaxy out/aaaaxy
package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/frameslice/frameslice/frame/plot"
	"github.com/frameslice/frameslice/frame/record"
)

const refresh = time.Second / 30 // of the display in run.sh

// run is what one run of the game shows.
type run struct {
	window, apply time.Duration    // until the first frame, and until the palette was applied
	settings      record.Intervals // both changes of the palette
	leave         record.Intervals // the way from the settings back into the game
	all           record.Intervals // from the first steps to the end
}

// figure is a row of the table.
type figure struct {
	name string
	of   func(r *run) float64
	unit string
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: aaaaxy FOLDER")
		os.Exit(2)
	}
	if err := report(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "aaaaxy:", err)
		os.Exit(1)
	}
}

func report(dir string) error {
	before, err := read(filepath.Join(dir, "before-*.csv"))
	if err != nil {
		return err
	}
	after, err := read(filepath.Join(dir, "after-*.csv"))
	if err != nil {
		return err
	}
	figures := []figure{
		{"from the start of the program to its first frame", func(r *run) float64 { return ms(r.window) }, "ms"},
		{"one change: from the key to the end of the work", func(r *run) float64 { return ms(r.apply) }, "ms"},
	}
	settings := func(r *run) record.Intervals { return r.settings }
	figures = append(figures, frames("two changes of the palette", settings)...)
	figures = append(figures, frames("back into the game", func(r *run) record.Intervals { return r.leave })...)
	figures = append(figures, frames("all", func(r *run) record.Intervals { return r.all })...)
	figures = append(figures, figure{"all: p99", func(r *run) float64 { return ms(r.all.Percentile(99)) }, "ms"})
	fmt.Printf("| median of %d and %d runs | before | after |\n|---|---|---|\n", len(before), len(after))
	for _, f := range figures {
		fmt.Printf("| %s | %s | %s |\n", f.name, f.median(before), f.median(after))
	}
	return record.WriteFile(filepath.Join(dir, "case.png"), func(w io.Writer) error {
		return plot.Render(w, plot.Options{
			Target:   refresh,
			Title:    "AAAAXY: two changes of the palette, before and after",
			Subtitle: "All frames of all runs from the first steps on; 30 Hz, software renderer, two processors",
		}, plot.Series{Name: "before", Intervals: merged(before)}, plot.Series{Name: "after", Intervals: merged(after)})
	})
}

// frames returns the rows for a part of the run.
func frames(part string, of func(r *run) record.Intervals) []figure {
	measure := func(r *run) record.Metrics { return of(r).Measure(refresh) }
	return []figure{
		{part + ": longest frame", func(r *run) float64 { return ms(slices.Max(of(r))) }, "ms"},
		{part + ": refreshes without a new frame", func(r *run) float64 { return float64(measure(r).Missed) }, ""},
	}
}

func (f *figure) median(runs []*run) string {
	var values []float64
	for _, r := range runs {
		values = append(values, f.of(r))
	}
	slices.Sort(values)
	text := strconv.FormatFloat(values[len(values)/2], 'f', 0, 64)
	if f.unit != "" {
		text += " " + f.unit
	}
	return text
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

func merged(runs []*run) (all []time.Duration) {
	for _, r := range runs {
		all = append(all, r.all...)
	}
	return all
}

// read reads the runs whose files match the pattern.
func read(pattern string) ([]*run, error) {
	names, err := filepath.Glob(pattern)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no run in %s", pattern)
	}
	if err != nil {
		return nil, err
	}
	var runs []*run
	for _, name := range names {
		r, err := readRun(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// readRun reads one run. A line has the start of a frame in nanoseconds, the part of the run, and whether a palette was
// applied.
func readRun(name string) (*run, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	r := new(run)
	var last, key time.Duration
	for _, row := range rows {
		ns, err := strconv.ParseInt(row[0], 10, 64)
		if err != nil {
			return nil, err
		}
		at := time.Duration(ns)
		interval := at - last
		last = at
		switch row[1] {
		case "load":
			if r.window == 0 {
				r.window = at
			}
			continue
		case "mono", "vga":
			if key == 0 {
				key = at - interval // the key was pressed in the frame before
			}
			r.settings = append(r.settings, interval)
		case "leave":
			r.leave = append(r.leave, interval)
		}
		if r.apply == 0 && row[2] == "true" {
			r.apply = at - key
		}
		r.all = append(r.all, interval)
	}
	if r.apply == 0 || len(r.settings) == 0 || len(r.leave) == 0 {
		return nil, fmt.Errorf("not played to its end: %d frames", len(rows))
	}
	return r, nil
}
