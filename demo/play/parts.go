package play

import (
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// Level is what the game has in the scheduler of the loop around it, the same in every mode. The timers of the valley
// are coroutines of a group, which a pause stops. The panels go on meanwhile.
type Level struct {
	Valley  *frameslice.Group
	Figures *flow.Throttle                // its Call, in each frame that shows them, reads the figures twice a second
	News    *flow.Latest[string, Message] // by sender, of which only the newest message counts; any goroutine

	began deadline.Instant // in the valley's time
}

// Age returns how long the valley has had these timers, without pauses.
func (v *Level) Age() time.Duration { return max(v.Valley.Now().Sub(v.began), 0) }

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
	v.began = v.Valley.Now()
	v.Figures = flow.NewThrottle(l.Scheduler(),
		flow.ThrottleOptions{Wait: time.Second / 2, Priority: frameslice.Low}, count)
	v.News = flow.NewLatest(l.Scheduler(), flow.LatestOptions{Priority: frameslice.Low},
		func(_ string, m Message) { show(m) })
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

// A Part is a line of the panel that tells which part of the game runs on what.
type Part struct {
	Name, Verb string
	N          int // how it does now; times are in microseconds
	Unit       string
}

// Millis is the Unit of times.
const Millis = "ms"

// Doing has the figures of the parts that are no jobs.
type Doing struct {
	Mode     load.Mode
	Draw     time.Duration // the making of the vertices in the last frame
	Uploads  int           // pictures that wait for the graphics card
	Level    *Level
	Counted  int // runs of Level.Figures
	Told     int // messages that were shown
	Pressure int // by which the picture is made simpler
}

// jobs are the parts whose work is jobs.
var jobs = [...]struct{ name, kind string }{
	{"ground", sim.KindTerrain}, {"pictures", sim.KindDecode}, {"names", sim.KindText}, {"paths", sim.KindPath},
	{"autosave", sim.KindSave}, {"load", load.KindOffered},
}

// Parts appends what each part runs on to list.
func (p *Probe) Parts(list []Part, e *Errands, d Doing) []Part {
	crowd, draw, pixels := "serial", "Graph, serial", "on the spot"
	verb := func(string) string { return string(d.Mode) }
	switch x := p.exec.(type) {
	case *OnLoop:
		crowd, draw, verb = "ParallelFor", "Graph", x.Verb
	case nil:
		verb = func(string) string { return "kept for the next mode" }
	}
	if e.sched != nil {
		pixels = "Task in steps"
	}
	list = append(list,
		Part{"animals", crowd, int(p.Fork().Microseconds()), Millis},
		Part{"drawing", draw, int(d.Draw.Microseconds()), Millis})
	for _, j := range jobs {
		n := 0
		for _, w := range p.kept {
			if w.name == j.kind {
				n++
			}
		}
		list = append(list, Part{j.name, verb(j.kind), n, "under way"})
	}
	return append(list,
		Part{"pixels", pixels, d.Uploads, "waiting"},
		Part{"timers", "Group, Sleep", int(d.Level.Age().Seconds()), "s"},
		Part{"figures", "Throttle", d.Counted, "times"},
		Part{"messages", "Latest", d.Told, "shown"},
		Part{"detail", "Pressure", d.Pressure, "of 4"})
}
