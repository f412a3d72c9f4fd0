package docs_test

import (
	"context"
	"expvar"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/live"
	"github.com/frameslice/frameslice/frame/plot"
	"github.com/frameslice/frameslice/frame/record"
)

func waitForTheDisplay() { time.Sleep(time.Millisecond) }

func Example_recordOwnLoop() {
	dir, err := os.MkdirTemp("", "frames")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	recorder := record.New(record.Options{Target: time.Second / 60})
	last := deadline.Now()
	for range 200 { // frames
		now := deadline.Now()
		recorder.Add(record.Record{Start: now, Interval: now.Sub(last)})
		last = now
		update()
		draw()
		waitForTheDisplay()
	}
	report := record.NewReport("mine", recorder.Snapshot(), record.ReadEnvironment("vsync"))
	err = report.Save(dir, "mine") // mine.txt, mine.json, mine.csv, mine.hgrm, ...

	fmt.Println(report.Run.N, "frames count,", report.Run.WarmUp, "were warm-up, error:", err)
	files, _ := filepath.Glob(filepath.Join(dir, "mine.*"))
	fmt.Println(len(files), "files")
	// Output:
	// 140 frames count, 60 were warm-up, error: <nil>
	// 6 files
}

func Example_report() {
	dir, err := os.MkdirTemp("", "frames")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	o := frameslice.Balanced.Options()
	o.Recorder.WarmUp = -1 // the start counts, too
	loop := frameslice.NewWith(o)
	defer loop.Close()
	frames := 0
	_ = loop.Run(context.Background(), func() error { // the game's update
		if frames++; frames > 20 {
			return frameslice.ErrStop
		}
		return nil
	})

	report := loop.Report("mine")
	text := report.Text() // all tables; fmt.Print(report) shows the first eight lines
	picture := filepath.Join(dir, "mine.png")
	err = record.WriteFile(picture, func(w io.Writer) error {
		mine := plot.Series{Name: "mine", Intervals: report.Snapshot.Intervals()}
		return plot.Render(w, plot.Options{Title: "My game"}, mine)
	})

	_, missing := os.Stat(picture)
	fmt.Println(len(text) > 0, report.Run.N > 3, err, missing)
	// Output: true true <nil> <nil>
}

// displayClock is the clock of a made-up display, which shows a picture 20 ms after its frame began.
func displayClock() deadline.Instant { return deadline.Now().Add(-time.Hour) }

func Example_displayTimes() {
	o := frameslice.Balanced.Options()
	o.Recorder.WarmUp = -1
	loop := frameslice.NewWith(o)
	defer loop.Close()
	toLoop := deadline.Now().Sub(displayClock()) // once: the loop's clock against the display's
	onFeedback := func(frame uint64, shown deadline.Instant) {
		loop.Presented(frame, shown.Add(toLoop)) // any goroutine, some frames late
	}
	var told sync.WaitGroup
	for range 10 {
		loop.Begin()
		number := loop.Frame() // goes with the picture
		shown := displayClock().Add(20 * time.Millisecond)
		loop.Slice()
		loop.End()
		waitForTheDisplay()
		told.Go(func() { onFeedback(number, shown) })
	}
	told.Wait()
	display := loop.Report("mine").Display
	fmt.Println(display.Shown, display.Unshown, display.Latency.Max > 19*time.Millisecond)
	// Output: 10 0 true
}

func Example_timeline() {
	dir, err := os.MkdirTemp("", "frames")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	o := frameslice.Balanced.Options()
	o.Profile = 4096 // the latest runs of tasks, and of the jobs of each worker
	loop := frameslice.NewWith(o)
	defer loop.Close()
	loop.Post(frameslice.Normal, func() { time.Sleep(time.Millisecond) })
	loop.Begin()
	loop.Slice()
	loop.End()
	report := loop.Report("mine")
	fmt.Println(len(report.Runs), report.Save(dir, "mine")) // mine.trace.json, ...
	// Output: 1 <nil>
}

func Example_loadingFrames() {
	o := frameslice.Balanced.Options()
	o.Recorder.WarmUp = -1
	o.Recorder.Exclude = record.Loading // leave the loading screen out
	loop := frameslice.NewWith(o)
	defer loop.Close()
	for n := range 5 {
		loop.Begin()
		if n < 2 { // the loading screen is shown
			loop.Mark(record.Loading)
		}
		loop.Slice()
		loop.End()
	}
	fmt.Println(loop.Report("mine").Run.Excluded > 0)
	// Output: true
}

func Example_judge() {
	const refresh = time.Second / 60
	frames := make(record.Intervals, 0, 1000)
	for range 996 {
		frames = append(frames, refresh)
	}
	for range 4 {
		frames = append(frames, 500*time.Millisecond) // four freezes
	}
	m := frames.Measure(refresh)
	fmt.Printf("p99 %.1f ms, missed %.1f %%\n", frames.Percentile(99).Seconds()*1000, m.MissedPercent)
	fmt.Printf("hitch ratio %.0f ms/s: %s\n", m.HitchRatio, m.HitchBand)
	// Output:
	// p99 16.7 ms, missed 10.4 %
	// hitch ratio 104 ms/s: critical
}

type physicsWorld struct{}

func (physicsWorld) step()    {}
func (physicsWorld) collide() {}

func Example_sections() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	var world physicsWorld

	loop.Begin()
	physics := loop.Section("physics")
	world.step()
	contacts := loop.Section("contacts") // within physics
	world.collide()
	contacts.End()
	physics.End()
	loop.Slice()
	loop.End()

	for _, frame := range loop.Recorder().Snapshot().Records {
		for _, s := range frame.Sections {
			fmt.Println(s.Name, s.Calls, s.Own <= s.Time)
		}
	}
	// Output:
	// physics 1 true
	// contacts 1 true
}

// A program is shown in a browser.
func Example_livePage() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	server := &http.Server{Addr: "localhost:6060", Handler: live.Handler(loop), ReadHeaderTimeout: 5 * time.Second}
	go server.ListenAndServe()
	defer server.Close()

	mux := http.NewServeMux()
	mux.Handle("/frames/", live.Handler(loop)) // /frames/, /frames/json, /frames/metrics
	expvar.Publish("frames", live.Var(loop))
}
