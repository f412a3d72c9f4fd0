package zoo_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"sync"
	"testing"
)

var (
	all      = flag.Bool("all", false, "play all cells; otherwise a tenth")
	hostName = flag.String("host", "", "play only the hosts of this name")
	loadName = flag.String("load", "", "play only the loads of this name")
	seed     = flag.Int("seed", 0, "play only this seed, from 1, and write a line for each frame")
	outDir   = flag.String("out", "", "write a table and a picture to this folder")
)

// chosen reports whether a cell is of the tenth that make test plays, or of the sixtieth with -short. The choice
// depends on the cell's name alone.
func chosen(name string) bool {
	h := fnv.New32a()
	io.WriteString(h, name)
	part := uint32(10)
	if testing.Short() { // as under the race detector
		part = 60
	}
	return h.Sum32()%part == 0
}

// behind are the cells that break a rule, and why. A cell that is not in this list must keep the rules.
var behind = map[string]string{
	"240 Hz / jobs":                     longJobs,
	"own 10 60 Hz / jobs":               longJobs,
	"free uneven 5 / jobs":              longJobs,
	"variable 40-120 / loading":         variableRates,
	"variable uneven / flood+Immediate": variableRates,
	"uneven 8 60 Hz / flood":            slowStart,
	"own 40, shadow / jobs":             longJobs,
	"Run, own 2 / rare 50":              longSlices,
	"own 40 / rare 50":                  longSlices,
}

const (
	longJobs = "jobs of 1 to 3 ms fit into hardly any slice of the first second, until the reserve has shrunk; " +
		"a rival begins each, and overruns"
	variableRates = "an uneven host that is faster than the interval wanted looks like a display of a variable rate"
	slowStart     = "a window is learned by late frames, beside a host that has late frames of its own"
	longSlices    = "a task of 50 ms begins late in a long slice, and so misses one more refresh than in a short one"
)

// cells returns the cells to play.
func cells() (cs []*cell) {
	hs, ls := hosts(), loads()
	for i := range hs {
		for k := range ls {
			c := &cell{host: &hs[i], load: &ls[k], seeds: 5}
			one := *hostName != "" || *loadName != ""
			if one && (*hostName == "" || *hostName == c.host.name) && (*loadName == "" || *loadName == c.load.name) ||
				!one && (*all || chosen(c.name())) {
				cs = append(cs, c)
			}
		}
	}
	return cs
}

// play plays the cell in every way.
func (c *cell) play(t *testing.T) {
	none := &load{}
	seeds := func(name string, f func(seed uint64) score) total {
		var scores []score
		for i := range uint64(c.seeds) {
			if *seed == 0 || uint64(*seed) == i+1 {
				scores = append(scores, f(i+1))
			}
		}
		return collect(name, scores)
	}
	c.alone = seeds("alone", func(seed uint64) score {
		return play{host: c.host, load: none, seed: seed}.run(t, rivals[0])
	})
	room, _ := c.alone.free(c.host.interval)
	c.ours = seeds("ours", func(i uint64) score {
		p := play{host: c.host, load: c.load, seed: i, room: room}
		if *seed > 0 {
			p.log = os.Stdout
		}
		return p.ours(t)
	})
	for _, r := range rivals {
		if r.more == nil && c.load.how != submits {
			continue
		}
		c.rivals = append(c.rivals, seeds(r.name, func(seed uint64) score {
			return play{host: c.host, load: c.load, seed: seed, room: room}.run(t, r)
		}))
	}
}

// In no cell a rival is better in frames and in work by more than a tenth. Work has its share where the rate is not
// reached. No frame is missed beyond the host's own where the rate is reached and the tasks fit.
func TestZoo(t *testing.T) {
	cs := cells()
	if len(cs) == 0 {
		t.Fatalf("no host %q or no load %q", *hostName, *loadName)
	}
	var mu sync.Mutex
	done := 0
	t.Run("cells", func(t *testing.T) {
		for _, c := range cs {
			t.Run(c.name(), func(t *testing.T) {
				t.Parallel()
				c.play(t)
				faults := c.faults()
				for _, f := range faults {
					if why := behind[c.name()]; why == "" {
						t.Error(f)
					} else {
						t.Logf("%s (known: %s)", f, why)
					}
				}
				if why := behind[c.name()]; why != "" && *all && *seed == 0 && len(faults) == 0 {
					t.Errorf("breaks no rule any more, and is still in the list of those that do: %s", why)
				}
				if *hostName != "" {
					t.Log("\n" + c.table())
				}
				mu.Lock()
				defer mu.Unlock()
				if done++; *all && done%50 == 0 {
					fmt.Printf("%d of %d cells\n", done, len(cs))
				}
			})
		}
	})
	if *outDir != "" {
		if err := publish(*outDir, cs); err != nil {
			t.Error(err)
		}
	}
}
