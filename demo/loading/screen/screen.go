// Package screen is the logic of a loading screen, without the drawing.
package screen

import (
	"context"
	"fmt"
	"image"

	"github.com/frameslice/frameslice"
)

// A Screen loads the pictures of a level. The player sees how many are there, may leave, and may try again those
// that failed. Its methods and the loader's commits run on the frame goroutine, so no field needs a lock.
type Screen struct {
	pictures *frameslice.Loader[string, image.Image]
	show     func(image.Image) // makes the texture
	ctx      context.Context

	Leave         context.CancelFunc // ends all loads: none of them commits any more
	Total, Loaded int
	Failed        []Failure
}

// A Failure is a picture that could not be loaded, and why.
type Failure struct {
	Name string
	Err  error
}

// New begins all loads at once, so that all workers decode.
func New(
	pictures *frameslice.Loader[string, image.Image], names []string, show func(image.Image),
) *Screen {
	s := &Screen{pictures: pictures, show: show, Total: len(names)}
	s.ctx, s.Leave = context.WithCancel(context.Background())
	s.load(names)
	return s
}

func (s *Screen) load(names []string) {
	for _, name := range names {
		s.pictures.Load(s.ctx, name, func(img image.Image, err error) { // in what a frame has left
			if err != nil {
				s.Failed = append(s.Failed, Failure{name, err})
				return
			}
			s.show(img)
			s.Loaded++
		})
	}
}

// Retry loads again what has failed.
func (s *Screen) Retry() {
	var names []string
	for _, f := range s.Failed {
		names = append(names, f.Name)
	}
	s.Failed = s.Failed[:0]
	s.load(names)
}

// Reasons tells why pictures have failed, each reason once: "sky and 2 more: the network is away".
func (s *Screen) Reasons() (lines []string) {
	var reasons []string
	pictures := map[string][]string{} // by reason
	for _, f := range s.Failed {
		why := f.Err.Error()
		if pictures[why] == nil {
			reasons = append(reasons, why)
		}
		pictures[why] = append(pictures[why], f.Name)
	}
	for _, why := range reasons {
		line := pictures[why][0]
		if n := len(pictures[why]); n > 1 {
			line += fmt.Sprintf(" and %d more", n-1)
		}
		lines = append(lines, line+": "+why)
	}
	return lines
}

// Fraction is the part of the bar that is full.
func (s *Screen) Fraction() float64 { return float64(s.Loaded) / float64(max(s.Total, 1)) }

// Ready reports whether the level can begin.
func (s *Screen) Ready() bool { return s.Loaded == s.Total }

// Stuck reports whether only the player can continue, by Retry or Leave.
func (s *Screen) Stuck() bool { return len(s.Failed) > 0 && s.Loaded+len(s.Failed) == s.Total }
