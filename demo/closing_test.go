//go:build !headless

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame/ebitenhost"
)

// closingGame is a game of ebitenhost.Run whose jobs make images, also while the player closes the window.
type closingGame struct {
	loop  *frameslice.Loop
	drawn int
	late  bool // it had a hitch
	shown bool
}

var errOver = errors.New("the game is over")

func (g *closingGame) Update() error {
	if g.drawn >= 10 && !g.late {
		g.late = true
		time.Sleep(150 * time.Millisecond)
	}
	if g.drawn >= 20 && !g.shown { // there may be several drawings between two updates
		g.shown = true
		if err := os.WriteFile(os.Getenv(shownFile), nil, 0o600); err != nil {
			return err
		}
		if os.Getenv(asProgram) == overArg {
			return errOver
		}
	}
	g.loop.Pool().Go(frameslice.Low, func() {
		time.Sleep(5 * time.Millisecond)
		ebiten.NewImage(8, 8).Deallocate() //framevet:ok a job that is not ready for the end
	})
	return nil
}
func (g *closingGame) Draw(*ebiten.Image)         { g.drawn++ }
func (g *closingGame) Layout(w, h int) (int, int) { return w, h }
func (g *closingGame) LayoutF(w, h float64) (float64, float64) {
	return w, h
}

const (
	closingArg = "closing"
	overArg    = "over"
	windowName = "frameslice closes"
	shownFile  = "FRAMESLICE_SHOWN" // its value is the file that the game makes when its window is shown
)

// games are further programs that this test binary can be: see TestMain.
var games = map[string]func() error{closingArg: playClosing, overArg: playClosing, overlayArg: playOverlay}

// playClosing is the program: it ends well if Run returns what it should.
func playClosing() error {
	ebiten.SetWindowTitle(windowName)
	ebiten.SetWindowSize(160, 90)
	o := frameslice.Balanced.Options()
	o.Recorder.WarmUp = -1
	g := &closingGame{loop: frameslice.NewWith(o)}
	none := ebitenhost.Run(g, frameslice.New(frameslice.Balanced), ebitenhost.Options{Autopsy: "no such folder"})
	if !errors.Is(none, fs.ErrNotExist) || !strings.Contains(fmt.Sprint(none), "Options.Autopsy") {
		return fmt.Errorf("without the folder for traces: %w", none)
	}
	err := ebitenhost.Run(g, g.loop, ebitenhost.Options{Autopsy: filepath.Dir(os.Getenv(shownFile))})
	select {
	case <-g.loop.Done():
	default:
		return errors.New("Run has not closed the loop")
	}
	if err != nil && !errors.Is(err, errOver) {
		return err
	}
	report := g.loop.Report("")
	for _, f := range report.LateFrames {
		if f.Why != "" {
			return nil
		}
	}
	return fmt.Errorf("no late frame has an autopsy: %s", report)
}

// closeWindow does what a window manager does when the player closes the window of that name.
func closeWindow(name string) error {
	return withWindow(name, func(x *xgb.Conn, w xproto.Window) error {
		atom := func(name string) xproto.Atom {
			reply, err := xproto.InternAtom(x, false, uint16(len(name)), name).Reply()
			if err != nil {
				return 0
			}
			return reply.Atom
		}
		protocols, del := atom("WM_PROTOCOLS"), atom("WM_DELETE_WINDOW")
		event := xproto.ClientMessageEvent{Format: 32, Window: w, Type: protocols,
			Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(del), 0, 0, 0, 0})}
		return xproto.SendEventChecked(x, false, w, xproto.EventMaskNoEvent, string(event.Bytes())).Check()
	})
}

// withWindow calls f with the window of that name.
func withWindow(name string, f func(*xgb.Conn, xproto.Window) error) error {
	x, err := xgb.NewConn()
	if err != nil {
		return err
	}
	defer x.Close()
	tree, err := xproto.QueryTree(x, xproto.Setup(x).DefaultScreen(x).Root).Reply()
	if err != nil {
		return err
	}
	for _, w := range tree.Children {
		title, err := xproto.GetProperty(x, false, w, xproto.AtomWmName, xproto.GetPropertyTypeAny, 0, 64).Reply()
		if err == nil && string(title.Value) == name {
			return f(x, w)
		}
	}
	return fmt.Errorf("no window %q among %d", name, len(tree.Children))
}

// ebitenhost.Run closes the loop before Ebitengine ends: when the player closes the window, and when Update fails. Jobs
// that call Ebitengine meanwhile do not panic.
func TestClosingTheWindowUnderWay(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("opens a window, for some seconds: not with -short, and on Linux only")
	}
	for _, arg := range []string{closingArg, overArg} {
		file := filepath.Join(t.TempDir(), arg)
		t.Setenv(shownFile, file)
		p := start(t, arg)
		var err error
		if !p.until(t, func() bool { _, missing := os.Stat(file); return missing == nil }) {
			err = fmt.Errorf("%s: the window was never shown", arg)
		}
		if arg == closingArg && err == nil {
			err = closeWindow(windowName)
		}
		if err != nil {
			p.Process.Kill()
			t.Error(err)
		}
		p.end(t)
	}
}
