package ticks_test

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/ticks"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// RunUntil itself allocates, so jobs without a Clock are the measure. The averages are over many rounds, because the
// counts are those of the whole process, in which the runtime allocates now and then.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	const rounds, round = 200, 10
	p := workers.New(workers.Options{Workers: -1})
	defer p.Close(context.Background())
	c := ticks.New(p, 0)
	sum := 0
	kind := ticks.NewKind(c, "add", 4, func(in int) int { return in + 1 }, func(_, out int) { sum += out })
	play := func() {
		for i := range round {
			if i == round-1 {
				c.Rewind(c.Tick() - 4)
			}
			c.Begin()
			for n := range 3 {
				kind.Submit(i + n)
			}
			p.RunUntil(deadline.In(time.Second))
		}
	}
	var jobs [3]workers.Job
	for i := range jobs {
		jobs[i] = workers.Job{Priority: deadline.UserBlocking, Func: func(*workers.Worker) {}}
	}
	bare := func() {
		for range round {
			for n := range jobs {
				p.Submit(&jobs[n])
			}
			p.RunUntil(deadline.In(time.Second))
		}
	}
	for range rounds {
		play()
	}
	want := testing.AllocsPerRun(rounds, bare)
	if got := testing.AllocsPerRun(rounds, play); got > want {
		t.Errorf("%d ticks with a rewind allocate %v times, and bare jobs %v", round, got, want)
	}
}

func TestMisusePanicsWithItsName(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer p.Close(context.Background())
	c := ticks.New(p, 2)
	for range 5 {
		c.Begin()
	}
	same := func(in int) int { return in }
	nothing := func(int, int) {}
	delivers := func(f func()) func() {
		return func() {
			c := ticks.New(p, 0)
			ticks.NewKind(c, "", 1, same, func(int, int) {
				if f == nil {
					c.Begin()
				}
				c.Rewind(0)
			}).Submit(1)
			c.Begin()
		}
	}
	for _, one := range []struct {
		want string
		f    func()
	}{
		{"ticks: New without a Pool", func() { ticks.New(nil, 0) }},
		{"ticks: New with -1 ticks to keep", func() { ticks.New(p, -1) }},
		{"ticks: NewKind without a Clock", func() { ticks.NewKind(nil, "", 1, same, nothing) }},
		{"ticks: NewKind with a delay of 0, which is not 1 to 240", func() { ticks.NewKind(c, "", 0, same, nothing) }},
		{"ticks: NewKind with a delay of 241, which is not 1 to 240",
			func() { ticks.NewKind(c, "", 241, same, nothing) }},
		{"ticks: NewKind with a nil function", func() { ticks.NewKind[int, int](c, "", 1, same, nil) }},
		{"ticks: Rewind to tick 2, which is not one of 3 to 5", func() { c.Rewind(2) }},
		{"ticks: Rewind to tick 6, which is not one of 3 to 5", func() { c.Rewind(6) }},
		{"ticks: Begin in the deliver function of a Kind", delivers(nil)},
		{"ticks: Rewind in the deliver function of a Kind", delivers(func() {})},
	} {
		testkit.Panics(t, one.want, one.f)
	}
}

func BenchmarkSubmit(b *testing.B) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(context.Background())
	add := func(in int) int { return in + 1 }
	b.Run("kind", func(b *testing.B) {
		c := ticks.New(p, 0)
		sum := 0
		kind := ticks.NewKind(c, "add", 4, add, func(_, out int) { sum += out })
		for i := 0; b.Loop(); i++ {
			if i%32 == 0 {
				c.Begin()
			}
			kind.Submit(i)
		}
	})
	b.Run("job", func(b *testing.B) {
		jobs := make([]workers.Job, 160)
		in, out := make([]int, len(jobs)), make([]int, len(jobs))
		for i := range jobs {
			jobs[i].Func = func(*workers.Worker) { out[i] = add(in[i]) }
		}
		sum := 0
		for i := 0; b.Loop(); i++ {
			j := &jobs[i%len(jobs)]
			if i >= len(jobs) {
				_ = j.Wait(context.Background())
				sum += out[i%len(jobs)]
			}
			in[i%len(jobs)] = i
			p.Submit(j)
		}
	})
	b.Run("future", func(b *testing.B) {
		futures := make([]*workers.Future[int], 160)
		sum := 0
		for i := 0; b.Loop(); i++ {
			at := i % len(futures)
			if f := futures[at]; f != nil {
				v, _ := f.Wait(context.Background())
				sum += v
			}
			futures[at] = workers.Submit(p, 0, func(context.Context) (int, error) { return add(i), nil })
		}
	})
}
