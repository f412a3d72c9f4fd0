package loops

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/sleep"
)

// The first panic is raised also if it is a helper's, and the caller's own piece panics after it.
func TestTheFirstPanicMayBeAHelpers(t *testing.T) {
	var set sleep.Set
	var tab Table
	tab.Init(&set)
	var begun atomic.Bool // the caller's piece
	left := make(chan bool)
	go func() { // a worker
		defer close(left)
		var l *Loop
		for l == nil || !begun.Load() {
			if l == nil {
				l = tab.Join(tab.Open())
			}
			runtime.Gosched()
		}
		func() {
			defer func() { l.Fail(recover()) }()
			panic("helper")
		}()
		l.Leave(false)
	}()
	defer func() {
		if pe, ok := recover().(*fault.PanicError); !ok || pe.Value != "helper" {
			t.Errorf("raised %v", pe)
		}
		if l := tab.loops[0].Load(); l.body != nil || tab.busy.Load() != 0 {
			t.Error("the loop is not given back")
		}
		<-left
	}()
	tab.For("For", 2, 1, 2, 1, func(int, int) {
		begun.Store(true)
		for tab.loops[0].Load().fail.Load() == nil {
			runtime.Gosched()
		}
		panic("caller")
	})
}
