// Package record measures the frames of a program. A frame.Loop fills its Recorder. Another loop makes one:
//
//	rec := record.New(record.Options{Target: time.Second / 60})
//	for last := deadline.Now(); !done; {
//		now := deadline.Now()
//		rec.Add(record.Record{Start: now, Interval: now.Sub(last)})
//		last = now
//		updateAndDraw() // waits for the display
//	}
//	report := record.NewReport("mine", rec.Snapshot(), record.ReadEnvironment("vsync"))
//	fmt.Print(report)
//	err := report.Save("out", "mine") // out/mine.txt, out/mine.json, ...
//
// A Recorder keeps the latest records, and sums and histograms of all frames. A Snapshot is a copy of both. A Report is
// computed from a Snapshot. Intervals are the frame times of any run: Measure has their metrics.
//
// # Limits
//
// The first 60 frames are the warm-up and do not count, nor does a jump of the clock (Options.WarmUp,
// frame.Options.JumpAfter). Reports tell how many frames did not count. The Recorder knows when a frame began, not when
// it was shown: all hitch figures are estimates, unless the host calls Presented. Nothing corrects for coordinated
// omission, because an interval already contains its stall.
package record

// The Recorder shares memory between one writer and any number of readers. The protocol of the last records (RC1 to
// RC3) is in recorder_ring.go, that of sums and histograms (RC4 to RC6) in recorder.go. Any goroutine writes display
// times: that protocol (RC7 to RC9) is in shown.go. The explorer runs all three.
