package scheduler_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// virtual returns a scheduler with a clock that only the tasks move.
func virtual(t interface{ Cleanup(func()) }, o scheduler.Options) (*scheduler.Scheduler, *deadline.Instant) {
	s := scheduler.New(o)
	now := new(deadline.Instant(1))
	scheduler.SetClock(s, func() deadline.Instant { return *now })
	t.Cleanup(s.Close)
	return s, now
}

// Two groups whose work was submitted one after the other run in turns, by their weights.
func TestWeightsDivideASlice(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		s, now := virtual(t, scheduler.Options{Policy: policy})
		var log strings.Builder
		a, b := s.NewGroup("a"), s.NewGroup("b")
		a.SetWeight(3)
		b.SetWeight(1)
		for _, g := range []*scheduler.Group{a, b} {
			for range 12 {
				g.Post(deadline.Normal, func() { log.WriteString(g.Label()); *now += deadline.Instant(ms) })
			}
		}
		s.Post(deadline.UserBlocking, func() { log.WriteString("!") })
		s.RunUntil(deadline.At(now.Add(12*ms + ms/2))) // a task may be expected to take some µs more
		got := log.String()
		if na, nb := strings.Count(got, "a"), strings.Count(got, "b"); got[0] != '!' || na != 9 || nb != 3 {
			t.Errorf("%v: %s: %d of a and %d of b, want 9 and 3", policy, got, na, nb)
		}
		s.RunUntil(deadline.Deadline{})
		if got = log.String(); strings.Count(got, "a") != 12 || strings.Count(got, "b") != 12 {
			t.Errorf("%v: %s: work was lost", policy, got)
		}
	}
}

// What has no weight has one share together, and all of the time when the others have nothing to do.
func TestTheCommonShare(t *testing.T) {
	s, now := virtual(t, scheduler.Options{CommonWeight: 2})
	var log strings.Builder
	work := func(name string) func() {
		return func() { log.WriteString(name); *now += deadline.Instant(ms) }
	}
	g, plain := s.NewGroup("g"), s.NewGroup("plain")
	g.SetWeight(2)
	for range 6 {
		g.Post(deadline.Normal, work("g"))
	}
	for range 3 {
		plain.Post(deadline.Normal, work("p"))
		s.Post(deadline.Normal, work("c"))
	}
	g.Post(deadline.Immediate, work("i"))
	s.RunUntil(deadline.Deadline{})
	if got, want := log.String(), "igpgcgpgcgpgc"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
	log.Reset()
	g.SetWeight(-1) // in the order of submission again
	g.Post(deadline.Normal, work("g"))
	g.Post(deadline.Normal, work("g"))
	s.Post(deadline.Normal, work("c"))
	s.RunUntil(deadline.Deadline{})
	if got, want := log.String(), "ggc"; got != want {
		t.Errorf("without a weight: ran %s, want %s", got, want)
	}
}

// Overdue work is not held back by the shares.
func TestOverdueWorkIsOutsideOfTheShares(t *testing.T) {
	s, now := virtual(t, scheduler.Options{OverdueShare: 1})
	var log strings.Builder
	g := s.NewGroup("g")
	g.SetWeight(1)
	for range 3 {
		g.Post(deadline.Normal, func() { log.WriteString("o"); *now += deadline.Instant(ms) })
	}
	s.Post(deadline.Immediate, func() {})
	s.RunUntil(deadline.At(0))
	*now += deadline.Instant(6 * time.Second)
	for range 3 {
		s.Post(deadline.Normal, func() { log.WriteString("c"); *now += deadline.Instant(ms) })
	}
	s.RunUntil(deadline.Deadline{})
	if got, want := log.String(), "oooccc"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
}

// TestSharesModel holds the bound of S27 against random weights and costs.
func TestSharesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := rapid.SampledFrom([]deadline.Policy{deadline.ByExpiration, deadline.ByPriority}).Draw(t, "policy")
		s, now := virtual(t, scheduler.Options{
			Policy: policy, MinShare: -1, Timeouts: deadline.Timeouts{Low: time.Hour}, // nothing is overdue
		})
		runs, wrong := 0, ""
		type class struct {
			weight  int
			used, l time.Duration
			post    func(func())
		}
		classes := []*class{{weight: 1}}
		classes[0].post = func(f func()) { s.Post(deadline.Low, f) }
		sum := 1
		for range rapid.IntRange(1, 4).Draw(t, "groups") {
			c := &class{weight: rapid.IntRange(1, 8).Draw(t, "weight")}
			g := s.NewGroup("")
			g.SetWeight(c.weight)
			c.post = func(f func()) { g.Post(deadline.Low, f) }
			sum += c.weight
			classes = append(classes, c)
		}
		unit := scheduler.ShareRound / time.Duration(sum)
		for _, c := range classes {
			most := int(min(20*scheduler.ShareRound, scheduler.DebtRounds*unit*time.Duration(c.weight)))
			cost := time.Duration(rapid.IntRange(1, most).Draw(t, "cost"))
			var run func()
			run = func() {
				c.used += cost
				c.l = cost
				*now += deadline.Instant(cost)
				if runs++; runs > 300 || wrong != "" {
					return
				}
				c.post(run) // so that there is always more
				for i, x := range classes {
					for _, y := range classes[:i] {
						wx, wy := float64(x.weight), float64(y.weight)
						apart := math.Abs(float64(x.used)/wx - float64(y.used)/wy)
						bound := 2*float64(unit) + float64(x.l)/wx + float64(y.l)/wy
						if x.l > 0 && y.l > 0 && apart > bound {
							wrong = fmt.Sprintf("%v after %v: %+v and %+v are %v apart, want at most %v", policy,
								time.Duration(*now), x, y, time.Duration(apart), time.Duration(bound))
						}
					}
				}
			}
			c.post(run)
			c.post(run)
		}
		if s.RunUntil(deadline.Deadline{}); wrong != "" {
			t.Fatal(wrong)
		}
	})
}

// BenchmarkShares is a slice of n tasks in two groups: with weights, and without.
func BenchmarkShares(b *testing.B) {
	for _, weight := range []int{0, 1} {
		b.Run(fmt.Sprintf("weight=%d", weight), func(b *testing.B) {
			s := scheduler.New(scheduler.Options{})
			defer s.Close()
			x, y := s.NewGroup("x"), s.NewGroup("y")
			x.SetWeight(weight)
			y.SetWeight(2 * weight)
			perTask(b, 1000, func() {
				for range 500 {
					x.Post(deadline.Normal, nop)
					y.Post(deadline.Normal, nop)
				}
				s.RunUntil(deadline.Deadline{})
			})
		})
	}
}
