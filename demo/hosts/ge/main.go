// Command ge is a program with an engine that owns the game value and has no hooks for frames: quasilyte's ge. Its
// scenes are wrapped one by one.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/quasilyte/ge"

	"github.com/frameslice/frameslice"
)

// frames are the frames of all scenes.
type frames struct {
	loop  *frameslice.Loop
	begun bool
}

// framed is a scene whose frames have a slice.
type framed struct {
	ge.SceneController
	*frames
}

func (f *framed) Init(scene *ge.Scene) {
	f.SceneController.Init(scene)
	scene.AddGraphicsAbove(f, 4) // the topmost layer
}

func (f *framed) Update(delta float64) {
	if !f.begun {
		f.loop.Begin()
		f.begun = true
	}
	f.SceneController.Update(delta)
}

func (f *framed) Draw(*ebiten.Image) {
	if !f.begun {
		f.loop.Begin()
	}
	f.loop.Slice()
	f.loop.End()
	f.begun = false
}

func (f *framed) IsDisposed() bool { return false }

// level is a scene that computes something, and shows how far it is.
type level struct {
	loop  *frameslice.Loop
	bar   *ge.Rect
	ready float64 // 0 to 1
	sum   float64
}

func (l *level) Init(scene *ge.Scene) {
	l.bar = ge.NewRect(scene.Context(), 1, 20)
	l.bar.Centered = false
	scene.AddGraphics(l.bar)
	l.loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		const steps = 5000
		for i := range steps {
			for x := range 10000 {
				l.sum += math.Sin(float64(x))
			}
			l.ready = float64(i+1) / steps
			co.Yield()
		}
	})
}

func (l *level) Update(float64) {
	l.bar.Width = 320 * l.ready
}

func main() {
	f := &frames{loop: frameslice.New(frameslice.Balanced)}
	defer f.loop.Close()
	ctx := ge.NewContext(ge.ContextConfig{Mute: true, TimeDeltaMode: ge.TimeDeltaFixed60})
	ctx.WindowWidth, ctx.WindowHeight = 320, 240
	if err := ge.RunGame(ctx, &framed{&level{loop: f.loop}, f}); err != nil { // and in each ChangeScene
		log.Print(err)
	}
	fmt.Print(f.loop.Report("ge"))
}
