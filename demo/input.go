//go:build !headless

package main

import (
	"slices"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/frameslice/frameslice/demo/cli"
	"github.com/frameslice/frameslice/demo/load"
)

// input is what keys and pointer have under way.
type input struct {
	quit   bool
	slider bool // the pointer holds the slider
	drag   bool // the pointer holds the land
	dragX  float32
	dragY  float32

	touch    ebiten.TouchID // the finger that is the pointer
	touched  bool           // there is one
	touches  []ebiten.TouchID
	px, py   float32 // where the pointer is, or the finger was last
	fingered bool    // it is a finger's place, until the mouse moves
	mx, my   int     // where the mouse was last
}

// modesOfKeys returns the modes that the key M walks through, in its order.
func modesOfKeys() []load.Mode { return load.Modes()[1:] }

// handle takes one tick's keys and pointer.
func (g *game) handle() {
	pressed := inpututil.IsKeyJustPressed
	for _, k := range [...]struct {
		key  ebiten.Key
		name string
	}{
		{ebiten.KeyM, "M"}, {ebiten.KeySpace, "Space"}, {ebiten.KeyS, "S"}, {ebiten.KeyF12, "S"},
		{ebiten.KeyH, "H"}, {ebiten.KeyR, "R"}, {ebiten.KeyC, "C"}, {ebiten.KeyQ, "Q"}, {ebiten.KeyEscape, "Q"},
	} {
		if pressed(k.key) {
			g.act(k.name)
		}
	}
	for i, m := range modesOfKeys() {
		if g.contest != nil {
			break // the plan decides
		}
		if pressed(ebiten.KeyDigit1 + ebiten.Key(i)) {
			g.host.want = m
		}
	}
	g.loadKeys()
	g.pointer()
	g.cameraKeys()
}

// act does what a key does, or a tap on its hint.
func (g *game) act(key string) {
	switch key {
	case "Q":
		g.input.quit = true
	case "M":
		by := 1
		if ebiten.IsKeyPressed(ebiten.KeyShift) {
			by = -1
		}
		g.shift(by)
	case "Space":
		g.pause()
	case "H":
		g.hidden = !g.hidden
	case "S":
		g.shots.ask("")
	case "R":
		if g.contest == nil && g.host.counting {
			g.host.count()
		}
	case "C":
		g.world.Camera.Free = false
	}
}

// pause stops the valley with its timers, or lets it continue. The panels, the camera and the jobs under way continue.
func (g *game) pause() {
	if g.contest != nil {
		return
	}
	if g.paused = !g.paused; g.paused {
		g.host.level.Valley.Pause()
	} else {
		g.host.level.Valley.Resume()
	}
}

// shift moves on by so many modes.
func (g *game) shift(by int) {
	if g.contest != nil {
		return
	}
	all := modesOfKeys()
	i := max(slices.Index(all, g.host.want), 0)
	g.host.want = all[(i+by+len(all))%len(all)]
}

// loadKeys moves the load: at once, and on when the key is held.
func (g *game) loadKeys() {
	step := 0.0
	held := func(k ebiten.Key) bool {
		d := inpututil.KeyPressDuration(k)
		return d == 1 || d > 20 && d%3 == 0
	}
	if held(ebiten.KeyEqual) || held(ebiten.KeyNumpadAdd) {
		step = 0.1
	}
	if held(ebiten.KeyMinus) || held(ebiten.KeyNumpadSubtract) {
		step = -0.1
	}
	if step != 0 {
		g.setLoad(g.load + step)
	}
}

// setLoad sets the load. The inline mode is opened anew, because its share per frame follows from the load.
func (g *game) setLoad(v float64) {
	v = min(max(float64(int(v*100+0.5))/100, 0), cli.MaxLoad)
	if v == g.load || g.contest != nil { // a comparison is of one load
		return
	}
	g.load = v
	if h := g.host; h.mode == load.Inline && h.exec != nil {
		h.exec.Close()
		h.exec = load.Open(h.mode, g.config())
		g.probe.Adopt(h.exec)
	}
}

// press returns where the pointer is, whether it is down, and whether it has just come down. The pointer is the first
// finger on the screen, or else the mouse with its left button.
func (in *input) press() (x, y float32, down, just bool) {
	if !in.touched {
		in.touches = inpututil.AppendJustPressedTouchIDs(in.touches[:0])
		if len(in.touches) > 0 {
			in.touch, in.touched, just = in.touches[0], true, true
		}
	} else {
		in.touches = ebiten.AppendTouchIDs(in.touches[:0])
		in.touched = slices.Contains(in.touches, in.touch)
	}
	mx, my := ebiten.CursorPosition()
	moved := mx != in.mx || my != in.my
	in.mx, in.my = mx, my
	if in.touched {
		tx, ty := ebiten.TouchPosition(in.touch)
		in.px, in.py, in.fingered = float32(tx), float32(ty), true
		return in.px, in.py, true, just
	}
	down = ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft)
	if moved || down || !in.fingered {
		in.px, in.py, in.fingered = float32(mx), float32(my), false
	}
	return in.px, in.py, down, inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft)
}

// pointer handles the mouse or a finger: the slider, the land, the mode by its panel, and a fright for the animals with
// the right button.
func (g *game) pointer() {
	in, cam := &g.input, &g.world.Camera
	x, y, left, just := in.press()
	scale := g.hud.Scale()
	ux, uy := x/scale, y/scale
	track := g.hud.slider
	near := track.Inset(-8)
	g.out.pointed = !g.hidden && near.Contains(ux, uy)
	if just {
		in.slider = g.out.pointed
		panel := !g.hidden && g.hud.card.Contains(ux, uy)
		if panel {
			g.shift(1)
		}
		hint := g.hud.tapped(ux, uy)
		if g.hidden && hint != "H" {
			hint = ""
		}
		g.act(hint)
		in.drag = !in.slider && !panel && hint == ""
		in.dragX, in.dragY = cam.World(x, y)
	}
	if !left {
		in.slider, in.drag = false, false
	}
	g.out.dragging = in.slider
	if in.slider {
		g.setLoad(float64((ux-track.X)/track.W) * cli.MaxLoad)
	}
	if in.drag {
		wx, wy := cam.World(x, y)
		if wx != in.dragX || wy != in.dragY {
			cam.Free = true
			cam.X += in.dragX - wx
			cam.Y += in.dragY - wy
		}
	}
	if _, wheel := ebiten.Wheel(); wheel != 0 {
		wx, wy := cam.World(x, y)
		g.zoom = min(max(g.zoom*(1+float32(wheel)*0.1), 1), 4)
		g.setZoom()
		if cam.Free { // zoom around the pointer
			vx, vy := cam.World(x, y)
			cam.X += wx - vx
			cam.Y += wy - vy
		}
	}
	wx, wy := cam.World(x, y)
	g.world.Scare(wx, wy, ebiten.IsMouseButtonPressed(ebiten.MouseButtonRight))
}

// cameraKeys moves the camera with the arrows.
func (g *game) cameraKeys() {
	var dx, dy float32
	for _, k := range [...]struct {
		key    ebiten.Key
		dx, dy float32
	}{
		{ebiten.KeyArrowLeft, -1, 0}, {ebiten.KeyArrowRight, 1, 0},
		{ebiten.KeyArrowUp, 0, -1}, {ebiten.KeyArrowDown, 0, 1},
	} {
		if ebiten.IsKeyPressed(k.key) {
			dx, dy = dx+k.dx, dy+k.dy
		}
	}
	if dx != 0 || dy != 0 {
		cam := &g.world.Camera
		cam.Free = true
		way := 700 * float32(g.dt.Seconds()) * g.device / cam.Zoom
		cam.X += dx * way
		cam.Y += dy * way
	}
}
