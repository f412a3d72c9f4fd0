package frame_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
)

// drives plays n frames of a loop with PlaceFirst, in which the own work is f: of a host behind a display, and of Run.
var drives = map[string]func(t *testing.T, l *frame.Loop, n int, f func()){
	"host": func(t *testing.T, l *frame.Loop, n int, f func()) {
		w := &window{l: l, period: r, flush: ms, does: f}
		w.run(n)
	},
	"Run": func(t *testing.T, l *frame.Loop, n int, f func()) { play(t, l, n, func(int) { f() }) },
}

// first is bubble for each way to drive a loop with PlaceFirst.
func first(t *testing.T, f func(t *testing.T, l *frame.Loop, play func(n int, own func()))) {
	t.Helper()
	for name, drive := range drives {
		t.Run(name, func(t *testing.T) {
			o := frame.Options{Interval: r, Placement: frame.PlaceFirst, Recorder: record.Options{WarmUp: -1}}
			bubble(t, o, func(t *testing.T, l *frame.Loop) {
				if got := l.Placement(); got != frame.PlaceFirst {
					t.Errorf("the slice lies %v", got)
				}
				f(t, l, func(n int, own func()) { drive(t, l, n, own) })
			})
		})
	}
}

// The slice leaves the own work and the reserve. A change of the own work costs no more than three late frames, and is
// followed in both directions.
func TestSliceFirstLeavesTheOwnWork(t *testing.T) {
	first(t, func(t *testing.T, l *frame.Loop, play func(int, func())) {
		endless(l, ms/4)
		for _, own := range []time.Duration{4 * ms, 12 * ms, 2 * ms, 8 * ms} {
			play(100, func() { time.Sleep(own) })
			late := 0
			for i, rec := range l.Recorder().Recent(make([]record.Record, 100))[:99] { // then Run ends
				if rec.Interval > r+ms {
					late++
				}
				spare := r - rec.SliceDeadline.Sub(rec.Start) - own
				if i >= 50 && rec.Budget() > ms && (spare < 100*time.Microsecond || spare > 5*ms) {
					t.Fatalf("own work of %v: after the slice's deadline %v are left beside it", own, spare)
				}
				if got := rec.Own(); i > 0 && got != own {
					t.Fatalf("own work of %v is recorded as %v", own, got)
				}
			}
			if late > 4 {
				t.Errorf("own work of %v: %d of 100 frames late", own, late)
			}
		}
	})
}

// The first frame only measures the own work. Callbacks come in the order of the phases, once a frame, also in the
// frames before the loop knows which of them the host runs. What the own work says after Slice is of its frame: steps,
// sections and input, which by default is as old as the end of the slice.
func TestAFrameWithItsSliceFirst(t *testing.T) {
	for tells, draws := range map[bool]string{true: "before-draw own", false: "own before-draw"} {
		first(t, func(t *testing.T, l *frame.Loop, play func(int, func())) {
			var log []string
			eachPhase(l, &log)
			n, task := 0, func() { time.Sleep(ms); log = append(log, "task") }
			l.Post(deadline.Normal, task)
			play(3, func() {
				l.Step([]time.Duration{ms, 0, ms}[n]) // the second frame has no update
				s := l.Section("work")
				if tells {
					l.RunPhase(scheduler.BeforeDraw)
				}
				time.Sleep(2 * ms)
				s.End()
				log = append(log, "own")
				l.Post(deadline.Normal, task)
				if n++; n == 3 {
					l.Input(deadline.Now().Add(-ms))
				}
			})
			log = log[:15]
			wantLog(t, tells, &log, strings.Join([]string{"before-update", draws, "after-draw before-update task task",
				draws, "after-draw before-update task", draws, "after-draw"}, " "))
			for i, rec := range l.Recorder().Recent(make([]record.Record, 4))[:3] {
				age, ok := rec.Latency(rec.HandedOver)
				if want := []time.Duration{2 * ms, 0, ms}[i]; age != want || ok != (want > 0) {
					t.Errorf("frame %d: input is %v old", rec.Number, age)
				}
				if rec.Own() != 2*ms || rec.Sections[0].Time != 2*ms || i != 1 && rec.UpdateBegin != rec.SliceEnd {
					t.Errorf("frame %d: %+v", rec.Number, rec)
				}
			}
		})
	}
}

// The update of a frame reacts to what a task has seen in the slice before, and the next frame's does not.
func TestATaskSeesInputWithItsSliceFirst(t *testing.T) {
	first(t, func(t *testing.T, l *frame.Loop, play func(int, func())) {
		l.Post(deadline.Normal, func() { l.Input(deadline.Now()); time.Sleep(ms) })
		play(3, func() { time.Sleep(2 * ms) })
		for i, rec := range l.Recorder().Recent(make([]record.Record, 4))[:3] { // the first one has no slice
			if age, _ := rec.Latency(rec.HandedOver); age != []time.Duration{2 * ms, 3 * ms, 2 * ms}[i] {
				t.Errorf("frame %d: input is %v old", rec.Number, age)
			}
		}
	})
}

// If the own work takes twice as long as usual, the frame can be late although all its parts are short. Its cause in
// words is then the own work, and not the host.
func TestWhyAFrameWithItsSliceFirstIsLate(t *testing.T) {
	first(t, func(t *testing.T, l *frame.Loop, play func(int, func())) {
		endless(l, ms/4)
		n, late := 0, 0
		play(299, func() {
			if time.Sleep(4 * ms); n%50 == 49 {
				time.Sleep(4 * ms)
			}
			n++
		})
		recs := l.Recorder().Recent(make([]record.Record, 299))
		for i, rec := range recs[1:] {
			if rec.Interval < r+ms {
				continue
			}
			late++
			const want = "Update of the game, or the system, took 8.00 ms after a slice of "
			if why := string(recs[i].AppendCause(nil, &rec, r)); !strings.HasPrefix(why, want) {
				t.Errorf("frame %d came after %v: %s", rec.Number, rec.Interval, why)
			}
		}
		if late == 0 {
			t.Error("no frame was late")
		}
	})
}

// A host that draws on demand draws once for each request of a task, whether it asks before the slice or after it.
func TestDrawingOnDemandWithTheSliceFirst(t *testing.T) {
	for _, early := range []bool{true, false} {
		o := frame.Options{Interval: r, Placement: frame.PlaceFirst}
		bubble(t, o, func(t *testing.T, l *frame.Loop) {
			var drawn []int
			for n := range 60 {
				if n%20 == 10 {
					l.Post(deadline.Normal, l.Scheduler().RequestDraw)
				}
				l.Begin()
				asked := l.Scheduler().DrawRequested()
				l.Slice()
				if !early {
					asked = l.Scheduler().DrawRequested()
				}
				if n == 0 || asked {
					l.RunPhase(scheduler.BeforeDraw)
					drawn = append(drawn, n)
				}
				l.End()
				time.Sleep(r)
			}
			want := []int{0, 10, 30, 50}
			if early {
				want = []int{0, 11, 31, 51}
			}
			if !slices.Equal(drawn, want) {
				t.Errorf("asks before the slice: %v; frames %v are drawn, want %v", early, drawn, want)
			}
		})
	}
}

// A first frame whose function fails runs no phase of a drawing, and the slice of the next one does not either.
func TestRunThatFailsAtOnceWithItsSliceFirst(t *testing.T) {
	first(t, func(t *testing.T, l *frame.Loop, play func(int, func())) {
		var log []string
		eachPhase(l, &log)
		_ = l.Run(bg, func() error { return frame.ErrStop })
		l.Post(deadline.Normal, func() { log = append(log, "task") })
		play(1, func() { log = append(log, "own") })
		log = log[:6]
		wantLog(t, "order", &log, "before-update before-update task own before-draw after-draw")
	})
}

// Where no display holds a late host up, the work gets as much as after the drawing.
func TestSliceFirstBesideASlowHost(t *testing.T) {
	var spent [2]time.Duration
	for i, place := range []frame.Placement{frame.PlaceAfterDraw, frame.PlaceFirst} {
		bubble(t, frame.Options{Interval: r, Placement: place}, func(t *testing.T, l *frame.Loop) {
			got := busy(l)
			w := &window{l: l, own: 20 * ms, flush: ms}
			w.run(500)
			spent[i] = *got
		})
	}
	if spent[1] < spent[0]*9/10 || spent[1] > spent[0]*11/10 {
		t.Errorf("work after the drawing %v, first %v", spent[0], spent[1])
	}
}

// How old the input is when a frame is handed over, and when the display shows it, by the place of the slice. The own
// work is up to a tenth shorter or longer, and one frame in 200 takes half as long again. MEASUREMENTS.md has the table
// of -v.
func TestInputAge(t *testing.T) {
	var table strings.Builder
	table.WriteString("\n| own work | slice | handed over p50 ms | p99 | displayed p50 ms | p99 | missed |" +
		" tasks a frame |\n|---|---|---|---|---|---|---|---|\n")
	frames := 6000
	if testing.Short() {
		frames = 1000
	}
	for _, own := range []time.Duration{2 * ms, 4 * ms, 8 * ms} {
		after := 0.0
		for _, place := range append(placements(), frame.PlaceFirst) {
			bubble(t, frame.Options{Interval: r, Placement: place}, func(t *testing.T, l *frame.Loop) {
				w, rng := &window{l: l, flush: ms, period: r}, rand.New(rand.NewPCG(1, 2))
				n := endless(l, ms/2)
				for i := range frames {
					w.own = own*9/10 + time.Duration(rng.Int64N(int64(own/5)))
					if i%200 == 199 {
						w.own += own / 2
					}
					w.frame()
					l.Presented(l.Frame(), deadline.Now())
				}
				rep, missed := l.Report(""), 100*w.missed(60)
				age, shown := rep.Run.Latency, rep.Display.Latency
				fmt.Fprintf(&table, "| %v | %s |", own, names[place])
				for _, d := range []time.Duration{age.P50, age.P99, shown.P50, shown.P99} {
					fmt.Fprintf(&table, " %.1f |", inMS(d))
				}
				fmt.Fprintf(&table, " %.2f %% | %.1f |\n", missed, float64(*n)/float64(frames))
				if place == frame.PlaceAfterDraw {
					after = inMS(age.P50)
				}
				if place == frame.PlaceFirst && (age.P99 > own*11/10 || after < inMS(own)+4 || missed > 1) {
					t.Errorf("own work of %v: input is %v old, and %v ms after the drawing; %v %% missed", own, age.P99,
						after, missed)
				}
			})
		}
	}
	t.Log(table.String())
}

var names = map[frame.Placement]string{
	frame.PlaceAfterDraw: "after the drawing", frame.PlaceShadow: "in the shadow", frame.PlaceFirst: "first",
}

func inMS(d time.Duration) float64 { return float64(d) / float64(ms) }
