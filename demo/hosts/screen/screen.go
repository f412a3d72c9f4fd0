// Package screen is an X server without a display (Xvfb) for tests: it clicks, closes windows and reads pixels.
package screen

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// A Screen is a running X server. A test uses it from one goroutine.
type Screen struct {
	Display string // for the environment of a program

	server *exec.Cmd
	frames string // the file with the pixels
	conn   *xgb.Conn
	root   xproto.Window
}

// Start starts a server with a screen of that size. Its pixels are in a file in dir.
func Start(dir string, size image.Point) (*Screen, error) {
	answer, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	s := &Screen{frames: filepath.Join(dir, "Xvfb_screen0")}
	s.server = exec.Command("Xvfb", "-displayfd", "3", "-nolisten", "tcp", "-fbdir", dir,
		"-screen", "0", fmt.Sprintf("%dx%dx24", size.X, size.Y))
	s.server.ExtraFiles = []*os.File{tell}
	err = s.server.Start()
	tell.Close()
	if err != nil {
		return nil, err
	}
	number, err := bufio.NewReader(answer).ReadString('\n')
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("no answer from Xvfb: %w", err)
	}
	xgb.Logger.SetOutput(io.Discard) // no authority is needed
	s.Display = ":" + strings.TrimSpace(number)
	if s.conn, err = xgb.NewConnDisplay(s.Display); err == nil {
		err = xtest.Init(s.conn)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	s.root = xproto.Setup(s.conn).DefaultScreen(s.conn).Root
	return s, nil
}

// Close ends the server.
func (s *Screen) Close() {
	if s.conn != nil {
		s.conn.Close()
	}
	_ = s.server.Process.Kill()
	_ = s.server.Wait()
}

// window returns the shown window that is at least as large as size, and where it is.
func (s *Screen) window(size image.Point) (xproto.Window, image.Point, error) {
	tree, err := xproto.QueryTree(s.conn, s.root).Reply()
	if err != nil {
		return 0, image.Point{}, err
	}
	for _, child := range tree.Children {
		a, err := xproto.GetWindowAttributes(s.conn, child).Reply()
		if err != nil || a.MapState != xproto.MapStateViewable {
			continue
		}
		g, err := xproto.GetGeometry(s.conn, xproto.Drawable(child)).Reply()
		if err == nil && int(g.Width) >= size.X && int(g.Height) >= size.Y {
			return child, image.Pt(int(g.X), int(g.Y)), nil
		}
	}
	return 0, image.Point{}, errors.New("no window is shown")
}

// Click presses and releases the left button at a point of the window.
func (s *Screen) Click(window, at image.Point) error {
	_, origin, err := s.window(window)
	if err != nil {
		return err
	}
	at = at.Add(origin)
	for _, kind := range []byte{xproto.MotionNotify, xproto.ButtonPress, xproto.ButtonRelease} {
		button := byte(xproto.ButtonIndex1)
		if kind == xproto.MotionNotify {
			button = 0
		}
		err := xtest.FakeInputChecked(s.conn, kind, button, 0, s.root, int16(at.X), int16(at.Y), 0).Check()
		if err != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond) // as a hand does
	}
	return nil
}

// CloseWindow asks the window to close, as its button does.
func (s *Screen) CloseWindow(window image.Point) error {
	id, _, err := s.window(window)
	if err != nil {
		return err
	}
	var atoms [2]uint32
	for i, name := range []string{"WM_PROTOCOLS", "WM_DELETE_WINDOW"} {
		reply, err := xproto.InternAtom(s.conn, false, uint16(len(name)), name).Reply()
		if err != nil {
			return err
		}
		atoms[i] = uint32(reply.Atom)
	}
	message := xproto.ClientMessageEvent{
		Format: 32, Window: id, Type: xproto.Atom(atoms[0]),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{atoms[1], 0, 0, 0, 0}),
	}
	return xproto.SendEventChecked(s.conn, false, id, 0, string(message.Bytes())).Check()
}

// Shot returns the pixels of the window.
func (s *Screen) Shot(window image.Point) (*image.RGBA, error) {
	_, origin, err := s.window(window)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(s.frames)
	if err != nil {
		return nil, err
	}
	return crop(data, image.Rectangle{origin, origin.Add(window)})
}

// crop reads a part of a picture in the format of xwd, with 32 bits a pixel.
func crop(xwd []byte, part image.Rectangle) (*image.RGBA, error) {
	const fields = 25
	if len(xwd) < 4*fields {
		return nil, errors.New("the file of pixels is too short")
	}
	field := func(n int) int { return int(binary.BigEndian.Uint32(xwd[4*n:])) }
	header, width, height, bits, stride, colours := field(0), field(4), field(5), field(11), field(12), field(19)
	pixels := header + 12*colours
	if bits != 32 || len(xwd) < pixels+stride*height || !part.In(image.Rect(0, 0, width, height)) {
		return nil, fmt.Errorf("%d bits a pixel, %dx%d pixels, %d bytes", bits, width, height, len(xwd))
	}
	img := image.NewRGBA(image.Rectangle{Max: part.Size()})
	for y := range part.Dy() {
		for x := range part.Dx() {
			p := xwd[pixels+(part.Min.Y+y)*stride+(part.Min.X+x)*4:]
			img.SetRGBA(x, y, color.RGBA{p[2], p[1], p[0], 255})
		}
	}
	return img, nil
}
