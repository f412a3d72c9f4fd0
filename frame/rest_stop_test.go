package frame_test

import (
	"testing"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

// Stop wakes a host that sleeps until Wake, so that it comes to its next Begin, which closes the loop.
func TestStopWakesAHostThatRests(t *testing.T) {
	wakes := make(chan struct{}, 1)
	l := frame.New(frame.Options{Scheduler: scheduler.Options{Wake: func() {
		select {
		case wakes <- struct{}{}:
		default:
		}
	}}})
	defer l.Close()
	l.Begin()
	l.Slice()
	l.End()
	l.Rest()
	select {
	case <-wakes:
	default:
	}
	l.Stop()
	select {
	case <-wakes:
	default:
		t.Fatal("Stop did not call Wake")
	}
	l.Begin()
	<-l.Done()
}
