//go:build !headless

package main

import (
	"context"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/cli"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/play"
	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// game is the program in the window: the world, what draws it, and the overlay. It is an ordinary Ebitengine game. It
// knows nothing of slices and deadlines, and gives its work to a Runner. Everything here runs on the frame goroutine.
// Only tasks (ground.upload, commits) may run in the shadow of the swap, when the frame goroutine does not touch the
// game.
type game struct {
	o    cli.Options
	ctx  context.Context // ends with Ctrl-C
	host *host

	world   *sim.World
	probe   play.Probe
	offer   *load.Offer
	errands *play.Errands

	ground  *ground
	scene   *scene
	hud     hud
	out     readout
	rates   rates
	shots   shots
	input   input
	contest *contest // nil except in a comparison

	load   float64
	paused bool
	hidden bool
	zoom   float32      // of the user, 1 = as it comes
	timers []play.Timer // of the valley
	news   atomic.Pointer[flow.Latest[string, play.Message]]

	width, height int
	device        float32 // device pixels per point
	begun         deadline.Instant
	frameAt       deadline.Instant
	frames        uint64
	drawn         bool          // Draw has been called since the frame began
	dt            time.Duration // since the frame before, bounded: what the world moves by
	gap           time.Duration // and as it was: what the schedule of the jobs goes by
	clock         float64       // seconds of frames without pauses, for the looks
	toastUntil    deadline.Instant
	problems      int  // of the world, that were told
	away          bool // the page has been hidden since the last frame
	ending        bool // the next Update ends the game
	err           error
}

// newGame makes the game.
func newGame(ctx context.Context, o cli.Options) *game {
	g := &game{o: o, ctx: ctx, load: o.Load, hidden: o.Height < 180, zoom: 1}
	device := float32(ebiten.Monitor().DeviceScaleFactor())
	view := image.Pt(int(float32(o.Width)*device+0.5), int(float32(o.Height)*device+0.5))
	so := sim.Options{Seed: load.Seed, View: view, MinZoom: baseZoom(view.Y, device)}
	shrink(&so)
	g.world = sim.New(so)
	if !o.Compare && reloads { // see contest
		g.timers = append(g.timers, play.Timer{Every: 15 * time.Second, Call: func() { g.world.Reload(&g.probe) }})
	}
	g.offer = load.NewOffer(o.Config())
	g.ground = newGround(g.world)
	g.scene = newScene(g.world)
	upload := func(maxBytes int) int { return g.ground.upload(g.world, maxBytes) }
	g.errands = play.NewErrands(upload)
	if o.Compare {
		c := o.Config().WithDefaults()
		g.contest = newContest(c)
	}
	g.out.maxLoad, g.out.cores = cli.MaxLoad, g.offer.CPUs
	return g
}

// baseZoom is how large the world is shown in a window so many device pixels high. A small window shows less of the
// world, not a smaller world: at 1 texels meet pixels, which is sharp and faster for a software renderer.
func baseZoom(height int, device float32) float32 {
	return device * min(max(float32(height)/(720*device), 1), 2)
}

// config is what package load is told when it opens the executor of a mode.
func (g *game) config() load.Config {
	c := g.o.Config()
	if c.Load = g.load; c.Load == 0 {
		c.Load = -1
	}
	return c
}

// begin is called when a mode's executor has been opened, between two frames.
func (g *game) begin(h *host) {
	var s *scheduler.Scheduler
	if h.sliced() {
		s = h.loop.Scheduler()
	}
	g.errands.Direct(s)
	g.probe.Adopt(h.exec)
	g.rates = rates{at: g.frameAt, jobs: g.offer.Counts}
	g.out.mode, g.out.says = string(h.mode), h.mode.Says()
}

// suspend is called when the executor is about to be closed: from now on the probe keeps the jobs.
func (g *game) suspend() {
	g.probe.Suspend()
	g.errands.Direct(nil)
}

// counts is of all that has happened since the clock began.
func (g *game) counts() load.Stretch {
	return load.Stretch{
		//framevet:ok /proc/stat is memory, not a disk
		Span: time.Duration(deadline.Now()), Jobs: g.offer.Counts, Used: load.ReadUsage(),
	}
}

// mode is the mode that the run begins with.
func (g *game) mode() load.Mode {
	if g.contest != nil {
		return g.contest.plan[0]
	}
	return g.o.Modes[0]
}

// Layout is there for the interface; Ebitengine calls LayoutF.
func (g *game) Layout(w, h int) (int, int) { return w, h }

// LayoutF is the first call of a frame, by way of the loop.
func (g *game) LayoutF(w, h float64) (float64, float64) {
	if g.begun == 0 { // the first frame: opening the window is not part of the duration
		g.begun, g.frameAt = deadline.Now(), deadline.Now()
	}
	if g.drawn { // once a frame: when the mode is exchanged, the layout is asked for twice
		now := deadline.Now()
		g.drawn = false
		g.gap = max(now.Sub(g.frameAt), 0)
		g.dt = min(g.gap, 100*time.Millisecond)
		if g.away { // the schedule of the jobs stood still, too
			g.gap, g.away = g.dt, false
		}
		g.frameAt = now
		if !g.paused {
			g.clock += g.dt.Seconds()
		}
	}
	if g.frames%30 == 0 { // windows move from one screen to another; asking costs an allocation
		g.device = float32(ebiten.Monitor().DeviceScaleFactor())
	}
	g.frames++
	dw, dh := math.Ceil(w*float64(g.device)), math.Ceil(h*float64(g.device))
	if int(dw) != g.width || int(dh) != g.height {
		g.resize(int(dw), int(dh))
	}
	if x := g.probe.Executor(); x != nil {
		x.Begin()
	}
	return dw, dh
}

func (g *game) resize(w, h int) {
	g.width, g.height = w, h
	if err := g.hud.resize(w, h, g.device); err != nil {
		g.err = fmt.Errorf("overlay: %w", err)
	}
	g.world.Camera.View = image.Pt(w, h)
	g.setZoom()
}

// setZoom keeps the camera at the user's zoom, and no further out than the world has terrain for.
func (g *game) setZoom() {
	room := g.world.Options()
	wide := float32(g.width) / float32(room.View.X)
	high := float32(g.height) / float32(room.View.Y)
	least := room.MinZoom * max(wide, high)
	g.world.Camera.Zoom = max(baseZoom(g.height, g.device), least) * g.zoom
}

// Update is one tick. With SetTPS(SyncWithFPS) there is exactly one in a frame. With a fixed rate several ticks would
// follow a late frame, and make the next frame late as well.
func (g *game) Update() error {
	if g.ending {
		g.host.end()
		return ebiten.Termination
	}
	g.handle()
	if !g.paused {
		s := g.host.loop.Section("world")
		g.world.Step(g.dt, &g.probe)
		s.End()
		g.offer.Frame(g.gap, g.offeredLoad(), &g.probe)
	}
	g.errands.Frame(g.world.Uploads.Len())
	g.announce()
	g.compete()
	over := g.contest == nil && g.o.Duration > 0 && g.frameAt.Sub(g.begun) >= g.o.Duration
	if over || g.err != nil || g.ctx.Err() != nil || ebiten.IsWindowBeingClosed() || g.input.quit {
		g.finish()
	}
	return nil
}

// offeredLoad is the load of the slider, and 0 in the idle mode. Between two turns of a comparison it is 0, too,
// because the next mode would inherit the jobs.
func (g *game) offeredLoad() float64 {
	if g.host.mode == load.Idle || g.contest != nil && g.host.exec == nil {
		return 0
	}
	return g.load
}

// finish ends the game with the next Update, so that the Draw between can still take the last picture.
func (g *game) finish() {
	g.ending = true
	if g.o.Out != "" {
		g.shots.ask(filepath.Join(g.o.Out, "screenshot.png"))
	}
}

// announce tells what went wrong and was got over.
func (g *game) announce() {
	for _, p := range g.world.Problems[g.problems:] {
		text := fmt.Sprintf("%s: %v", p.Name, p.Err)
		fmt.Fprintln(os.Stderr, "demo:", text)
		g.tell("problem", play.Message{Text: text, Bad: true})
	}
	g.problems = len(g.world.Problems)
}

// Draw draws one frame. The end of the executor's frame comes last, as in a game.
func (g *game) Draw(screen *ebiten.Image) {
	t := float32(g.clock)
	s := g.host.loop.Section("draw ground")
	g.ground.draw(screen, g.world, t)
	s.End()
	level := 0
	if g.contest == nil { // there each mode draws the same
		level = g.host.loop.Pressure()
	}
	s = g.host.loop.Section("draw world")
	g.scene.draw(screen, g.ground, t, g.host.loop, level)
	s.End()
	g.gather()
	if !g.hidden {
		s = g.host.loop.Section("draw panels")
		g.hud.draw(screen, g)
		s.End()
	}
	g.shots.serve(screen, g)
	g.drawn = true
	if x := g.probe.Executor(); x != nil {
		x.End()
	}
}
