package frame_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/internal/testkit"
)

const (
	ms = time.Millisecond
	r  = time.Second / 60
)

// bg is a context that never ends.
var bg = context.Background()

func TestMain(m *testing.M) { testkit.Main(m) }

// bubble runs f in virtual time with a loop that has no workers if o does not say how many.
func bubble(t *testing.T, o frame.Options, f func(t *testing.T, l *frame.Loop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.Workers.Workers == 0 {
			o.Workers.Workers = -1
		}
		o.CloseTimeout = -1
		l := frame.New(o)
		defer l.Close()
		f(t, l)
	})
}

// everywhere is bubble for each way to place the slice that is different here.
func everywhere(t *testing.T, o frame.Options, f func(t *testing.T, l *frame.Loop)) {
	t.Helper()
	for _, place := range placements() {
		t.Run(fmt.Sprint("placement ", place), func(t *testing.T) {
			o := o
			o.Placement = place
			bubble(t, o, f)
		})
	}
}

// placements returns the ways to place the slice that are different here.
func placements() []frame.Placement {
	if runtime.GOOS == "js" {
		return []frame.Placement{frame.PlaceAfterDraw}
	}
	return []frame.Placement{frame.PlaceAfterDraw, frame.PlaceShadow}
}

// isDone reports whether the loop has closed.
func isDone(l *frame.Loop) bool {
	select {
	case <-l.Done():
		return true
	default:
		return false
	}
}

// needsThreads skips a test where there is one thread: no pool has workers there, and no slice lies in the shadow.
func needsThreads(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("there is one thread here")
	}
}
