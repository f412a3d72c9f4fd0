//go:build !headless

package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/ebitenhost"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/workers"
)

const (
	overlayArg    = "overlay"
	overlayWindow = "frameslice overlay"
	picturesIn    = "FRAMESLICE_PICTURES" // its value is a folder for the pictures; empty means none
)

// overlaySizes are screens on which the overlay is looked at. Pixels and form are as in ebitenhost.Overlay; most is the
// share of the screen that it may cover.
var overlaySizes = []struct {
	w, h   int
	pixels float64
	form   ebitenhost.OverlayForm
	most   float64
}{
	{320, 240, 1, ebitenhost.OverlayWhole, 0.95}, {640, 480, 1, ebitenhost.OverlayWhole, 0.95},
	{1280, 720, 1, ebitenhost.OverlayFitting, 0.95}, {2560, 1440, 2, ebitenhost.OverlayFitting, 0.95},
	{3840, 2160, 1, ebitenhost.OverlayFitting, 0.95}, {1280, 720, 1, ebitenhost.OverlaySmall, 0.05},
	{320, 240, 1, ebitenhost.OverlayFitting, 0.3}, {640, 480, 1, ebitenhost.OverlayFitting, 0.15},
	{1280, 960, 2, ebitenhost.OverlayFitting, 0.15},
}

// overlayGame is a game of ebitenhost.Run with an overlay. Its screen is not cleared, so that it sees how the frame
// before looked with the overlay.
type overlayGame struct {
	loop  *frameslice.Loop
	frame int // in this step
	step  int
	other ebitenhost.Overlay // of the pictures of other sizes
	image *ebiten.Image
	err   error

	took []time.Duration // in Overlay.Draw
}

var meadow = color.RGBA{0x6A, 0x9A, 0x55, 0xFF}

// steps are what the game goes through. Each is called in each frame until it returns true.
func (g *overlayGame) steps() []func(screen *ebiten.Image) bool {
	// Each event is waited for, because a press and a release that come in one frame are none.
	press := func(*ebiten.Image) bool {
		if g.frame == 0 {
			g.err = pressF3(xproto.KeyPress)
		}
		return ebiten.IsKeyPressed(ebiten.KeyF3)
	}
	release := func(*ebiten.Image) bool {
		if g.frame == 5 { // as a finger does
			g.err = pressF3(xproto.KeyRelease)
		}
		return g.frame > 5 && !ebiten.IsKeyPressed(ebiten.KeyF3)
	}
	hidden := func(screen *ebiten.Image) bool { return g.frame > 5 && covered(screen) == 0 }
	share := func(screen *ebiten.Image) float64 {
		return float64(covered(screen)) / float64(screen.Bounds().Dx()*screen.Bounds().Dy())
	}
	small := func(screen *ebiten.Image) bool { s := share(screen); return s > 0.02 && s < 0.2 }
	whole := func(screen *ebiten.Image) bool { return share(screen) > 0.3 }
	steps := []func(*ebiten.Image) bool{
		hidden, press, release, small, press, release, whole, press, release, hidden, g.burden,
	}
	for i := range overlaySizes {
		steps = append(steps, func(*ebiten.Image) bool { return g.size(i) })
	}
	return append(steps, g.time)
}

// pressF3 sends the window the event of its key.
func pressF3(event byte) error {
	return withWindow(overlayWindow, func(x *xgb.Conn, w xproto.Window) error {
		e := xproto.KeyPressEvent{Detail: 69, Root: w, Event: w, SameScreen: true}
		b := e.Bytes()
		b[0] = event
		return xproto.SendEventChecked(x, false, w, xproto.EventMaskNoEvent, string(b)).Check()
	})
}

// covered counts the pixels that are not the game's.
func covered(screen *ebiten.Image) (n int) {
	img := pixels(screen)
	for i := 0; i < len(img.Pix); i += 4 {
		if [4]byte(img.Pix[i:]) != [4]byte{meadow.R, meadow.G, meadow.B, meadow.A} {
			n++
		}
	}
	return n
}

func pixels(screen *ebiten.Image) *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: screen.Bounds().Size()})
	screen.ReadPixels(img.Pix)
	return img
}

// burden lets some frames with tasks, jobs and a hitch pass.
func (g *overlayGame) burden(*ebiten.Image) bool {
	if g.frame == 80 {
		g.loop.Post(frameslice.Immediate, spawnBoss)
	}
	return g.frame > 120
}

// spawnBoss is a task that holds up the frame.
func spawnBoss() { time.Sleep(60 * time.Millisecond) }

// size draws the overlay on a screen of that size, until it is there, and checks it.
func (g *overlayGame) size(i int) bool {
	s := overlaySizes[i]
	if g.frame == 0 {
		g.other = ebitenhost.Overlay{Pixels: s.pixels, Form: s.form}
		g.image = ebiten.NewImageWithOptions(image.Rect(0, 0, s.w, s.h), &ebiten.NewImageOptions{Unmanaged: true})
	}
	g.image.Fill(meadow)
	g.other.Draw(g.image, g.loop)
	n := 0
	if g.frame%10 == 9 {
		n = covered(g.image)
	}
	if n == 0 {
		return false
	}
	img := pixels(g.image)
	bright := 0
	for y := range s.h {
		for x := range s.w {
			if c := img.RGBAAt(x, y); c.R > 200 && c.G > 200 && c.B > 200 {
				bright++
			}
		}
	}
	share := float64(n) / float64(s.w*s.h)
	if share < 0.01 || s.form == ebitenhost.OverlayWhole && share < 0.1 || share > s.most ||
		float64(bright) < 0.0002*float64(s.w*s.h) {
		g.err = fmt.Errorf("%dx%d, form %d: %.3f of the screen is covered, %d pixels are bright", s.w, s.h, s.form,
			share, bright)
	}
	if c := img.RGBAAt(2, 2); c != meadow {
		g.err = fmt.Errorf("%dx%d: the corner is %v", s.w, s.h, c)
	}
	if dir := os.Getenv(picturesIn); dir != "" {
		name := filepath.Join(dir, fmt.Sprintf("overlay-%dx%d-%d-%d.png", s.w, s.h, i, s.form))
		g.err = errors.Join(g.err, record.WriteFile(name, func(w io.Writer) error { return png.Encode(w, img) }))
	}
	return true
}

// time tells how long the overlay takes on the frame goroutine, and what it allocates: hidden, and shown.
func (g *overlayGame) time(screen *ebiten.Image) bool {
	if g.frame == 0 {
		g.other = ebitenhost.Overlay{Form: ebitenhost.OverlayWhole}
	}
	const first, last = 60, 160
	begin := time.Now()
	g.other.Draw(screen, g.loop)
	if took := time.Since(begin); g.frame >= first {
		g.took = append(g.took, took)
	}
	if g.frame < last {
		return false
	}
	fmt.Println("hidden:", testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			ebiten.IsKeyPressed(ebiten.KeyF3) // all that it does
		}
	}))
	slices.Sort(g.took)
	g.err = g.allocates(func() { g.other.Draw(screen, g.loop) })
	fmt.Printf("shown: %v in the median frame, %v in the best tenth\n", hist.Median(g.took), hist.At(g.took, 0.1))
	if g.err == nil {
		g.err = ebiten.Termination
	}
	return true
}

// kept is where an object goes that must be allocated.
var kept *[64]byte

// keep allocates once.
//
//go:noinline
func keep() { kept = new([64]byte) }

// allocates draws the overlay some more times. It returns an error if the overlay allocates, or makes Ebitengine
// allocate in each frame. A count of the whole process would say nothing, because jobs, tasks and Ebitengine's other
// threads allocate meanwhile.
func (g *overlayGame) allocates(draw func()) error {
	const draws = 200
	drawn, known := objectsBelow((*ebitenhost.Overlay).Draw), objectsBelow(keep)
	for range draws {
		draw()
		keep()
	}
	drawn, known = objectsBelow((*ebitenhost.Overlay).Draw).minus(drawn), objectsBelow(keep).minus(known)
	fmt.Printf("%d frames: %d allocations of the overlay, %d of Ebitengine for it\n", draws, drawn.own, drawn.engine)
	if known != (objects{own: draws}) {
		return fmt.Errorf("the profile has %v for %d allocations of one function", known, draws)
	}
	if drawn.own > 0 || drawn.engine >= draws {
		return errors.New("the overlay allocates")
	}
	return nil
}

// objects counts what was allocated: by Ebitengine, and by others.
type objects struct{ own, engine int64 }

func (n objects) minus(before objects) objects {
	return objects{n.own - before.own, n.engine - before.engine}
}

// objectsBelow counts what f, and whatever f has called, have allocated so far, on all goroutines. The program's memory
// profile has the stack of each allocation. An allocation within an allocation does not count, because it is the
// runtime's own: the goroutine that finds a collection due may have to wait for another collection to end, and what the
// runtime needs for a wait is allocated below the function that asked for memory.
func objectsBelow(f any) (n objects) {
	below := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	engine := reflect.TypeFor[ebiten.Image]().PkgPath()
	runtime.GC() // an allocation is in the profile after two collections
	runtime.GC()
	var all []runtime.MemProfileRecord
	size, ok := runtime.MemProfile(nil, true)
	for !ok {
		all = make([]runtime.MemProfileRecord, size+size/8)
		size, ok = runtime.MemProfile(all, true)
	}
	for i := range all[:size] {
		frames := runtime.CallersFrames(all[i].Stack())
		count := &n.own
		allocate, more := frames.Next()
		for more {
			var at runtime.Frame
			at, more = frames.Next()
			if at.Function == allocate.Function {
				break
			}
			if strings.HasPrefix(at.Function, engine) {
				count = &n.engine
			}
			if at.Function == below {
				*count += all[i].AllocObjects
				break
			}
		}
	}
	return n
}

func (g *overlayGame) Update() error {
	for i, label := range []string{"path", "decode"} {
		job := &workers.Job{Label: label, Priority: frameslice.Low}
		job.Func = func(*workers.Worker) {
			for begin := time.Now(); time.Since(begin) < time.Duration(3+2*i)*time.Millisecond; {
			}
		}
		g.loop.Pool().Submit(job)
	}
	g.loop.Post(frameslice.Normal, func() { time.Sleep(time.Millisecond) })
	if g.frame > 1200 {
		return fmt.Errorf("step %d does not come to its end", g.step)
	}
	return g.err
}

func (g *overlayGame) Draw(screen *ebiten.Image) {
	if g.err != nil {
		return
	}
	if g.steps()[g.step](screen) {
		g.step, g.frame = g.step+1, 0
	} else {
		g.frame++
	}
	screen.Fill(meadow)
}

func (g *overlayGame) Layout(w, h int) (int, int) { return w, h }

// playOverlay is the program.
func playOverlay() error {
	runtime.MemProfileRate = 1 // for objectsBelow
	ebiten.SetWindowTitle(overlayWindow)
	ebiten.SetWindowSize(640, 360)
	ebiten.SetScreenClearedEveryFrame(false)
	o := frameslice.Balanced.Options()
	o.Interval, o.Pace = time.Second/60, true
	loop := frameslice.NewWith(o)
	return ebitenhost.Run(&overlayGame{loop: loop}, loop, ebitenhost.Options{Overlay: ebiten.KeyF3})
}

// A key shows the overlay, first its small form, and hides it, and nothing is left behind. On screens of every size it
// is drawn, and leaves some of the game's picture. FRAMESLICE_PICTURES=DIR leaves the pictures.
func TestOverlayInAWindow(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("opens a window, for some seconds: not with -short, and on Linux only")
	}
	p := start(t, overlayArg)
	p.end(t)
	t.Log(p.out.String())
}
