package loops

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/sleep"
	"github.com/frameslice/frameslice/internal/testkit"
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
	v := testkit.Recovered(func() {
		tab.For("For", 2, 1, 2, 1, func(int, int) {
			begun.Store(true)
			for tab.loops[0].Load().fail.Load() == nil {
				runtime.Gosched()
			}
			panic("caller")
		})
	})
	if pe, ok := v.(*fault.PanicError); !ok || pe.Value != "helper" {
		t.Errorf("raised %v", v)
	}
	if l := tab.loops[0].Load(); l.body != nil || tab.busy.Load() != 0 {
		t.Error("the loop is not given back")
	}
	<-left
}
