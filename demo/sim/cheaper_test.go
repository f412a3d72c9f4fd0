package sim

import (
	"cmp"
	"context"
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
)

var cheaperTicks = flag.Int("cheaper", 0, "ticks of each game in TestCheaperInRealTime")

// A slowed is a Runner that does everything at once, in a section for each kind of work. All work takes a quarter
// longer than it needs, except for the kind that is made a fifth cheaper.
type slowed struct {
	loop    *frame.Loop
	cheaper string
}

const (
	kindCrowd = "crowd"
	noKind    = "nothing" // the game as it is once more: what two runs differ by
)

func (r *slowed) ParallelFor(n, grain int, body func(lo, hi int)) {
	r.part(kindCrowd, func() { body(0, n) })
}

func (r *slowed) Submit(kind string, _ deadline.Priority, j Job) {
	r.part(kind, func() {
		j.Run()
		j.Commit()
	})
}

func (r *slowed) part(kind string, f func()) {
	s := r.loop.Section(kind)
	defer s.End()
	began := deadline.Now()
	f()
	if kind == r.cheaper {
		return
	}
	now := deadline.Now()
	for end := now.Add(now.Sub(began) / 4); now < end; now = deadline.Now() {
	}
}

// A cheaperGame is a world, and how often it loads its pictures again.
type cheaperGame struct {
	boids, agents, detail int
	reload                uint64 // in ticks; 0 means never
}

var cheaperGames = []cheaperGame{
	{boids: 6000, agents: 24},
	{boids: 16000, agents: 12},
	{boids: 22000, agents: 8},
	{boids: 27000, agents: -1},
	{boids: 1000, agents: 40},
	{boids: 6000, agents: 8, detail: 3 * DefaultDetail},
	{boids: 3000, agents: -1, detail: 4 * DefaultDetail},
	{boids: 18000, agents: 4, detail: 2 * DefaultDetail},
	{boids: 6000, agents: 4, reload: 90},
	{boids: 14000, agents: 8, reload: 150},
	{boids: 20000, agents: 4, reload: 240},
	{boids: 3000, agents: 16, detail: 2 * DefaultDetail, reload: 180},
}

// A playing is a game with a part that is cheaper, or with none.
type playing struct {
	slowed
	game  cheaperGame
	world *World
}

func newPlaying(g cheaperGame, m *Map, cheaper string) *playing {
	o := frame.Options{Interval: time.Second / 60, JumpAfter: 300 * time.Millisecond}
	o.Recorder.Records, o.Recorder.WarmUp = 1<<16, -1
	p := &playing{slowed: slowed{frame.New(o), cheaper}, game: g}
	p.world = newWorld(Options{
		Seed: 5, Boids: g.boids, Agents: g.agents, Detail: g.detail, NoAssets: g.reload == 0,
	}.withDefaults(), m)
	for range 60 { // in the first of them each agent asks for its way
		p.world.Step(tick, Inline{})
	}
	return p
}

// play continues with the game for so many ticks.
func (p *playing) play(ticks int) error {
	return p.loop.Run(context.Background(), func() error {
		if p.game.reload > 0 && p.world.Tick%p.game.reload == 1 {
			p.world.Reload(p)
		}
		p.world.Step(tick, p)
		if ticks--; ticks == 0 {
			return frame.ErrStop
		}
		return nil
	})
}

// Twelve games are played in real time, and each is played again with each of its parts a fifth cheaper, and once with
// none, in turns of two seconds and with the same ticks. The part that the report of the first names should save most,
// and what it saves should lie within the interval.
func TestCheaperInRealTime(t *testing.T) {
	if *cheaperTicks == 0 {
		t.Skip("takes half an hour with -cheaper 1200")
	}
	m := newMap(5)
	first, within, said, inside := 0, 0, 0, 0
	for i, g := range cheaperGames {
		parts := []string{"", noKind, kindCrowd, KindPath, KindTerrain}
		if g.reload > 0 {
			parts = append(parts, KindDecode, KindText)
		}
		var all []*playing
		for _, part := range parts {
			all = append(all, newPlaying(g, m, part))
		}
		const turn = 120
		for left := *cheaperTicks; left > 0; left -= turn {
			for _, p := range all {
				if err := p.play(turn); err != nil {
					t.Fatal(err)
				}
			}
		}
		saved := map[string]int64{}
		missed := int64(0)
		var report *record.Report
		for k, p := range all {
			r := p.loop.Report("")
			if k == 0 {
				report, missed = r, int64(r.Run.Missed)
			}
			saved[parts[k]] = missed - int64(r.Run.Missed)
			if err := p.loop.Close(); err != nil {
				t.Error(err)
			}
		}
		t.Logf("game %d: %d missed in %d frames", i, missed, report.Run.N)
		best := slices.MaxFunc(parts[2:], func(a, b string) int { return cmp.Compare(saved[a], saved[b]) })
		for k := range report.Cheaper {
			one := &report.Cheaper[k]
			really := saved[one.Name]
			if one.Kind != "section" {
				continue
			}
			ok := one.Fifth.Low <= float64(really) && float64(really) <= one.Fifth.High
			t.Logf("   %s; really %d", one, really)
			said++
			if ok {
				inside++
			}
			if k == 0 && ok {
				within++
			}
			if k == 0 && one.Name == best {
				first++
			}
		}
		t.Logf("   most is saved by %s, %d; the same game again saves %d", best, saved[best], saved[noKind])
	}
	t.Logf("the first is right in %d of %d games, and what it saves lies within the interval in %d; of all %d that "+
		"are said, %d do", first, len(cheaperGames), within, said, inside)
}
