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

// What there is to see of work that goes on by itself, or waits for a part of the frame.
func TestEventsOfPeriodicAndFrameWork(t *testing.T) {
	inWorld(t, scheduler.Options{Events: 100}, func(w *world) {
		want := func(text string) {
			t.Helper()
			var b strings.Builder
			for _, e := range w.s.Events(nil) {
				line := strings.ReplaceAll(e.String(), e.Name(), "")
				fmt.Fprintln(&b, e.At.Sub(w.s.Events(nil)[0].At), e.Work(), line)
			}
			text = strings.ReplaceAll(strings.TrimLeft(text, "\n"), "\t", "")
			if b.String() != text {
				t.Errorf("events:\n%swant:\n%s", b.String(), text)
			}
			w.s.Close()
			w.s = scheduler.New(scheduler.Options{Events: 100})
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
		w.s.WhenIdle(0, func(scheduler.IdleTime) { time.Sleep(2 * ms) })
		w.s.WhenIdle(5*ms, func(scheduler.IdleTime) {})
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

func TestEventsKeepsTheLastOnes(t *testing.T) {
	inWorld(t, scheduler.Options{Events: 4}, func(w *world) {
		if e := w.s.Events(nil); len(e) != 0 {
			t.Errorf("%v before anything happened", e)
		}
		w.s.Post(deadline.Low, func() { time.Sleep(ms) })
		w.s.Post(deadline.Low, func() {})
		time.Sleep(time.Minute) // it is stamped when it is read, so this does not count
		w.drain()
		e := w.s.Events(nil)
		if len(e) != 4 || e[0].ID != e[1].ID || e[2].ID != e[3].ID || e[0].ID == e[2].ID {
			t.Fatalf("events: %v", e)
		}
		if e[0].State != scheduler.Running || e[2].Waited != ms || e[2].Late >= 0 || e[1].Ran != ms {
			t.Errorf("events: %v", e)
		}
		if !strings.Contains(e[0].Name(), "TestEventsKeepsTheLastOnes") {
			t.Errorf("name: %s", e[0].Name())
		}
	})
}

func ExampleScheduler_Events() {
	s := scheduler.New(scheduler.Options{Events: 100})
	defer s.Close()
	s.Submit(&scheduler.Task{Label: "autosave", Func: func() {}})
	s.RunUntil(deadline.In(time.Second))
	for _, e := range s.Events(nil) {
		fmt.Println(e.State, e.Name())
	}
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
	s.WhenIdle(ms, func(scheduler.IdleTime) {}).Cancel()
	h := s.Post(deadline.Low, func() {})
	h.SetPriority(deadline.Idle)
	h.Cancel()
	g := s.NewGroup("scene")
	g.Post(deadline.UserBlocking, func() {}).Cancel()
	s.RunUntil(deadline.Deadline{})
	l.want(t, "low user-blocking normal idle user-blocking")
}
