package record

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/refresh"
)

// A world is a game in virtual time, whose own work has named parts, with a slice that fills what is left, on a host
// that waits for the display or paces frames itself.
type world struct {
	seed     uint64
	sections []cost
	task     cost // the longest of each slice, with the rest of the slice before it
	host     cost
	paced    bool // frames end at any time
	catchUp  bool // a late frame has a second update next
}

// A cost is lognormal, with a mean in milliseconds. Rarely it is many times as much.
type cost struct {
	name         string
	mean, spread float64
	rarely, by   float64
}

func (c *cost) draw(rng *rand.Rand) time.Duration {
	x := c.mean * math.Exp(c.spread*rng.NormFloat64()-c.spread*c.spread/2)
	if rng.Float64() < c.rarely {
		x *= c.by
	}
	return time.Duration(x * 1e6)
}

// play returns the record of a run in which the part with that name is cheaper.
func (w *world) play(cheaper string, by float64) *Snapshot {
	const target, frames = time.Second / 60, 4000
	rec := New(Options{Target: target, WarmUp: -1, Records: frames})
	rng := rand.New(rand.NewPCG(w.seed, 0))
	at, interval, updates := deadline.Instant(1), target, 1
	for number := range uint64(frames) {
		r := Record{Number: number, Start: at, Interval: interval, Updates: uint32(updates), Flags: Sliced}
		if number == 0 {
			r.Interval = 0
		}
		var own time.Duration
		for i, c := range w.sections {
			d := c.draw(rng)
			if i == 0 {
				d *= time.Duration(updates)
			}
			if c.name == cheaper {
				d -= time.Duration(by * float64(d))
			}
			own += d
			r.Sections = append(r.Sections, Section{Name: c.name, Calls: 1, Time: d, Own: d})
		}
		r.UpdateBegin, r.UpdateEnd = at, at.Add(own)
		r.SliceBegin, r.SliceDeadline = at.Add(own), at.Add(max(own, target-3*time.Millisecond))
		task := w.task.draw(rng)
		if w.task.name == cheaper {
			task -= time.Duration(by * float64(task))
		}
		r.WorstLabel, r.WorstCost = w.task.name, task
		r.SliceEnd = max(r.SliceDeadline, r.SliceBegin.Add(task))
		r.DrawEnd = r.SliceEnd
		rec.Add(r)
		end := r.Busy() + w.host.draw(rng)
		interval = max(end, target)
		if !w.paced {
			interval = (end + target - 1) / target * target
		}
		if at = at.Add(interval); w.catchUp {
			updates = 1 + int(refresh.Missed(interval, target))
		}
	}
	return rec.Snapshot()
}

var cheaperWorlds = []world{
	{sections: []cost{{"physics", 6, .4, 0, 0}, {"ai", 4, .4, 0, 0}, {"draw", 3, .1, 0, 0}}},
	{sections: []cost{{"physics", 3, .2, 0, 0}, {"ai", 3, .2, .05, 6}, {"draw", 5, .1, 0, 0}}},
	{sections: []cost{{"physics", 3, .2, .02, 5}, {"ai", 3, .9, 0, 0}, {"draw", 6, .1, 0, 0}}},
	{sections: []cost{{"physics", 7, .3, 0, 0}, {"draw", 6, .2, 0, 0}}, paced: true},
	{sections: []cost{{"physics", 2, .2, 0, 0}, {"path", 2, 1.3, 0, 0}, {"draw", 6, .1, 0, 0}}, paced: true},
	{sections: []cost{{"physics", 6, .4, 0, 0}, {"draw", 5, .1, 0, 0}}, catchUp: true},
	{sections: []cost{{"physics", 4, .2, 0, 0}, {"draw", 4, .1, 0, 0}}, task: cost{"decode", 3, .9, 0, 0}},
	{sections: []cost{{"physics", 4, .2, 0, 0}, {"draw", 4, .1, 0, 0}}, task: cost{"decode", 1, .2, .08, 20}},
	{sections: []cost{{"physics", 1, .2, 0, 0}, {"ui", 12, .15, 0, 0}}},
	{sections: []cost{{"physics", 5, .5, 0, 0}, {"ai", 5, .3, 0, 0}}, host: cost{"", 2, .8, 0, 0}},
	{sections: []cost{{"physics", 9, .3, 0, 0}, {"ai", 1, .5, .03, 9}}, host: cost{"", 1, .3, .02, 9}},
	{
		sections: []cost{{"a", 3, .5, 0, 0}, {"b", 3, .5, 0, 0}, {"c", 3.5, .5, 0, 0}, {"d", 2, .5, .02, 5}},
		catchUp:  true,
	},
}

// In each of twelve worlds every part is really made a fifth cheaper. The part that the report names first saves most,
// and what it saves lies within the interval, in nine of twelve at least.
func TestCheaperSavesWhatIsSaid(t *testing.T) {
	first, within := 0, 0
	for i, w := range cheaperWorlds {
		w.seed = uint64(i)
		if w.host.mean == 0 {
			w.host = cost{"", 1.5, .2, 0, 0}
		}
		said := NewReport("world", w.play("", 0), Environment{}).Cheaper
		missed := int64(w.play("", 0).Totals.Missed)
		best, most := "", int64(math.MinInt64)
		saves := map[string]int64{}
		for _, c := range append(w.sections, w.task) {
			saves[c.name] = missed - int64(w.play(c.name, 0.2).Totals.Missed)
			if saves[c.name] > most {
				best, most = c.name, saves[c.name]
			}
		}
		if len(said) == 0 {
			t.Errorf("world %d: nothing is said of %d missed", i, missed)
			continue
		}
		one := &said[0]
		t.Logf("world %d, %d missed: %s; really %s saves %d, and the first %d",
			i, missed, one, best, most, saves[one.Name])
		if one.Name == best {
			first++
		}
		if x := float64(saves[one.Name]); one.Fifth.Low <= x && x <= one.Fifth.High {
			within++
		}
	}
	if first < 9 || within < 9 {
		t.Errorf("of %d worlds the first is right in %d, and its saving is within the interval in %d",
			len(cheaperWorlds), first, within)
	}
}

// What made no frame late saves nothing, and a report without late frames says nothing.
func TestCheaperIsSilent(t *testing.T) {
	calm := world{sections: []cost{{"physics", 4, .1, 0, 0}}, host: cost{"", 1, .1, 0, 0}}
	if r := NewReport("calm", calm.play("", 0), Environment{}); len(r.Cheaper) != 0 {
		t.Errorf("without a late frame: %v", r.Cheaper)
	}
	stalls := world{sections: []cost{{"physics", 4, .1, 0, 0}}, host: cost{"", 1, .1, .02, 30}}
	r := NewReport("stalls", stalls.play("", 0), Environment{})
	if r.Late == 0 || len(r.Cheaper) != 0 || strings.Contains(r.Text(), "would not have been missed") {
		t.Errorf("%d frames that the host made late: %v", r.Late, r.Cheaper)
	}
}
