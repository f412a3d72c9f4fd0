package frame

import (
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/osthread"
)

// A monitor is the Go runtime's, while Options.CalmMonitor rations it. Looking for its thread takes milliseconds, so
// that is a goroutine's work, which close waits for.
type monitor struct {
	calm  atomic.Bool
	ended chan struct{}
	undo  func() // after ended; nil if nothing was done
}

func calmMonitor() *monitor {
	m := &monitor{ended: make(chan struct{})}
	go func() {
		defer close(m.ended)
		if undo, err := osthread.RationMonitor(); err == nil {
			m.undo = undo
			m.calm.Store(true)
		}
	}()
	return m
}

// close takes everything back. Once.
func (m *monitor) close() {
	if m == nil {
		return
	}
	<-m.ended
	if m.undo != nil {
		m.undo()
		m.calm.Store(false)
	}
}
