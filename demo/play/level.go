package play

import (
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// Level is what the game has in the scheduler of the loop around it, the same in every mode. The timers of the valley
// are coroutines of a group, which a pause stops. The panels continue meanwhile.
type Level struct {
	Valley  *frameslice.Group
	Figures *flow.Throttle                // its Call, in each frame that shows them, reads the figures twice a second
	News    *flow.Latest[string, Message] // by sender, of which only the newest message counts; any goroutine

}

// Message is a passing message.
type Message struct {
	Text string
	Bad  bool // it is a complaint
}

// A Timer calls a function again and again, in a slice.
type Timer struct {
	Every time.Duration
	Call  func()
}

// NewLevel starts the timers of the valley.
func NewLevel(l *frameslice.Loop, count func(), show func(Message), timers ...Timer) *Level {
	v := &Level{Valley: l.NewGroup("valley")}
	v.Figures = flow.NewThrottle(l.Scheduler(), frameslice.Low, time.Second/2, count)
	v.News = flow.NewLatest(l.Scheduler(), frameslice.Low, func(_ string, m Message) { show(m) })
	for _, t := range timers {
		v.Valley.Go(frameslice.Low, func(co *frameslice.Co) {
			for {
				co.Sleep(t.Every)
				t.Call()
			}
		})
	}
	return v
}
