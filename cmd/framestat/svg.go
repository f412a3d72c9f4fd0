package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// The picture's measures, in its own units.
const (
	svgWidth  = 1100
	svgLeft   = 60
	svgRight  = 20
	svgLegend = 22  // a line of it
	svgCurve  = 280 // the height of the percentiles
	svgCounts = 100 // of a distribution
	svgBins   = 90  // of which it consists
	svgCourse = 130 // of a course
	svgGap    = 50  // between panels, with room for labels
)

var svgColors = [maxRuns]string{
	"#b35a00", "#0068b3", "#007a5e", "#9d3f78", "#5c5f00", "#1a7f9c", "#7b4bb3", "#8a5a3c",
}

// svg is a drawing in the making.
type svg struct {
	strings.Builder
	most float64 // ms at the top of each panel
}

// drawSVG writes percentiles, distributions and courses as a picture that can be scaled and edited.
func drawSVG(w io.Writer, runs []*measured) error {
	s := &svg{most: 1}
	height := 16 + svgLegend*len(runs) + svgGap + svgCurve
	for _, r := range runs {
		if len(r.Intervals) > 0 {
			height += svgGap + svgCounts
		}
		s.most = max(s.most, 1.05*ms(r.ByFrame.Max), 2*ms(r.target))
		if !r.Sorted && len(r.Intervals) > 0 {
			height += svgGap + svgCourse
		}
	}
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `, svgWidth, height)
	s.WriteString("font-family=\"sans-serif\" font-size=\"13\">\n")
	fmt.Fprintf(s, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", svgWidth, height)
	y := 12
	for i, r := range runs {
		y += svgLegend
		about := fmt.Sprintf("%s: %d frames, p50 %.3f ms, p99 %.3f ms, max %.3f ms", r.label, r.N,
			ms(r.ByFrame.P50), ms(r.ByFrame.P99), ms(r.ByFrame.Max))
		about += fmt.Sprintf(", %.3f %% missed, hitch ratio %.3f ms/s (%s)", r.MissedPercent, r.HitchRatio, r.band())
		s.text(svgLeft, float64(y), "start", svgColors[i], about)
	}
	y += svgGap / 2
	s.percentiles(runs, float64(y), float64(y+svgCurve))
	y += svgCurve + svgGap
	for i, r := range runs {
		if len(r.Intervals) > 0 {
			const middle = (svgWidth + svgLeft) / 2
			s.distribution(r, svgColors[i], svgLeft, middle-svgGap, float64(y), false)
			s.distribution(r, svgColors[i], middle, svgWidth-svgRight, float64(y), true)
			y += svgCounts + svgGap
		}
	}
	seconds := 0.0
	for _, r := range runs {
		if !r.Sorted {
			seconds = max(seconds, r.Time.Seconds())
		}
	}
	for i, r := range runs {
		if !r.Sorted && len(r.Intervals) > 0 {
			s.course(r, svgColors[i], seconds, float64(y), float64(y+svgCourse))
			y += svgCourse + svgGap
		}
	}
	s.WriteString("</svg>\n")
	_, err := io.WriteString(w, s.String())
	return err
}

func (s *svg) text(x, y float64, anchor, color, text string) {
	fmt.Fprintf(s, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">`, x, y, anchor, color)
	_ = xml.EscapeText(s, []byte(text)) // a Builder has no errors
	s.WriteString("</text>\n")
}

// panel draws lines of milliseconds from y0, the top, to y1, and returns where a time is.
func (s *svg) panel(target time.Duration, y0, y1 float64) func(ms float64) float64 {
	at := func(ms float64) float64 { return y1 - ms/s.most*(y1-y0) }
	line := func(v float64, style string) {
		fmt.Fprintf(s, "<path d=\"M%d,%.1fH%d\" %s/>\n", svgLeft, at(v), svgWidth-svgRight, style)
	}
	step := roundStep(s.most / max(1, (y1-y0)/40))
	for v := 0.0; v <= s.most; v += step {
		line(v, `stroke="#ddd"`)
		s.text(svgLeft-6, at(v)+4, "end", "#666", fmt.Sprintf("%.4g ms", v))
	}
	line(ms(target), `stroke="#8a6d00" stroke-dasharray="6 5"`)
	return at
}

// percentiles draws a curve for each run. Every nine takes the same room.
func (s *svg) percentiles(runs []*measured, y0, y1 float64) {
	at := s.panel(runs[0].target, y0, y1)
	nines := 2.0
	for _, r := range runs {
		nines = max(nines, math.Log10(2*float64(max(1, len(r.Intervals))))) // with the longest frame
	}
	const wide = svgWidth - svgLeft - svgRight
	for k := 0.0; k <= nines; k++ {
		s.text(svgLeft+k/nines*wide, y1+18, "middle", "#666", fmt.Sprintf("%.6g %%", 100-100*math.Pow(10, -k)))
	}
	for i, r := range runs {
		n := len(r.Intervals)
		if n == 0 {
			continue
		}
		d := slices.Clone(r.Intervals)
		slices.Sort(d)
		fmt.Fprintf(s, `<path fill="none" stroke="%s" stroke-width="1.5" d="`, svgColors[i])
		for x := 0; x <= wide; x++ {
			part := 1 - math.Pow(10, -float64(x)/wide*nines)
			rank := min(int(math.Ceil(part*float64(n)*(1-1e-12))), n)
			fmt.Fprintf(s, "%c%d,%.1f", "ML"[min(x, 1)], svgLeft+x, at(ms(d[max(rank, 1)-1])))
			if part > 1-1/float64(n) {
				break // the longest frame
			}
		}
		s.WriteString("\"/>\n")
	}
}

// distribution draws how many frames took how long, from x0 to x1 and down from y0, on a linear or logarithmic scale of
// counts.
func (s *svg) distribution(r *measured, color string, x0, x1, y0 float64, log bool) {
	y1 := y0 + svgCounts
	var counts [svgBins]int
	most := 1
	for _, d := range r.Intervals {
		i := min(int(ms(d)/s.most*svgBins), svgBins-1)
		counts[i]++
		most = max(most, counts[i])
	}
	step, name := max(1, roundStep(float64(most)/3)), "frames"
	at := func(n float64) float64 { return y1 - n/(1.05*float64(most))*svgCounts }
	next := func(n float64) float64 { return n + step }
	if log {
		step, name = 1, "frames, logarithmic"
		top := math.Log(1.3 * float64(most) / 0.7) // from 0.7, so that one frame has a height
		at = func(n float64) float64 { return y1 - math.Log(n/0.7)/top*svgCounts }
		next = func(n float64) float64 { return 10 * n }
	}
	for v := step; v <= float64(most); v = next(v) {
		fmt.Fprintf(s, "<path d=\"M%.1f,%.1fH%.1f\" stroke=\"#ddd\"/>\n", x0, at(v), x1)
		s.text(x0-6, at(v)+4, "end", "#666", fmt.Sprintf("%.0f", v))
	}
	fmt.Fprintf(s, `<path fill="%s" d="`, color)
	wide := (x1 - x0) / svgBins
	for i, n := range counts {
		if n > 0 {
			x := x0 + float64(i)*wide
			fmt.Fprintf(s, "M%.1f,%.1fH%.1fV%.1fH%.1fz", x, y1, x+0.9*wide, at(float64(n)), x)
		}
	}
	s.WriteString("\"/>\n")
	step = roundStep(s.most / 6)
	for v := 0.0; v <= s.most; v += step {
		s.text(x0+v/s.most*(x1-x0), y1+18, "middle", "#666", fmt.Sprintf("%.4g ms", v))
	}
	s.text(x1, y0+4, "end", color, name)
}

// course draws the frames of a run over time. A column goes from its shortest frame to its longest.
func (s *svg) course(r *measured, color string, seconds, y0, y1 float64) {
	at := s.panel(r.target, y0, y1)
	const wide = svgWidth - svgLeft - svgRight
	step := roundStep(seconds / 9)
	for v := 0.0; v <= seconds; v += step {
		s.text(svgLeft+v/seconds*wide, y1+18, "middle", "#666", fmt.Sprintf("%.4g s", v))
	}
	fmt.Fprintf(s, `<path fill="none" stroke="%s" d="`, color)
	begin, column, lo, hi := 0.0, -1, 0.0, 0.0
	flush := func() {
		if column >= 0 {
			fmt.Fprintf(s, "M%.1f,%.1fV%.1f", svgLeft+0.5+float64(column), at(lo)+0.5, at(hi)-0.5)
		}
	}
	for _, d := range r.Intervals {
		end := begin + d.Seconds()
		for x := int(begin / seconds * wide); x <= int(end/seconds*wide) && x <= wide; x++ {
			if x != column {
				flush()
				column, lo, hi = x, ms(d), ms(d)
			}
			lo, hi = min(lo, ms(d)), max(hi, ms(d))
		}
		begin = end
	}
	flush()
	s.WriteString("\"/>\n")
}

// roundStep returns 1, 2 or 5 of a power of ten, at least raw.
func roundStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw {
			return m * power
		}
	}
	return 10 * power
}
