//go:build !headless

package main

import (
	"os"
	"runtime"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/display"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/play"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/ebitenhost"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/workers"
)

// host is what Ebitengine runs: the wrapped game, and the exchange of one mode for another under it. A game with one
// mode needs none of this: see demo/embed.
//
// Every mode has its own loop around the game. In the frameslice mode it is a loop as any program would have it. In
// the others it has no workers. It measures there, and has the few tasks that the game has in every mode
// (play.Level). So the same instrument measures all modes.
//
// An exchange takes three steps, none of which stops a frame:
//
//  1. At the start of a frame the probe gives up the old executor. The executor closes on a goroutine of its own,
//     because it waits for the jobs that are running.
//  2. Frames continue under a loop that only measures. The probe keeps new jobs.
//  3. When the old executor has ended, GOMAXPROCS is back and no goroutine is left. The new executor is opened, and
//     gets the jobs that the probe has kept.
type host struct {
	game      *game
	loop      *frameslice.Loop
	level     *play.Level
	wrapped   ebiten.Game
	exec      load.Executor // nil while the old one closes
	mode      load.Mode
	want      load.Mode
	closed    chan struct{}               // of the one that is closing, nil if none
	figures   map[load.Mode]*load.Figures // of the modes that have been left
	stretches int
	unpaced   bool          // in one of them the swap did not pace the last frames
	measured  time.Duration // the display's interval, 0 while it is not known
	began     load.Stretch  // what had happened when the stretch in progress began to be counted:
	counting  bool          // when its warm-up was over
	opened    deadline.Instant
	opens     int // how many executors have been opened: the first with the window
}

func newHost(g *game, mode load.Mode) *host {
	h := &host{game: g, want: mode, figures: map[load.Mode]*load.Figures{}}
	h.open()
	return h
}

const (
	keepRecords = 1 << 15                // of a mode, for the report: the last nine minutes at 60 Hz
	warmUp      = 500 * time.Millisecond // left out at the start of each mode
)

// sliced reports whether the mode has a slice.
func (h *host) sliced() bool {
	_, ours := h.mode.Preset()
	return ours
}

// open opens the executor of the wanted mode.
func (h *host) open() {
	g := h.game
	h.mode = h.want
	preset, ours := h.mode.Preset()
	switch {
	case ours:
		o := preset.Options()
		o.CloseTimeout = -1
		if g.o.Out != "" {
			o.Profile = load.RunsKept
		}
		h.enclose(o)
		h.exec = load.NewOnLoop(h.loop)
	default:
		h.enclose(frame.Options{Workers: workers.Options{Workers: -1}})
		h.exec = h.naive()
	}
	g.begin(h)
	h.counting, h.opened = false, deadline.Now()
	h.opens++
}

// naive opens the executor of a mode without a loop of ours.
func (h *host) naive() load.Executor {
	if h.mode == load.Idle {
		return &play.Hold{}
	}
	return load.Open(h.mode, h.game.config())
}

// enclose puts a new loop around the game. A program with one mode has these lines in its main.
func (h *host) enclose(o frame.Options) {
	if h.game.o.Hz != 0 || h.measured > 0 { // else it is the display's, which may be faster than 60 Hz
		o.Interval = h.interval()
	}
	o.Pace = true                   // under Xvfb nothing else would
	o.JumpAfter = load.LongestFrame // what the naive modes do to a frame is not to be taken for a suspended laptop
	o.Recorder = record.Options{Records: keepRecords, WarmUp: -1}
	h.loop = frameslice.NewWith(o)
	h.wrapped = ebitenhost.Wrap(h.game, h.loop)
	h.level = h.game.newLevel(h.loop)
}

// turn begins an exchange if the user or the contest wants another mode, and ends it when the old executor has ended.
// It returns true if the game has a new loop around it, in which the frame has not begun yet.
//
// It is called when the old loop has just begun a frame, because a slice in the swap's shadow ends with that. Before,
// the world does not belong to this goroutine. The frame that has begun is ended at once, so its interval is in the
// figures.
func (h *host) turn() bool {
	if !h.counting && h.exec != nil && h.game.settled(h.game.frameAt.Sub(h.opened), h.loop.Stats().Frames) {
		h.count()
	}
	if h.closed != nil {
		select {
		case <-h.closed:
			h.closed = nil
			_ = h.loop.Close() // the loop of the meantime; it holds nothing
			h.game.clean()
			h.open()
			return true
		default:
			return false
		}
	}
	if h.want == h.mode {
		return false
	}
	h.loop.End()
	h.note()
	old, loop := h.exec, h.loop
	h.exec = nil
	h.game.suspend()
	settle := func() {}
	if h.game.contest != nil {
		settle = h.game.probe.Backlog()
	}
	done := make(chan struct{})
	h.closed = done
	go func() {
		defer close(done)
		old.Close()
		_ = loop.Close() // a second time in the frameslice mode: idempotent
		settle()
	}()
	h.enclose(frame.Options{Workers: workers.Options{Workers: -1}})
	return true
}

// count begins to count frames and jobs, and forgets what came before: the warm-up, or more if the user presses R.
func (h *host) count() {
	g := h.game
	h.learn()
	h.loop.Recorder().Reset()
	h.began, h.counting = g.counts(), true
}

// note adds the stretch that ends now to the report. Nothing counts until the next one begins.
func (h *host) note() {
	if !h.counting {
		return
	}
	h.counting = false
	h.learn()
	all := h.loop.Report(string(h.mode))
	s, now := h.loop.Stats(), h.game.counts()
	f := h.figures[h.mode]
	if f == nil {
		f = load.NewFigures(h.mode)
		h.figures[h.mode] = f
	}
	part := load.Stretch{
		Frames: all.Snapshot, Procs: runtime.GOMAXPROCS(0),
		Span: now.Span - h.began.Span,
		Jobs: now.Jobs.Minus(h.began.Jobs), Used: now.Used.Minus(h.began.Used),
		Profile: &workers.Profile{Runs: all.Runs, RunsDropped: all.RunsDropped},
	}
	f.Add(part)
	h.stretches++
	h.unpaced = h.unpaced || !s.Paced || swapless()
}

// learn asks the loop for the display's interval. It believes in about 60 Hz or more. A slower display looks the same
// as a game that misses every second refresh. Of several answers the shortest counts, because a display lets no frame
// through early. Answers that are nearly the same become more exact.
func (h *host) learn() {
	s := h.loop.Stats()
	if swapless() {
		return
	}
	same := (s.Interval - h.measured).Abs() < h.measured/200
	longer := s.Interval > h.measured*9/8 // a refresh that the frames' own work has missed
	if !s.Paced || s.Interval > load.DefaultInterval*103/100 || h.measured > 0 && (same || longer) {
		return
	}
	h.measured = s.Interval
}

// swapless reports that no swap waits. A display of the demo's own has only the refresh that demo/vsync gives it. On
// a busy machine a slow game there looks as if a swap paced it.
func swapless() bool { return display.Virtual() && os.Getenv("VSYNC_HZ") == "" }

// interval is the target of the report's frames in all modes: of -hz, or of the display as measured, or of 60 Hz.
func (h *host) interval() time.Duration {
	if h.game.o.Hz == 0 && h.measured > 0 {
		return h.measured
	}
	return h.game.o.Interval()
}

// end ends everything that open began, and waits for it. It is called inside the last Update, so that no job can call
// an engine that has ended.
func (h *host) end() {
	if h.closed != nil {
		<-h.closed //framevet:ok the last Update: nobody waits for a further frame
		h.closed = nil
		return
	}
	if h.exec == nil {
		return
	}
	h.note()
	h.game.suspend()
	h.exec.Close()
	h.exec = nil
}

// Layout is there for the interface; Ebitengine calls LayoutF.
func (h *host) Layout(w, hgt int) (int, int) {
	a, b := h.LayoutF(float64(w), float64(hgt))
	return int(a), int(b)
}

func (h *host) LayoutF(w, hgt float64) (float64, float64) {
	a, b := h.wrapped.(ebiten.LayoutFer).LayoutF(w, hgt)
	if h.turn() {
		return h.wrapped.(ebiten.LayoutFer).LayoutF(w, hgt)
	}
	return a, b
}

func (h *host) Update() error             { return h.wrapped.Update() }
func (h *host) Draw(screen *ebiten.Image) { h.wrapped.Draw(screen) }
