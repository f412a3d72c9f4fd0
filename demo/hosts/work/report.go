package work

import (
	"encoding/json"
	"flag"
	"log"
	"os"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/words"
)

// Flags are the flags of every program.
type Flags struct {
	Items  int    // how many the list has
	Load   bool   // load at the start
	Heavy  bool   // start the heavy job at the start
	Naive  bool   // plain goroutines instead of tasks and jobs
	Alone  int    // draw so many frames of what was made before the first one, and do no work; 0 is not at all
	Report string // a file for the Report, or empty

	Later time.Duration // start the heavy job so long after the load, or 0
}

// ParseFlags parses the command line.
func ParseFlags() (f Flags) {
	flag.IntVar(&f.Items, "items", 120, "how many items the list has")
	flag.BoolVar(&f.Load, "load", true, "load the list at the start")
	flag.BoolVar(&f.Heavy, "heavy", false, "start the heavy job at the start")
	flag.BoolVar(&f.Naive, "naive", false, "plain goroutines instead of tasks and jobs")
	flag.IntVar(&f.Alone, "alone", 0, "make all before the first frame, and draw so many frames without any work")
	flag.DurationVar(&f.Later, "later", 0, "start the heavy job so long after the load; 0 is not at all")
	flag.StringVar(&f.Report, "report", "", "write the figures of the run to this file, as JSON")
	flag.Parse()
	return f
}

// A Report has the figures of a run.
type Report struct {
	Frames uint64  // all, each with a slice
	Tasks  uint64  // runs in the slices
	Items  int     // that were there at the end
	Drawn  bool    // the heavy job has ended
	P50    float64 // ms from the start of a frame to the start of the next one, while something was under way
	P99    float64
	Max    float64
	Late   float64 // percent of these frames missed a refresh at 60 Hz
	Busy   int     // how many these frames are
}

// times are the times of frames in which something was under way.
type times struct {
	last    time.Time
	all     []time.Duration
	wasBusy bool
}

func (t *times) begin(busy bool) {
	now := time.Now()
	if t.wasBusy {
		t.all = append(t.all, now.Sub(t.last))
	}
	t.last, t.wasBusy = now, busy
}

// WriteReport writes the Report, if a flag says where to. Call it after the loop's Close. A Work also writes it
// whenever all is done.
func (w *Work) WriteReport() {
	if w.flags.Report == "" {
		return
	}
	r := Report{
		Frames: w.loop.Stats().Frames, Tasks: w.loop.Scheduler().Stats().Ran,
		Items: len(w.Items), Drawn: w.Fractal != nil, Busy: len(w.times.all),
	}
	all := record.Intervals(w.times.all).Figures(refresh.Default).ByFrame
	r.P50, r.P99, r.Max = words.Millis(all.P50), words.Millis(all.P99), words.Millis(all.Max)
	for _, d := range w.times.all {
		if refresh.Missed(d, refresh.Default) > 0 {
			r.Late += 100 / float64(len(w.times.all))
		}
	}
	data, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		//framevet:ok once, and all is done
		err = os.WriteFile(w.flags.Report+".part", data, 0o644)
	}
	if err == nil {
		err = os.Rename(w.flags.Report+".part", w.flags.Report) // so that a reader finds the whole of it
	}
	if err != nil {
		log.Print(err)
	}
}
