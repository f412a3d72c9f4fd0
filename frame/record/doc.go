// Package record measures the frames of a program: what each frame took, and what became of the whole run.
//
// A frame.Loop has a Recorder and fills it. A program with another loop makes one:
//
//	rec := record.New(record.Options{Target: time.Second / 60})
//	for last := deadline.Now(); !done; {
//		now := deadline.Now()
//		rec.Add(record.Record{Start: now, Interval: now.Sub(last)})
//		last = now
//		updateAndDraw() // returns when the display is ready for the next frame
//	}
//	report := record.NewReport("mine", rec.Snapshot(), record.ReadEnvironment("vsync"))
//	fmt.Print(report)
//	err := report.Save("out", "mine") // out/mine.txt, out/mine.json, ..., where there is a folder out
//
// A Record is what one frame left behind. The Recorder keeps the last few thousand records. It also keeps sums and
// histograms of all frames. A Snapshot is a copy of both. A Report is computed from a Snapshot: percentiles, hitches,
// missed refreshes, and what the runtime and the pool did meanwhile. It is text, JSON, CSV, HdrHistogram files and a
// trace for Perfetto.
//
// Intervals are the frame times of a run from any other source. Their methods have percentiles, hitches and missed
// refreshes. For a Report add the frames to a Recorder.
//
// # What counts
//
// The first 60 frames are the warm-up and do not count, nor does a jump of the clock. Options.WarmUp and
// frame.Options.JumpAfter change that. Reports tell how many frames did not count.
//
// # Limits
//
// The Recorder knows when a frame began, not when it was shown. So all hitch figures are estimates. Nothing corrects
// for coordinated omission: an interval contains its stall already. A Histogram has three digits, up to one minute.
package record

// The Recorder shares memory between one writer and any number of readers. The protocol of the last records (RC1 to
// RC3) is in recorder_ring.go, that of sums and histograms (RC4 to RC6) in recorder.go. Model tests explore both.
