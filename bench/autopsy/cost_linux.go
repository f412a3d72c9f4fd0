package main

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/frame/autopsy"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hist"
	"golang.org/x/sys/unix"
)

const (
	costTurns  = 6
	costFrames = 120 // two seconds a turn
)

// recordingCost plays frames with a recording and without, in turns. Then it reads a recording of two seconds.
func recordingCost() string {
	runtime.LockOSThread()
	g := newGame(&cause{})
	defer os.RemoveAll(g.dir)
	for range costFrames {
		g.frame()
	}
	var with, without, busyWith, busyWithout []float64
	for turn := range 2 * costTurns {
		cpu, busy := &without, &busyWithout
		if turn%2 == 1 {
			g.start()
			cpu, busy = &with, &busyWith
		}
		for range costFrames {
			a := processTime()
			g.frame()
			*cpu = append(*cpu, float64(processTime()-a))
			for _, r := range g.loop.Recorder().Recent(make([]record.Record, 1)) {
				*busy = append(*busy, float64(r.Busy()))
			}
		}
		if turn%2 == 1 {
			g.box.Close()
			g.box = nil
		}
	}
	share := func(a, b []float64) float64 { return 100 * (hist.Median(a) - hist.Median(b)) / float64(refresh) }
	out := fmt.Sprintf("Recording takes %.2f %% of frame time from the frame, %.2f %% from all processors.\n",
		share(busyWith, busyWithout), share(with, without))
	return out + g.readTwoSeconds()
}

func (g *game) start() {
	var err error
	if g.box, err = autopsy.Start(autopsy.Options{Dir: g.dir, Files: 1}); err != nil {
		fail(err)
	}
}

func (g *game) readTwoSeconds() string {
	g.start()
	for range costFrames + costFrames/4 {
		g.frame()
	}
	for _, r := range g.loop.Recorder().Recent(make([]record.Record, 1)) {
		g.box.Late(r)
	}
	time.Sleep(200 * time.Millisecond) // while it writes
	begin := time.Now()
	err := g.box.Close()
	took := time.Since(begin)
	g.loop.Close()
	r := g.box.Reports()
	if err != nil || len(r) == 0 {
		fail(fmt.Errorf("no recording: %w", err))
	}
	return fmt.Sprintf("A trace of two seconds or more has %d KiB. Reading it takes %.2f s.\n",
		r[0].Bytes/1024, took.Seconds())
}

// processTime is the time that this process has had on all processors.
func processTime() int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts)
	return ts.Nano()
}
