package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/autopsy"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/words"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
	"golang.org/x/sys/unix"
)

const (
	refresh   = time.Second / 60
	quiet     = 45                    // frames before a late one: they say what is usual
	leastLate = 20 * time.Millisecond // a cause makes a frame about 30 ms late
)

// A game is a program with frames, of which a cause makes some late.
type game struct {
	loop     *frame.Loop
	cause    *cause
	box      *autopsy.Box
	dir      string
	quiet    int // frames since the box was opened
	asked    bool
	swapFor  time.Duration // longer than until the next refresh
	sleepFor time.Duration
	undo     func() // ends the cause
	grid     time.Time

	tree *node // the garbage collection marks the nodes
	kept []byte
}

func newGame(c *cause) *game {
	g := &game{cause: c, grid: time.Now()}
	g.loop = frame.New(frame.Options{Recorder: record.Options{WarmUp: -1}, JumpAfter: -1})
	g.loop.Recorder().OnLate(g.late)
	dir, err := os.MkdirTemp("", "autopsy")
	if err != nil {
		fail(err)
	}
	g.dir = dir
	return g
}

var exits []func()

func atExit(f func()) { exits = append(exits, f) }

// late hands the frame on if the cause is at work.
func (g *game) late(r record.Record) {
	if g.asked && g.quiet <= quiet+10 && len(g.box.Reports()) == 0 && r.Interval-r.Target > leastLate {
		g.box.Late(r)
		g.quiet = -1
	}
}

// play makes frames late, and says what the accounts say.
func play(c *cause, frames int, verbose bool) (out result) {
	runtime.LockOSThread()
	out.Cause = c.name
	g := newGame(c)
	defer os.RemoveAll(g.dir)
	defer func() {
		for _, f := range exits {
			f()
		}
	}()
	if c.prepare != nil {
		c.prepare(g)
	}
	for tries := 0; out.Frames < frames; {
		if g.box == nil {
			g.open()
		}
		g.frame()
		switch {
		case g.quiet < 0: // the late frame has been told
			if g.undo != nil {
				g.undo()
				g.undo = nil
			}
			g.judge(&out, verbose)
		case g.quiet == quiet:
			g.asked = true
		case g.quiet > quiet+20: // the cause did not make it late
			if g.undo != nil {
				g.undo()
				g.undo = nil
			}
			g.box.Close()
			g.box = nil
			if tries++; tries > frames+10 {
				fail(fmt.Errorf("%s makes no frame late", c.name))
			}
		}
	}
	g.loop.Close()
	return out
}

func (g *game) open() {
	if g.cause.opened != nil {
		g.cause.opened(g)
	}
	g.start()
	g.quiet, g.asked = 0, false
	g.grid = time.Now()
}

// judge reads the account.
func (g *game) judge(out *result, verbose bool) {
	begin := time.Now()
	err := g.box.Close()
	took := time.Since(begin)
	for _, r := range g.box.Reports() {
		if err != nil || len(r.Parts) == 0 {
			fail(fmt.Errorf("%v: %w", r, err))
		}
		out.Frames++
		sum, unknown := time.Duration(0), time.Duration(0)
		for _, p := range r.Parts {
			if sum += p.Time; p.Kind == "unknown" {
				unknown += p.Time
			}
		}
		if sum != r.Interval {
			fail(fmt.Errorf("the parts of %v are together %v, not %v", r, sum, r.Interval))
		}
		if right := g.cause.right; right != nil && right(r.Parts[0]) || right == nil && holds(g.cause.wants, r.Parts) {
			out.Right++
		} else {
			out.Wrong = append(out.Wrong, r.String())
		}
		if verbose {
			fmt.Fprintln(os.Stderr, r)
		}
		late := r.Interval - r.Target
		out.Unknown = append(out.Unknown, float64(unknown)/float64(late))
		out.Late = append(out.Late, words.Millis(late))
		out.Reads, out.Bytes = append(out.Reads, took.Seconds()), append(out.Bytes, r.Bytes)
	}
	g.box = nil
	files, _ := filepath.Glob(filepath.Join(g.dir, "*"))
	for _, f := range files {
		if keep != "" {
			name := strings.ReplaceAll(g.cause.name, " ", "-") + strings.TrimPrefix(filepath.Base(f), "hitch")
			if data, err := os.ReadFile(f); err == nil {
				_ = os.WriteFile(filepath.Join(keep, name), data, 0o666)
			}
		}
		os.Remove(f)
	}
}

// frame is one frame of a window's host.
func (g *game) frame() {
	g.loop.Begin()
	strikes := g.asked && g.quiet == quiet
	g.quiet++
	if strikes && g.cause.before != nil {
		g.cause.before(g)
	}
	g.section("physics", func() { spin(3 * time.Millisecond) })
	if strikes && g.cause.within != nil {
		g.section(g.cause.name, func() { g.cause.within(g) })
	}
	g.section("draw", func() { spin(time.Millisecond) })
	for range 8 {
		g.loop.Post(deadline.Normal, func() { spin(100 * time.Microsecond) })
	}
	for range 4 {
		g.loop.Pool().Submit(&workers.Job{Label: "path", Func: func(*workers.Worker) { spin(200 * time.Microsecond) }})
	}
	if strikes && g.cause.task != nil {
		g.loop.Scheduler().Submit(&scheduler.Task{
			Label: "endless", Priority: deadline.Immediate, Func: func() { g.cause.task(g) },
		})
	}
	g.loop.Slice()
	g.loop.End()
	swapBuffers(g)
}

func (g *game) section(name string, f func()) {
	s := g.loop.Section(name)
	f()
	s.End()
}

// swapBuffers waits in the system for the next refresh, as a graphics driver does.
func swapBuffers(g *game) {
	for !g.grid.After(time.Now()) {
		g.grid = g.grid.Add(refresh)
	}
	d := time.Until(g.grid) + g.swapFor
	g.swapFor = 0
	time.Sleep(g.sleepFor)
	g.sleepFor = 0
	until := unix.NsecToTimespec(monotonic() + int64(d))
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &until, nil) == syscall.EINTR {
	}
}

func monotonic() int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return ts.Nano()
}
