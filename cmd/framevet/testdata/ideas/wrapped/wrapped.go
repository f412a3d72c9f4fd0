// Package wrapped has a game of another engine of Ebitengine's kind, and Ebitengine's game with an engine around.
package wrapped

import (
	"net"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame"
)

type picture struct{}

type game struct{ conn net.Conn }

func (g *game) Update() error {
	time.Sleep(time.Millisecond) // want "time.Sleep on the frame goroutine .Update."
	return nil
}

func (g *game) Draw(*picture) {
	var buf [8]byte
	g.conn.Read(buf[:]) // want "Conn.Read"
}

func (g *game) Layout(w, h int) (int, int) { return w, h }

func start(loop *frameslice.Loop) {
	frame.Wrap[any, any](g(&game{}), loop)
}

type host interface {
	Update() error
	Draw(*picture)
	Layout(w, h int) (int, int)
}

func g(x *game) *game { return x }

var _ host = (*game)(nil)
