package scheduler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// on returns an OnEvent that calls f with the events of one State.
func on(state scheduler.State, f func(scheduler.Event)) func(scheduler.Event) {
	return func(e scheduler.Event) {
		if e.State == state {
			f(e)
		}
	}
}

// What there is to see of work that continues by itself, or waits for a part of the frame.
func TestEventsOfPeriodicAndFrameWork(t *testing.T) {
	var told events
	inWorld(t, scheduler.Options{OnEvent: told.add}, func(w *world) {
		want := func(text string) {
			t.Helper()
			var b strings.Builder
			for _, e := range told {
				line := strings.ReplaceAll(e.String(), e.Label, "")
				fmt.Fprintln(&b, e.At.Sub(told[0].At), scheduler.Work(e), line)
			}
			text = strings.ReplaceAll(strings.TrimLeft(text, "\n"), "\t", "")
			if b.String() != text {
				t.Errorf("events:\n%swant:\n%s", b.String(), text)
			}
			w.s.Close()
			told = nil
			w.s = scheduler.New(scheduler.Options{OnEvent: told.add})
		}
		every := w.s.Every(deadline.Low, 3*ms, func() { time.Sleep(ms) })
		w.drain()
		for range 2 {
			time.Sleep(3 * ms)
			w.drain()
		}
		every.Cancel()
		w.drain()
		want(`
			0s periodic queued  (low)
			3ms periodic running  (low) waited 0s
			4ms periodic queued  (low) ran 1ms
			7ms periodic running  (low) waited 1ms
			8ms periodic queued  (low) ran 1ms
			8ms periodic canceled  (low)
		`)
		w.s.WhenIdle(0, func(deadline.Deadline, bool) { time.Sleep(2 * ms) })
		w.s.WhenIdle(5*ms, func(deadline.Deadline, bool) {})
		w.s.Post(deadline.Normal, func() { time.Sleep(9 * ms) })
		w.s.RunUntil(deadline.In(ms))
		w.drain()
		want(`
			0s idle queued  (idle)
			0s idle queued  (idle)
			0s function queued  (normal)
			0s function running  (normal) waited 0s
			9ms function done  (normal) ran 9ms
			9ms idle running  (idle) waited 9ms late 4ms
			9ms idle done  (idle) ran 0s
			9ms idle running  (idle) waited 9ms
			11ms idle done  (idle) ran 2ms
		`)
		each := w.s.Each(scheduler.BeforeDraw, func() { time.Sleep(ms) })
		w.s.Once(scheduler.BeforeDraw, func() {
			w.s.Microtask(func() { time.Sleep(2 * ms) })
			each.Cancel()
		})
		w.s.RunPhase(scheduler.BeforeDraw)
		w.s.RunPhase(scheduler.BeforeDraw)
		want(`
			0s each before draw queued  (each before draw)
			0s once before draw queued  (once before draw)
			0s each before draw running  (each before draw)
			1ms each before draw queued  (each before draw) ran 1ms
			1ms once before draw running  (once before draw)
			1ms microtask queued  (microtask)
			1ms once before draw done  (once before draw) ran 0s
			1ms microtask running  (microtask)
			3ms microtask done  (microtask) ran 2ms
			3ms each before draw canceled  (each before draw)
		`)
	})
}

// Two functions of one place in the arena are two generations, and a wait begins when the function is read.
func TestEventsOfFunctions(t *testing.T) {
	var e events
	inWorld(t, scheduler.Options{OnEvent: e.add}, func(w *world) {
		w.s.Post(deadline.Low, func() { time.Sleep(ms) })
		w.s.Post(deadline.Low, func() {})
		time.Sleep(time.Minute)
		w.drain()
	})
	if len(e) != 6 || e[2].ID != e[3].ID || e[4].ID != e[5].ID || e[2].ID == e[4].ID {
		t.Fatalf("events: %v", e)
	}
	if e[2].State != scheduler.Running || e[4].Waited != ms || e[4].Late >= 0 || e[3].Ran != ms ||
		!strings.Contains(e[2].Label, "TestEventsOfFunctions") {
		t.Errorf("events: %v", e)
	}
}

func ExampleEvent() {
	s := scheduler.New(scheduler.Options{OnEvent: func(e scheduler.Event) { fmt.Println(e.State, e.Label) }})
	defer s.Close()
	s.Submit(&scheduler.Task{Label: "autosave", Func: func() {}})
	s.RunUntil(deadline.In(time.Second))
	// Output:
	// queued autosave
	// running autosave
	// done autosave
}

// What is cancelled before it is read has the priority that it was submitted with, or was given since.
func TestEventOfWhatWasNeverRead(t *testing.T) {
	var l log
	o := scheduler.Options{OnEvent: on(scheduler.Canceled, func(e scheduler.Event) { l.say("%v", e.Priority) })}
	s, _ := virtual(t, o)
	for range 3 {
		s.Post(deadline.Immediate, func() {}) // used again for what follows
	}
	s.RunUntil(deadline.Deadline{})
	s.Post(deadline.Low, func() {}).Cancel()
	s.Go(deadline.UserBlocking, func(*scheduler.Co) {}).Cancel()
	s.WhenIdle(ms, func(deadline.Deadline, bool) {}).Cancel()
	h := s.Post(deadline.Low, func() {})
	h.SetPriority(deadline.Idle)
	h.Cancel()
	g := s.NewGroup("scene")
	g.Post(deadline.UserBlocking, func() {}).Cancel()
	s.RunUntil(deadline.Deadline{})
	l.want(t, "low user-blocking normal idle user-blocking")
}
