// Package hostonly has images, and things that are marked, in jobs.
package hostonly

import (
	"context"
	"image"
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/workers"
)

// An atlas is the renderer's.
//
//framevet:frame
type atlas struct{ used int }

func (a *atlas) add() { a.used++ }

var pages []*atlas //framevet:frame

type scene struct {
	atlas  *atlas
	screen *ebiten.Image
	dirty  bool //framevet:frame
}

//framevet:frame
func upload(image.Image) {}

func (s *scene) start(loop *frameslice.Loop, p *workers.Pool) {
	p.Go(frameslice.Low, func() { s.atlas.add() })    // want "marked"
	p.Go(frameslice.Low, func() { println(pages) })   // want "pages is marked"
	p.Go(frameslice.Low, func() { println(s.dirty) }) // want "dirty is marked"
	frameslice.SubmitIO(loop, func(context.Context) (int, error) {
		upload(nil) // want "upload is marked"
		return 0, nil
	})
	workers.Submit(p, frameslice.Low, func(context.Context) (color.Color, error) {
		return s.screen.At(1, 1), nil // want "Image.At touches"
	})
	job := &workers.Job{Func: s.paint}
	p.Submit(job)
	loop.ParallelFor(4, 1, func(lo, hi int) { s.screen.SubImage(image.Rect(0, lo, 1, hi)) })
	loop.Post(frameslice.Low, func() { upload(nil); s.atlas.add() })
}

func (s *scene) paint(*workers.Worker) { s.clear() }
func (s *scene) clear()                { s.screen.Clear() } // want "Image.Clear touches"
