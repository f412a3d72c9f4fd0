// Command chinesechess prints the table of docs/case-chinesechess.md from the frames that run.sh has measured, and
// draws them:
//
//	go run ./scripts/chinesechess out/chinesechess
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
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/words"
)

const refresh = time.Second / 30 // of the display in run.sh

// run is what one run of the game shows.
type run struct {
	frames  record.Intervals // from the click to the answer, of all moves
	work    time.Duration    // of the game's updates in the frame that had most
	drawn   time.Duration    // from a click until the player's own move was drawn: the longest
	answers []time.Duration  // from a click until the computer's answer
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: chinesechess FOLDER")
		os.Exit(2)
	}
	if err := report(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "chinesechess:", err)
		os.Exit(1)
	}
}

func report(dir string) error {
	names := []string{"before", "after", "goroutine"}
	sides := make([][]*run, len(names))
	for i, name := range names {
		var err error
		if sides[i], err = read(filepath.Join(dir, name+"-*.csv")); err != nil {
			return err
		}
	}
	rows := []struct {
		name string
		of   func(r *run) float64
		unit string
	}{
		{"longest frame", func(r *run) float64 { return words.Millis(slices.Max(r.frames)) }, " ms"},
		{"the game's own work in one frame, at most", func(r *run) float64 { return words.Millis(r.work) }, " ms"},
		{"from a click until the player's move is drawn, at most",
			func(r *run) float64 { return words.Millis(r.drawn) }, " ms"},
		{"refreshes without a new frame, while it thinks", missed, " %"},
		{"from the click to the answer, median",
			func(r *run) float64 { return words.Millis(hist.Median(r.answers)) }, " ms"},
	}
	fmt.Printf("| median of %d runs | %s | %s | %s |\n|---|---|---|---|\n", len(sides[0]), names[0], names[1], names[2])
	for _, row := range rows {
		fmt.Printf("| %s |", row.name)
		for _, runs := range sides {
			var values []float64
			for _, r := range runs {
				values = append(values, row.of(r))
			}
			fmt.Printf(" %s%s |", strconv.FormatFloat(hist.Median(values), 'f', 1, 64), row.unit)
		}
		fmt.Println()
	}
	return record.WriteFile(filepath.Join(dir, "case.png"), func(w io.Writer) error {
		return plot.Render(w, plot.Options{
			Target:   refresh,
			Title:    "ChineseChess: three moves, before and after",
			Subtitle: "All frames of all runs from a click to its answer; 30 Hz, software renderer, two processors",
		}, series(names[0], sides[0]), series(names[1], sides[1]))
	})
}

// missed returns the percentage of the refreshes without a new frame.
func missed(r *run) float64 {
	return r.frames.Figures(refresh).MissedPercent
}

// series returns the frames of all runs.
func series(name string, runs []*run) plot.Series {
	s := plot.Series{Name: name}
	for _, r := range runs {
		s.Intervals = append(s.Intervals, r.frames...)
	}
	return s
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

// readRun reads one run. A line is a frame: the start of its Draw, the work of the updates before it, and how many
// moves the player has made. If the Draw is the first after a click, then comes how long ago that was, else 0. If the
// answer has come, then comes how long it took, else 0. Times are in nanoseconds.
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
	var last time.Duration
	thinks := false
	for _, row := range rows {
		var v [5]time.Duration
		for i := range v {
			n, err := strconv.ParseInt(row[i], 10, 64)
			if err != nil {
				return nil, err
			}
			v[i] = time.Duration(n)
		}
		at, work, drawn, answer := v[0], v[1], v[3], v[4]
		if drawn > 0 {
			thinks = true
		}
		if thinks {
			r.frames = append(r.frames, at-last)
			r.work, r.drawn = max(r.work, work), max(r.drawn, drawn)
		}
		if answer > 0 {
			r.answers = append(r.answers, answer)
			thinks = false
		}
		last = at
	}
	if len(r.answers) == 0 {
		return nil, fmt.Errorf("not played to its end: %d frames", len(rows))
	}
	return r, nil
}
