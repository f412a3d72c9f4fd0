package load

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// deeper writes what else is known of the frames: of several modes a table, of one its whole report.
func (r *Report) deeper(b *strings.Builder) {
	if len(r.Loops) == 0 {
		return
	}
	if len(r.Modes) == 1 {
		b.WriteString(r.Loops[0].Report.String() + "\n")
		return
	}
	width := r.nameWidth()
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%-*s\tFPS\ttime p50\tp99 ms\tlow: time\tmean\trank\tregion ms\tstutter\tjank\t"+
		"queue p99\tmax ms\t\n", width, "mode")
	for _, l := range r.Loops {
		w, run, g := &l.Report.Window, &l.Report.Run, l.Report.Runtime
		queue := "-\t-"
		if g != nil && g.SchedLatency.N > 0 {
			queue = fmt.Sprintf("%s\t%s", inMS(g.SchedLatency.P99), inMS(g.SchedLatency.Max))
		}
		fmt.Fprintf(t, "%-*s\t%.1f\t%s\t%s\t%.1f\t%.1f\t%.1f\t%s\t%s %%\t%d\t%s\t\n", width, l.Mode, run.AverageFPS,
			inMS(w.ByTime.P50), inMS(w.ByTime.P99), w.LowIntegral, w.LowAverage, w.LowPercentile, inMS(w.WorstRegion),
			percent(w.StutterPercent), run.Jank, queue)
	}
	t.Flush()
	w := &r.Loops[0].Report.Window
	fmt.Fprintf(b, "FPS: frames / time; time p50, p99: of the intervals weighed by their length; low: FPS of the\n"+
		"longest intervals, that fill 1 %% of the time, the mean of the longest N/100, the one of rank N/100;\n"+
		"region: the worst one, by frame-time discrepancy; stutter: time in frames of > %g x the moving mean;\n"+
		"jank: frames > 2 x the target; queue: how long goroutines of the whole process waited for a\n"+
		"processor of Go's\n\n", w.StutterFactor)
}

func inMS(d time.Duration) string { return fmt.Sprintf("%.2f", ms(d)) }

// traces says where the traces of late frames are, and what made the frames late.
func (r *Report) traces(b *strings.Builder) {
	for _, d := range r.Traces {
		fmt.Fprintf(b, "%s: %v\n", d.File, d)
	}
}
