// Command framestat tells how smooth a recorded run was, and compares runs:
//
//	go run github.com/frameslice/frameslice/cmd/framestat@latest run.json
//	framestat before.csv after.csv
//	framestat before.csv after.csv -html page.html -png picture.png -svg drawing.svg
//
// It reads the JSON and CSV of record.Report.Save, the frames.csv of frametest, and captures as CSV: of PresentMon 1
// and 2, of CapFrameX and OCAT, which have its columns, and of MangoHud. The content tells the format. A report of ours
// is read with its CSV, and the CSV with its report, if both lie in one folder. Other files of the same Save are passed
// over, so all of them can be given together. frames.csv has a run for base and one for head, so that one file can be
// compared.
//
// Of a capture with several programs the one with most frames counts, but the desktop's own (as dwm.exe) only if it is
// alone. Swap chains of one process that follow one another count together. -only NAME,NAME takes others, a run for
// each name: a program, a process by its number, a swap chain by its address, or several of these with colons between,
// as game.exe:1234.
//
// Late is a frame that missed a refresh of the target: -target 60 is 60 Hz, -target 6.9ms an interval. Without it the
// target is that of the file, or the median interval, rounded to a usual display. If the file has display times, the
// median is of these.
//
// The exit status is 0, 1 if a picture or page could not be written, and 2 for a bad file or command line.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/frameslice/frameslice/cmd/framestat/internal/runfile"
	"github.com/frameslice/frameslice/frame/plot"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
)

const usage = `usage: framestat [flags] FILE...

Tells how smooth recorded frames were. Several files: each is compared with the first. Of 100 pairs of
like runs at most 5 are called better or worse.
Reads JSON and CSV of frameslice, frames.csv of its gate, and CSV of PresentMon, CapFrameX, OCAT and MangoHud.

  -target 60        what a frame should take: Hz, or a time such as 6.9ms; default: the file's, or the median
  -only NAME,NAME   of a file with several programs or builds: a run for each of these. A program may be a name, a
                    process number, a swap chain, or game.exe:1234 and the like. Default: the busiest program that is
                    not of the desktop, or both builds
  -cheaper          print only what would save most missed refreshes: which section, task or job, if it took a fifth
                    less, or ran elsewhere; from a JSON of frameslice, with 95 % confidence
  -png FILE         draw percentiles, distributions and courses
  -svg FILE         the same to scale and edit
  -html FILE        write a page: the same, the course to zoom, late frames with causes; needs no network

A name "run.json" or "run.csv" of frameslice is read together with the other one beside it. All files of a folder of
Report.Save can be given: those without frames, or of the same run, are passed over with a line.
Exit status: 0, 1 if a picture or page could not be written, 2 for a bad file or command line.
`

// maxRuns is how many runs a picture has room for, and maxFiles how many files they may lie in: Report.Save writes six.
const (
	maxRuns  = 8
	maxFiles = 6 * maxRuns
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	status := run(os.Args[1:], out, os.Stderr)
	if err := out.Flush(); err != nil && status == 0 {
		fmt.Fprintf(os.Stderr, "framestat: %v\n", err)
		status = 1
	}
	os.Exit(status)
}

// run returns the exit status.
func run(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("framestat", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // one line says what is wrong
	target := flags.String("target", "", "")
	only := flags.String("only", "", "")
	cheaper := flags.Bool("cheaper", false, "")
	png := flags.String("png", "", "")
	svg := flags.String("svg", "", "")
	html := flags.String("html", "", "")
	complain := func(status int, err error) int {
		fmt.Fprintf(errs, "framestat: %v\n", err)
		return status
	}
	var names []string
	err := flags.Parse(args)
	for err == nil && flags.NArg() > 0 { // flags may follow files
		names = append(names, flags.Arg(0))
		err = flags.Parse(flags.Args()[1:])
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, _ = io.WriteString(out, usage)
		return 0
	case err != nil:
		return complain(2, fmt.Errorf("%s; framestat -h explains", runfile.Clean(err.Error())))
	case len(names) == 0:
		return complain(2, errors.New("no file; framestat -h explains"))
	case len(names) > maxFiles:
		return complain(2, fmt.Errorf("%d files: at most %d", len(names), maxFiles))
	}
	wanted, err := parseTarget(*target)
	if err != nil {
		return complain(2, err)
	}
	runs, err := load(names, strings.FieldsFunc(*only, func(c rune) bool { return c == ',' }), errs)
	if err != nil {
		return complain(2, err)
	}
	judge(runs, wanted)
	status := 0 // The files come first: the reader of the text may close the pipe, as head does.
	for _, f := range []struct {
		name  string
		write func(io.Writer, []*measured) error
	}{{*png, drawPNG}, {*svg, drawSVG}, {*html, writePage}} {
		if f.name == "" {
			continue
		}
		if err := record.WriteFile(f.name, func(w io.Writer) error { return f.write(w, runs) }); err != nil {
			err = errors.Unwrap(err) // the cause, without the name
			status = complain(1, fmt.Errorf("%s: %w", runfile.Clean(f.name), err))
		}
	}
	text, write := new(words.Text), writeText
	if *cheaper {
		write = writeCheaper
	}
	write(text, runs)
	_, _ = io.WriteString(out, text.String())
	return status
}

func drawPNG(w io.Writer, runs []*measured) error { return drawPicture(w, runs, plot.Render) }
func drawSVG(w io.Writer, runs []*measured) error { return drawPicture(w, runs, plot.RenderSVG) }

// drawPicture writes the picture of package plot. Below its title stands what holds for all runs.
func drawPicture(w io.Writer, runs []*measured,
	render func(io.Writer, plot.Options, ...plot.Series) error) error {
	var series []plot.Series
	about := "target " + runs[0].targetText()
	for _, r := range runs {
		series = append(series, plot.Series{Name: words.Tail(r.label, 24), Intervals: r.Intervals})
	}
	for _, f := range runs[0].Facts {
		if !slices.ContainsFunc(runs, func(r *measured) bool { return !slices.Contains(r.Facts, f) }) {
			about += ", " + f.Key + " " + f.Value
		}
	}
	return render(w, plot.Options{Title: title(runs), Subtitle: about, Target: runs[0].target}, series...)
}

// title names up to three runs.
func title(runs []*measured) string {
	s := runs[0].label
	if len(runs) > 3 {
		return fmt.Sprintf("%s and %d more", s, len(runs)-1)
	}
	for i, r := range runs[1:] {
		s += []string{", ", " and "}[max(0, i+3-len(runs))] + r.label
	}
	return s
}
