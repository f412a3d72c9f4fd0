package plot_test

import (
	"bytes"
	"fmt"
	"image/png"
	"time"

	"github.com/frameslice/frameslice/frame/plot"
	"github.com/frameslice/frameslice/frame/record"
)

// Two runs in one picture. A recorder's intervals are those of loop.Recorder().Snapshot().Intervals(), and
// record.WriteFile writes a picture to a file whole or not at all.
func ExampleRender() {
	const refresh = time.Second / 60
	smooth := make(record.Intervals, 600)
	for i := range smooth {
		smooth[i] = refresh
	}
	hitches := append(record.Intervals(nil), smooth...)
	for i := 50; i < len(hitches); i += 100 {
		hitches[i] = 4 * refresh
	}
	var picture bytes.Buffer
	err := plot.Render(&picture, plot.Options{Title: "Loading a level"},
		plot.Series{Name: "in Update", Intervals: hitches},
		plot.Series{Name: "in slices", Intervals: smooth})
	if err != nil {
		fmt.Println(err)
		return
	}
	size, err := png.DecodeConfig(&picture)
	fmt.Println(size.Width, size.Height, err)
	// Output: 1600 900 <nil>
}
