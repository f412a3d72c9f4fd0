// Command loads measures the loader and the cache beside goroutines.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/frameslice/frameslice/bench/report"
	"github.com/frameslice/frameslice/internal/words"
)

const about = `loads measures frameslice's loader and cache beside goroutines, in one run, and prints rows of
"workload system metric value unit" (medians; lower is better), then a table for each metric.
The server is a local one, which waits before it answers. Run it in the folder bench, or by "make bench-loads".`

func main() {
	c := report.Parse(about, 5, 1, 0)
	if err := c.Main(all(c.Quick)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// all returns the workloads. Quick ones wait and play for less time.
func all(quick bool) []report.Workload {
	wait, play := 200*time.Millisecond, 20*time.Second
	if quick {
		wait, play = 20*time.Millisecond, time.Second
	}
	list := []report.Workload{
		{Name: "downloads", About: fmt.Sprintf("20 downloads of %v beside jobs of 33 ms, one after the other", wait)},
		{Name: "small-files", About: fmt.Sprintf("ten files behind four downloads of %v", 10*wait)},
		{Name: "camera", About: fmt.Sprintf("%v over 2,000 tiles of 256 KB, of which 64 MB may be kept", play)},
	}
	for _, way := range ways {
		list[0].Cases = append(list[0].Cases, report.Case{System: way.name, Run: func() ([]report.Value, error) {
			return downloads(way, wait)
		}})
		if way.load != nil {
			list[1].Cases = append(list[1].Cases, report.Case{System: way.name, Run: func() ([]report.Value, error) {
				return smallFiles(way, 10*wait)
			}})
		}
	}
	list[2].Cases = []report.Case{
		{System: report.Ours, Run: func() ([]report.Value, error) { return camera(play, newOurTiles) }},
		{System: "map and mutex", Run: func() ([]report.Value, error) { return camera(play, newMapTiles) }},
	}
	return list
}

func milliseconds(metric string, d time.Duration) report.Value {
	return report.Value{Metric: metric, V: words.Millis(d), Unit: "ms"}
}
