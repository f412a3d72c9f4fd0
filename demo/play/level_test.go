package play

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
)

// run lets frames of a loop pass for d of the bubble's time, each of which calls f.
func run(l *frameslice.Loop, d time.Duration, f func()) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second / 60) {
		l.Begin()
		f()
		l.Slice()
		l.End()
	}
}

// A pause stops the valley: its time and its timers. The panels' figures and messages go on.
func TestPauseStopsTheValleyAndNotThePanels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := frameslice.New(frameslice.Testing)
		defer l.Close()
		saves, read := 0, 0
		var shown []string
		v := NewLevel(l, func() { read++ }, func(m Message) { shown = append(shown, m.Text) },
			Timer{5 * time.Second, func() { saves++ }})
		frame := func() { v.Figures.Call() }
		run(l, 8*time.Second, frame)
		if saves != 1 || read < 15 || read > 17 {
			t.Errorf("in 8 s: %d saves and %d readings", saves, read)
		}
		v.Valley.Pause()
		age := v.Age()
		if age < 7900*time.Millisecond || age > 8100*time.Millisecond {
			t.Errorf("after 8 s the valley is %v old", age)
		}
		read = 0
		run(l, time.Minute, func() {
			frame()
			if v.Age() != age {
				t.Fatalf("in a pause the valley goes on from %v to %v", age, v.Age())
			}
		})
		for _, text := range []string{"one", "two", "three"} {
			if err := v.News.Post("picture", Message{Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		run(l, time.Second/10, frame)
		if saves != 1 || read < 110 || read > 121 || !slices.Equal(shown, []string{"three"}) {
			t.Errorf("a pause of 60 s: %d saves, %d readings, the messages %v", saves, read, shown)
		}
		v.Valley.Resume()
		run(l, 1500*time.Millisecond, frame)
		if saves != 1 {
			t.Errorf("the pause counts for the timers")
		}
		run(l, time.Second, frame)
		if saves != 2 {
			t.Errorf("%d saves in 10.5 s of the valley", saves)
		}
	})
}

// parts returns the panel's lines after a few frames of the world on the loop.
func parts(t *testing.T, l *frameslice.Loop, m load.Mode, x load.Executor, d Doing) map[string]Part {
	t.Helper()
	w := sim.New(sim.Options{Seed: 3, Boids: 100, Agents: 5, SaveTo: sim.ToFile(filepath.Join(t.TempDir(), "save"))})
	var p Probe
	p.Adopt(x)
	e := NewErrands(func(int) int { return 0 })
	if m == load.Frameslice {
		e.Direct(l.Scheduler())
	}
	w.Step(time.Second/60, &p)
	w.Save(&p)
	d.Mode, d.Level = m, NewLevel(l, func() {}, func(Message) {})
	found := map[string]Part{}
	for _, part := range p.Parts(nil, e, d) {
		if found[part.Name] != (Part{}) {
			t.Errorf("%s: two lines for %s", m, part.Name)
		}
		found[part.Name] = part
	}
	return found
}

// The panel names the verb that each part runs on, with what it does now.
func TestPanelTellsWhichPartRunsOnWhat(t *testing.T) {
	o := frameslice.LeaveOne.Options()
	o.Workers.Workers = 1
	l := frameslice.NewWith(o)
	defer l.Close()
	d := Doing{Draw: 300 * time.Microsecond, Uploads: 4, Counted: 7, Told: 2, Pressure: 1}
	x := NewOnLoop(l)
	ours := parts(t, l, load.Frameslice, x, d)
	naive := parts(t, l, load.Goroutines, &Hold{}, d)
	pictures := "Loader"
	if alone {
		pictures = "Job"
	}
	for name, verbs := range map[string][2]string{
		"animals": {"ParallelFor", "serial"}, "drawing": {"Graph", "Graph, serial"},
		"ground": {"Loader", "goroutines"}, "pictures": {pictures, "goroutines"},
		"names": {"Stream, in order", "goroutines"}, "paths": {"Job", "goroutines"},
		"autosave": {"Job", "goroutines"}, "load": {"Job", "goroutines"}, "pixels": {"Task in steps", "on the spot"},
		"timers": {"Group, Sleep", "Group, Sleep"}, "figures": {"Throttle", "Throttle"},
		"messages": {"Latest", "Latest"}, "detail": {"Pressure", "Pressure"},
	} {
		if got := [2]string{ours[name].Verb, naive[name].Verb}; got != verbs {
			t.Errorf("%s runs on %q, want %q", name, got, verbs)
		}
		delete(ours, name)
		n := naive[name]
		if name == "ground" && n.N == 0 || name == "paths" && n.N != 5 || name == "autosave" && n.N != 1 {
			t.Errorf("%s: %+v", name, n)
		}
	}
	for name := range ours {
		t.Errorf("the line %q is not expected", name)
	}
	got := ""
	for _, name := range []string{"drawing", "pixels", "figures", "messages", "detail"} {
		got += fmt.Sprint(naive[name].N, " ", naive[name].Unit, "; ")
	}
	if want := "300 ms; 4 waiting; 7 times; 2 shown; 1 of 4; "; got != want {
		t.Errorf("got %s", got)
	}
}
