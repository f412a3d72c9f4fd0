package hosts_test

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/frameslice/frameslice/demo/hosts/screen"
	"github.com/frameslice/frameslice/demo/hosts/work"
)

// pictures is where the tests leave a picture of each window: the folder out/hosts of the repository.
const pictures = "../../out/hosts"

// vsync compiles the library that makes a swap wait as a display does.
func vsync(t testing.TB) string {
	t.Helper()
	library := filepath.Join(t.TempDir(), "libvsync.so")
	out, err := exec.Command("cc", "-O2", "-shared", "-fPIC", "-o", library, "../vsync/vsync.c", "-ldl").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return library
}

// onScreen starts the program on a screen of its own, with a software renderer without threads of its own: see
// demo/display.
func onScreen(t testing.TB, name, vsync string, args ...string) (*program, *screen.Screen) {
	t.Helper()
	s, err := screen.Start(t.TempDir(), image.Pt(800, 600))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	p := command(t, name, args...)
	p.Env = append(os.Environ(), "DISPLAY="+s.Display, "WAYLAND_DISPLAY=", "LANG=en_US.UTF-8", "LD_PRELOAD="+vsync,
		"XDG_RUNTIME_DIR="+t.TempDir(), "LP_NUM_THREADS=0", "LIBGL_ALWAYS_SOFTWARE=1")
	p.start()
	return p, s
}

// near reports whether two colours look alike.
func near(a color.Color, b color.NRGBA) bool {
	c := color.NRGBAModel.Convert(a).(color.NRGBA)
	far := func(x, y uint8) bool { return max(x, y)-min(x, y) > 12 }
	return !far(c.R, b.R) && !far(c.G, b.G) && !far(c.B, b.B)
}

// A look says what a picture of the window shows.
type look struct {
	*image.RGBA
	bar   float64 // how much of the progress bar is full, or -1 without a bar
	items int     // cells with a picture
	drawn bool    // the fractal is there
}

func lookAt(img *image.RGBA) look {
	l := look{RGBA: img, bar: -1}
	y := (work.Bar.Min.Y + work.Bar.Max.Y) / 2
	full := 0
	for x := work.Bar.Min.X + 1; x < work.Bar.Max.X-1; x++ {
		switch c := img.At(x, y); {
		case near(c, work.BarDone):
			full++
		case !near(c, work.BarBack):
			return l
		}
	}
	l.bar = float64(full) / float64(work.Bar.Dx()-2)
	for ; ; l.items++ {
		cell := work.Cell(l.items)
		if !cell.In(work.Window) || near(img.At(cell.Min.X+work.Side/2, cell.Min.Y+work.Side/2), work.Background) {
			break
		}
	}
	middle := work.FractalArea.Min.Add(image.Pt(work.FractalSide*7/10, work.FractalSide/2)) // a point that stays
	l.drawn = near(img.At(middle.X, middle.Y), color.NRGBA{A: 255})
	return l
}

// sees waits until the window looks like that, and leaves its picture in a file.
func sees(p *program, s *screen.Screen, name string, ok func(look) bool) look {
	p.t.Helper()
	var l look
	save := func() {
		f, err := os.Create(filepath.Join(pictures, name+".png"))
		if err != nil {
			p.t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, l.RGBA); err != nil {
			p.t.Fatal(err)
		}
	}
	p.until("the window shows: "+name, func() bool {
		img, err := s.Shot(work.Window.Size())
		if err != nil {
			return false // not shown yet
		}
		l = lookAt(img)
		save()
		return ok(l)
	})
	return l
}

// testWindow uses a program as a person does. The list loads, and the program rests. Another goroutine and a timer wake
// the loop, and a click wakes it. The window is closed at rest, and in the middle of a load and a heavy job. Idle, the
// program may use that share of a processor.
func testWindow(t *testing.T, name string, idle float64) {
	if testing.Short() {
		t.Skip("compiles a GUI library, for minutes: not with -short, but in make hosts")
	}
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		t.Fatal(err)
	}
	binary, library := build(t, name), vsync(t)
	p, s := onScreen(t, binary, library, "-later", "6s")
	loading := func(l look) bool { return l.bar > 0.05 && l.bar < 0.95 && l.items > 5 }
	loaded := func(l look) bool { return l.bar == 1 && l.items == 120 }
	sees(p, s, name+"-loading", loading)
	if l := sees(p, s, name+"-loaded", loaded); l.drawn {
		t.Error("the fractal was there before its time")
	}
	p.rests(idle)
	sees(p, s, name, func(l look) bool { return l.drawn })
	p.rests(idle)
	if err := s.Click(work.Window.Size(), work.LoadButton.Min.Add(work.LoadButton.Size().Div(2))); err != nil {
		t.Fatal(err)
	}
	sees(p, s, name+"-again", loading)
	sees(p, s, name+"-again", loaded)
	closeWindow(p, s)
	whole(t, p.ends())

	p, s = onScreen(t, binary, library, "-items", "5000", "-heavy")
	sees(p, s, name+"-closing", func(l look) bool { return l.bar >= 0 && l.items > 5 })
	closeWindow(p, s)
	cut(t, p.ends())
}

func closeWindow(p *program, s *screen.Screen) {
	p.t.Helper()
	if err := s.CloseWindow(work.Window.Size()); err != nil {
		p.t.Fatal(err)
	}
}

func TestGio(t *testing.T) { testWindow(t, "gio", 0.02) }

func TestSDL(t *testing.T) { testWindow(t, "sdl", 0.02) }

// Fyne itself looks for events 60 times a second.
func TestFyne(t *testing.T) { testWindow(t, "fyne", 0.1) }
