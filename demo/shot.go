//go:build !headless

package main

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/frameslice/frameslice/demo/play"
)

// shots takes pictures of the screen. Reading the pixels back must happen in Draw, and makes that frame late.
// Encoding takes ten times as long, and runs on a goroutine of its own.
type shots struct {
	asked bool
	path  string // "" = a name with the time, in the working directory
	wg    sync.WaitGroup
	mu    sync.Mutex
	err   error // first failure of one with a path

	second string // of the last one without a path
	nth    int    // in that second
}

func (s *shots) ask(path string) { s.asked, s.path = true, path }

// serve takes the picture that was asked for.
func (s *shots) serve(screen *ebiten.Image, g *game) {
	if !s.asked {
		return
	}
	s.asked = false
	img := image.NewRGBA(screen.Bounds())
	screen.ReadPixels(img.Pix)
	path, named := s.path, s.path != ""
	if !named {
		path = s.name(time.Now())
	}
	s.wg.Go(func() {
		err := keepFile(path, func(w io.Writer) error { return png.Encode(w, img) })
		said := play.Message{Text: "saved " + path, Bad: err != nil}
		if err != nil {
			said.Text = "cannot save the picture: " + strings.TrimPrefix(err.Error(), "frame: ")
		}
		g.tell("picture", said)
		s.mu.Lock()
		defer s.mu.Unlock()
		if named && s.err == nil {
			s.err = err
		}
	})
}

// name returns the name of a picture that is taken now: none takes the place of another of the same second.
func (s *shots) name(now time.Time) string {
	second := now.Format("frameslice-20060102-150405")
	if second != s.second {
		s.second, s.nth = second, 0
	}
	if s.nth++; s.nth == 1 {
		return second + ".png"
	}
	return fmt.Sprintf("%s-%d.png", second, s.nth)
}

// wait waits until all pictures are written, and returns the first failure of one that was asked for by name.
func (s *shots) wait() error {
	s.wg.Wait()
	return s.err
}
