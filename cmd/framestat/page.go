package main

import (
	_ "embed" // the parts of the page
	"html/template"
	"io"
	"strings"

	"github.com/frameslice/frameslice/cmd/framestat/internal/runfile"
	"github.com/frameslice/frameslice/internal/canvas"
	"github.com/frameslice/frameslice/internal/words"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// mostLate is how many late frames of a run the page lists.
const mostLate = 500

// A page is what the template shows. Its escaping makes foreign text harmless.
type page struct {
	Title     string
	Intervals string
	CSS       template.CSS
	JS        template.JS
	Picture   template.HTML
	Colours   []template.CSS // of the runs
	Runs      []pageRun
	Figures   [][]string // see table
	Means     []string   // of the figures
	Against   []pageComparison
	// ErrorRate says how often a verdict is wrong, and is empty without any.
	ErrorRate string
	Data      []pageData
}

type pageRun struct {
	Label, Headline, HitchBand string
	Notes                      []string
	Facts                      []runfile.Fact
	Late                       []late // the longest
	Frames, AllLate            int
	LateFrames                 string // in words
	Missed                     int64  // refreshes
}

type pageComparison struct {
	Title, Caution string
	Notes          []string
	Rows           [][]string // see differences
}

// pageData is for the graphs.
type pageData struct {
	Label  string    `json:"label"`
	Target float64   `json:"target"`
	MS     []float64 `json:"ms"`
	Late   []late    `json:"late"`
}

// writePage writes one page that needs nothing else.
func writePage(w io.Writer, runs []*measured) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return err
	}
	p := newPage(runs)
	var picture strings.Builder
	if err := drawSVG(&picture, runs); err != nil {
		return err
	}
	p.Picture = template.HTML(picture.String()) // our own, with foreign text escaped
	return t.Execute(w, p)
}

func newPage(runs []*measured) *page {
	p := &page{
		Title: title(runs), Intervals: intervals, CSS: template.CSS(pageCSS), JS: template.JS(pageJS), // our own
		Figures: table(runs),
	}
	for i, r := range runs {
		p.Colours = append(p.Colours, template.CSS(canvas.Palette(i).Hex()))
		frames := r.lateFrames()
		all := len(frames)
		frames = worst(frames, mostLate)
		r.explain(frames)
		p.Runs = append(p.Runs, pageRun{
			Label: r.label, Headline: r.headline(), HitchBand: r.band(), Notes: r.Notes, Facts: r.Facts,
			Late: frames, AllLate: all, LateFrames: missedBy(all), Frames: r.N, Missed: r.Missed,
		})
		d := pageData{
			Label: r.label, Target: words.Millis(r.target), MS: make([]float64, len(r.Intervals)), Late: frames,
		}
		for i, x := range r.Intervals {
			d.MS[i] = float64(x.Microseconds()) / 1000
		}
		p.Data = append(p.Data, d)
	}
	for _, f := range rows(runs...) {
		p.Means = append(p.Means, f.means)
	}
	for _, b := range runs[1:] {
		all := compare(runs[0], b)
		c := pageComparison{Title: heading(runs[0], b, all), Notes: apart(runs[0], b), Rows: differences(all)}
		if judged(all) {
			c.Caution = caution
			p.ErrorRate = errorRate
		}
		p.Against = append(p.Against, c)
	}
	return p
}
