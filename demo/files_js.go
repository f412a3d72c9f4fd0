//go:build !headless

package main

import (
	"bytes"
	"io"
	"path/filepath"
	"syscall/js"

	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/internal/words"
)

// shrink makes the world smaller, because on a single thread each job is a part of a frame. A chunk takes a millisecond
// or two instead of 20, and there are fewer walkers.
func shrink(o *sim.Options) { o.Detail, o.Agents = 8, 30 }

// reloads says whether the pictures are loaded again and again: each takes longer than a frame.
const reloads = false

// publish gives the page the function frameslice, which tells scripts what the game is doing. It also tells the game
// when the page has been hidden. The browser has the only thread between two frames, so nothing here needs a lock.
func (g *game) publish() {
	js.Global().Set("frameslice", js.FuncOf(func(js.Value, []js.Value) any {
		cam, s := &g.world.Camera, g.hud.slider
		worst := g.host.loop.Recorder().Snapshot().Interval.Max()
		k := float64(g.hud.Scale() / g.device) // to the page's own units
		return map[string]any{
			"mode": string(g.host.mode), "load": g.load, "paused": g.paused,
			"frames": float64(g.frames),
			"x":      float64(cam.X), "y": float64(cam.Y), "free": cam.Free, "zoom": float64(cam.Zoom),
			"slider":   []any{float64(s.X) * k, float64(s.Y) * k, float64(s.W) * k, float64(s.H) * k},
			"counting": g.host.counting, "worst": words.Millis(worst), "done": float64(g.offer.Finished),
		}
	}))
	document := js.Global().Get("document")
	document.Call("addEventListener", "visibilitychange", js.FuncOf(func(js.Value, []js.Value) any {
		g.away = true
		return nil
	}))
}

// keepFile has the browser download a file of that name with what write writes.
func keepFile(name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	data := js.Global().Get("Uint8Array").New(b.Len())
	js.CopyBytesToJS(data, b.Bytes())
	url := js.Global().Get("URL")
	blob := js.Global().Get("Blob").New([]any{data}, map[string]any{"type": "application/octet-stream"})
	link := js.Global().Get("document").Call("createElement", "a")
	link.Set("href", url.Call("createObjectURL", blob))
	link.Set("download", filepath.Base(name))
	link.Call("click")
	var forget js.Func // when the download has begun for certain
	forget = js.FuncOf(func(js.Value, []js.Value) any {
		url.Call("revokeObjectURL", link.Get("href"))
		forget.Release()
		return nil
	})
	js.Global().Call("setTimeout", forget, 60_000)
	return nil
}
