package scheduler_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// neverEnds is an Awaitable that does not finish.
type neverEnds struct{}

func (neverEnds) Notify(func())        {}
func (neverEnds) Result() (int, error) { return 0, nil }

// timed starts work of all kinds that has to do with time, in a group or without one, and logs when it runs.
type timed struct {
	s     *scheduler.Scheduler
	g     *scheduler.Group
	now   func() deadline.Instant
	limit flow.RateLimit
	log   []string
}

func newTimed(s *scheduler.Scheduler, g *scheduler.Group, now func() deadline.Instant) *timed {
	w := &timed{s: s, g: g, now: now}
	w.limit = flow.RateLimit{Every: 3 * ms, Scheduler: s, Group: g}
	return w
}

func (w *timed) note(what string) func() {
	return func() { w.log = append(w.log, fmt.Sprintf("%012d %s", w.now(), what)) }
}

func (w *timed) start(kind, id int, d time.Duration) {
	name := fmt.Sprint(kind, ".", id)
	co := func(f func(*scheduler.Co)) { w.s.Submit(&scheduler.Task{Co: f, Group: w.g}) }
	switch kind {
	case 0:
		w.s.Submit(&scheduler.Task{Delay: d, Func: w.note(name), Group: w.g})
	case 1:
		n := 0
		t := &scheduler.Task{Delay: d, Period: d + ms, Group: w.g}
		t.Func = func() {
			w.note(fmt.Sprint(name, ", missed ", t.Missed()))()
			if n++; n == 4 {
				t.Period = 0
			}
		}
		w.s.Submit(t)
	case 2:
		co(func(co *scheduler.Co) {
			for range 3 {
				co.Sleep(d)
				w.note(name)()
			}
		})
	case 3:
		co(func(co *scheduler.Co) {
			for range 3 {
				_, err := scheduler.AwaitTimeout[int](co, neverEnds{}, d+ms)
				w.note(fmt.Sprint(name, " ", err == scheduler.ErrTimeout))()
			}
		})
	case 4:
		if _, err := w.limit.Post(deadline.Normal, w.note(name)); err != nil {
			w.note(err.Error())()
		}
	case 5:
		co(func(co *scheduler.Co) {
			w.limit.Wait(co)
			w.note(name)()
		})
	}
}

// A group's members see what they would see without a group, in a scheduler whose clock is the group's time: each verb
// that has to do with time runs at the same moment of that time, however the group and the one around it are paused,
// slow or fast.
func TestS44_AGroupsTimeIsLikeASchedulersClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now := virtual(cleaner{t}, scheduler.Options{})
		around := s.NewGroup("around")
		g := around.NewGroup("within")
		twin := scheduler.New(scheduler.Options{Clock: g.Now})
		defer twin.Close()
		a, b := newTimed(s, g, g.Now), newTimed(twin, nil, g.Now)
		var speeds [2]float64
		var paused [2]bool
		speeds[0], speeds[1] = 1, 1
		slice := func() {
			for range 3 {
				s.RunUntil(deadline.Deadline{})
				twin.RunUntil(deadline.Deadline{})
			}
		}
		for id := range rapid.IntRange(1, 60).Draw(t, "length") {
			i := rapid.IntRange(0, 1).Draw(t, "group")
			x := []*scheduler.Group{around, g}[i]
			acts := []string{"start", "start", "time", "time", "pause", "resume", "speed"}
			switch rapid.SampledFrom(acts).Draw(t, "act") {
			case "start":
				kind := rapid.IntRange(0, 5).Draw(t, "kind")
				stands := paused[0] || paused[1] || speeds[0]*speeds[1] == 0
				if stands && kind == 5 {
					continue // a coroutine takes its token when it begins
				}
				d := time.Duration(rapid.IntRange(1, 20).Draw(t, "ms")) * ms
				a.start(kind, id, d)
				b.start(kind, id, d)
			case "time":
				*now = now.Add(time.Duration(rapid.IntRange(1, 30).Draw(t, "pass")) * ms / 2)
			case "pause":
				x.Pause()
				paused[i] = true
			case "resume":
				x.Resume()
				paused[i] = false
			case "speed":
				speeds[i] = rapid.SampledFrom([]float64{0, 0.1, 0.3, 0.5, 1, 2, 7}).Draw(t, "speed")
				x.SetSpeed(speeds[i])
			}
			slice()
		}
		for _, x := range []*scheduler.Group{around, g} {
			x.SetSpeed(1)
			x.Resume()
		}
		for range 400 {
			slice()
			*now = now.Add(ms / 2)
		}
		slices.Sort(a.log)
		slices.Sort(b.log)
		if !slices.Equal(a.log, b.log) {
			t.Fatalf("got:\n  %s\nwant:\n  %s", strings.Join(a.log, "\n  "), strings.Join(b.log, "\n  "))
		}
	})
}

// cleaner adapts rapid.T.
type cleaner struct{ *rapid.T }

// A coroutine whose timer has counted by the time of a group continues in another group.
func TestTheTimerOfACoroutineChangesItsGroup(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	slow, fast := s.NewGroup("slow"), s.NewGroup("fast")
	slow.SetSpeed(0.5)
	fast.SetSpeed(2)
	var ended []time.Duration
	wait := func(co *scheduler.Co, f scheduler.Awaitable[int], d time.Duration) {
		from := *now
		scheduler.AwaitTimeout(co, f, d)
		ended = append(ended, now.Sub(from))
	}
	for _, g := range []*scheduler.Group{slow, fast, nil} { // each on the same goroutine
		f := &future{}
		task := &scheduler.Task{Group: g, Co: func(co *scheduler.Co) {
			wait(co, f, 8*ms)
			wait(co, neverEnds{}, 8*ms)
		}}
		s.Submit(task)
		for i := 0; task.State() != scheduler.Done; i++ {
			s.RunUntil(deadline.Deadline{})
			if *now = now.Add(ms); i == 0 {
				f.finish(1, nil)
			}
		}
	}
	eq(t, "waits", fmt.Sprint(ended), "[1ms 16ms 1ms 4ms 1ms 8ms]")
	if n := scheduler.Kept(s); n != 0 {
		t.Errorf("%d groups are kept", n)
	}
}

// A clock that goes back makes no difference between the time that a Submit reads and the frame goroutine's.
func TestDelaysInAGroupWhenTheClockGoesBack(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	*now = now.Add(time.Hour)
	s.RunUntil(deadline.Deadline{})
	*now = now.Add(-time.Minute)
	s.RunUntil(deadline.Deadline{})
	ran := 0
	s.Submit(&scheduler.Task{Group: g, Delay: 10 * ms, Func: func() { ran++ }})
	for _, want := range []int{0, 1} {
		*now = now.Add(5 * ms)
		s.RunUntil(deadline.Deadline{})
		eq(t, "runs", ran, want)
		eq(t, "delayed", s.Stats().Delayed[deadline.Normal.Lane()], 1-want)
	}
	eq(t, "time", g.Now(), s.Now())
}

// Speeds that mean nothing panic, extreme ones do no harm.
func TestSpeeds(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	for _, x := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		text := testkit.PanicOf(func() { g.SetSpeed(x) })
		eq(t, fmt.Sprint(x), text, "scheduler: Group.SetSpeed of a number that is not a speed")
	}
	ran, slow := 0, false
	for _, x := range []float64{math.SmallestNonzeroFloat64, 1e-9, 1e9, math.MaxFloat64, 0, 1} {
		g.SetSpeed(x)
		task := &scheduler.Task{Group: g, Delay: 10 * ms, Func: func() { ran++ }}
		s.Submit(task)
		s.RunUntil(deadline.Deadline{})
		before := g.Now()
		*now = now.Add(time.Second)
		s.RunUntil(deadline.Deadline{})
		slow = slow || x >= 1 && task.State() != scheduler.Done || g.Now() < before
		s.Next()
	}
	eq(t, "runs", ran, 6)
	eq(t, "slow", slow, false)
	g.Cancel()
	g.Pause() // of a group that has ended: nothing
	g.SetSpeed(3)
	g.Resume()
	s.Close()
	g.Pause()
	g.Resume()
}

// A greater speed than a group can have is the greatest. So a cutscene can be skipped, again and again.
func TestGreatSpeeds(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	outer := s.NewGroup("outer")
	middle := outer.NewGroup("middle")
	g := middle.NewGroup("g")
	ran := 0
	s.Submit(&scheduler.Task{Group: g, Delay: ms, Period: ms, Func: func() { ran++ }})
	g.Go(deadline.Normal, func(co *scheduler.Co) {
		for {
			co.Sleep(ms)
			ran++
		}
	})
	for i := range 40 {
		for j, x := range []*scheduler.Group{outer, middle, g} {
			if i%2 == 0 {
				x.SetSpeed(math.MaxFloat64 / float64(j+1))
			} else {
				x.SetSpeed(1)
			}
		}
		before := g.Now()
		*now = now.Add(time.Second)
		s.Submit(&scheduler.Task{Group: g, Delay: ms, Func: nop})
		s.RunUntil(deadline.At(now.Add(ms)))
		s.Next()
		if g.Now() < before {
			t.Fatalf("the time goes back from %v to %v", before, g.Now())
		}
		if speed := g.Now().Sub(before); i == 0 && speed < time.Hour {
			t.Errorf("%v have gone by", speed)
		}
	}
	if ran < 2 {
		t.Errorf("%d runs", ran)
	}
	one := s.NewGroup("one")
	one.SetSpeed(math.MaxFloat64)
	before := one.Now()
	*now = now.Add(time.Second)
	eq(t, "the greatest speed", one.Now().Sub(before), 1000*time.Second)
}
