package overlay

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/canvas"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

var pictures = flag.String("pictures", "", "leave the pictures of TestPictures in this folder")

// sizes are screens, with the pixels that a point of their display has.
var sizes = []struct {
	w, h   int
	pixels float32
}{{320, 240, 1}, {640, 360, 1}, {390 * 2, 844 * 2, 2}, {1280, 720, 1}, {2560, 1440, 2}, {3840, 2160, 1}}

// game plays some seconds of a game with late frames, tasks and jobs in virtual time, and shows each frame to the view.
func game(t *testing.T, frames int, each func(l *frame.Loop, n int)) {
	synctest.Test(t, func(t *testing.T) {
		l := frame.New(frame.Options{
			Interval:  time.Second / 60,
			Workers:   workers.Options{Workers: 3},
			Scheduler: scheduler.Options{Rethrow: true},
			OnStuck:   func(string) {},
			Recorder:  record.Options{WarmUp: -1},
		})
		defer l.Close()
		n := 0
		err := l.Run(t.Context(), func() error {
			if n++; n > frames {
				return frame.ErrStop
			}
			for i, name := range [...]string{"physics", "animation", "draw the world"} { // the game's own work
				s := l.Section(name)
				time.Sleep(time.Duration(500+i*500+n%7*100) * time.Microsecond)
				s.End()
			}
			for i := range 3 {
				l.Post(deadline.Priorities()[(n+i)%5], upload)
				job := &workers.Job{Label: []string{"path", "decode", "terrain"}[i], Priority: deadline.Low}
				job.Func = func(*workers.Worker) { time.Sleep(time.Duration(4+5*i) * time.Millisecond) }
				l.Pool().Submit(job)
			}
			each(l, n)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func upload()    { time.Sleep(700 * time.Microsecond) }
func spawnBoss() { time.Sleep(45 * time.Millisecond) } // longer than a slice

// On each screen every quad is within the screen, and there is text. -pictures leaves the pictures.
func TestPictures(t *testing.T) {
	const autopsied = "27.9 waiting for a processor: job decode.png and main.findPath had both; " +
		"9.1 helping the garbage collection in task spawn; 3.2 the system ran other threads or processes; 17.5 the rest"
	var v View
	game(t, 500, func(l *frame.Loop, n int) {
		if n == 440 {
			l.Post(deadline.Immediate, spawnBoss)
		}
		if n == 490 { // the sentence of an autopsy takes its time
			l.Recorder().Explain(v.hitch.frame, autopsied)
		}
		v.Read(l)
	})
	if string(v.hitch.cause) != autopsied {
		t.Errorf("the last hitch says %q, and not what an autopsy found", v.hitch.cause)
	}
	for _, s := range sizes {
		a, err := canvas.Bake(Scale(s.w, s.h, s.pixels), canvas.Small)
		if err != nil {
			t.Fatal(err)
		}
		c := layout(t, v.Draw, a, s.w, s.h)
		if *pictures == "" {
			continue
		}
		img := image.NewRGBA(image.Rect(0, 0, s.w, s.h))
		draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{0x6A, 0x9A, 0x55, 0xFF}), image.Point{}, draw.Src)
		c.Paint(img)
		name := filepath.Join(*pictures, fmt.Sprintf("model-%dx%d.png", s.w, s.h))
		if err := record.WriteFile(name, func(w io.Writer) error { return png.Encode(w, img) }); err != nil {
			t.Fatal(err)
		}
	}
	a, err := canvas.Bake(1, canvas.Small)
	if err != nil {
		t.Fatal(err)
	}
	for w := 60; w < 1400; w += 31 {
		for h := 40; h < 1000; h += 37 {
			layout(t, v.Draw, a, w, h)
			c := layout(t, v.DrawSmall, a, w, h)
			least := float32(w)
			for i := range c.Quads {
				least = min(least, c.Quads[i].X0)
			}
			if w > 320 && least < float32(w/2-margin) || w >= 150 && h >= 80 && len(c.Quads) == 0 {
				t.Fatalf("%dx%d: the small form has %d quads, from %v on", w, h, len(c.Quads), least)
			}
		}
	}
	v.at = v.hitch.at.Add(smallHitch*time.Second - 1)
	with := len(layout(t, v.DrawSmall, a, 640, 480).Quads)
	v.at = v.at.Add(2)
	if without := len(layout(t, v.DrawSmall, a, 640, 480).Quads); without == 0 || with <= without {
		t.Errorf("%d quads with a new hitch, %d with an old one", with, without)
	}
}

// layout returns what a form of the view shows on a screen of w by h pixels.
func layout(t *testing.T, form func(*canvas.Canvas), a *canvas.Atlas, w, h int) *canvas.Canvas {
	t.Helper()
	c := new(canvas.Canvas)
	c.Begin(a, w, h)
	form(c)
	for i := range c.Quads {
		q := &c.Quads[i]
		if q.X0 < 0 || q.Y0 < 0 || q.X1 > float32(w) || q.Y1 > float32(h) || q.X1 < q.X0 || q.Y1 < q.Y0 {
			t.Fatalf("%dx%d: the quad %+v is out of the screen, or turned", w, h, *q)
		}
	}
	return c
}

// The view follows the loop that it is shown, and says what it is.
func TestViewOfALoop(t *testing.T) {
	var v View
	game(t, 300, func(l *frame.Loop, n int) {
		if n == 250 {
			l.Post(deadline.Immediate, spawnBoss)
		}
		v.Read(l)
		switch n {
		case 1:
			if v.frames.Held != 0 || v.hitch.late != 0 {
				t.Errorf("in the first frame there are %d, and a hitch of %v", v.frames.Held, v.hitch.late)
			}
		case 200:
			if v.frames.Held != 198 || v.shown.missed != 0 || v.hitch.late != 0 || !v.active {
				t.Errorf("frame 200: %d frames, %d missed, a hitch of %v: %s", v.frames.Held, v.shown.missed,
					v.hitch.late, v.hitch.cause)
			}
			if got := v.pool.Queued[deadline.Low.Lane()]; got == 0 || v.shown.budget < 5*time.Millisecond {
				t.Errorf("frame 200: %d jobs wait, the budget is %v", got, v.shown.budget)
			}
		case 300:
			const want = "the task overlay.spawnBoss, or the system, took 45.0 ms of a slice of"
			if v.shown.missed != 2 || !strings.Contains(string(v.hitch.cause), want) {
				t.Errorf("%d missed, the hitch of %v: %s", v.shown.missed, v.hitch.late, v.hitch.cause)
			}
			if k := v.work.kinds[v.work.order[0]]; v.work.ranked < 2 || k.of == aTask || k.name == "" {
				t.Errorf("%d kinds are known to cost, the first is %+v", v.work.ranked, k)
			}
		}
	})
	game(t, 3, func(l *frame.Loop, n int) {
		if v.Read(l); v.frames.Held > n || v.hitch.late != 0 {
			t.Errorf("another loop: %d frames, a hitch of %v", v.frames.Held, v.hitch.late)
		}
	})
}

// What waits is written as counts, and IO only if there is some.
func TestTextOfWhatWaits(t *testing.T) {
	var v View
	v.tasks[1], v.delayed[2], v.pool.Queued[3] = 2, 3, 4
	for _, io := range [][2]int{{0, 0}, {5, 6}} {
		v.pool.IO, v.pool.IOWaiting = io[0], io[1]
		want := "2 tasks + 3 timed, 4 jobs"
		if io[0] > 0 {
			want += ", 11 IO"
		}
		if got := string(v.appendWaiting(nil, true)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A window of any size has room for text, and is not painted anew at each pixel of its size.
func TestScale(t *testing.T) {
	for _, c := range []struct {
		w, h         int
		pixels, want float32
	}{
		{320, 240, 1, 1}, {1280, 720, 1, 1}, {1280, 720, 0, 1}, {2560, 1440, 2, 2}, {3840, 2160, 1, 3},
		{780, 1688, 2, 2},
		{1500, 900, 1.5, 1.5}, {1501, 900, 1501.0 / 1001, 1.5}, {1502, 900, 1502.0 / 1001, 1.5}, // a window of 1001
		{1920, 1080, 1920.0 / 20, 12.75}, {10, 10, 8, 1}, // a window of 20, and of nearly none
	} {
		if got := Scale(c.w, c.h, c.pixels); got != c.want {
			t.Errorf("%dx%d, %v pixels a point: %v, want %v", c.w, c.h, c.pixels, got, c.want)
		}
	}
}
