// Package dice decides what nothing promises, in tests: when jobs begin and end, who wakes first, and which work a
// slice leaves over. All decisions follow from a seed, so a test that plays one game twice with one seed plays it
// alike.
//
// A decision is known by its name and by how often the name had one, such as the third beginning of the job "path". Its
// value depends on the seed and on that alone, and not on the decisions before it. So a search can take decisions back
// one by one, and those that are left stay what they were.
//
// The goroutines of a testing/synctest bubble run at the same time only at the same instant of virtual time. So each
// worker looks for work at an instant of its own, each job begins and ends at one, and so does each wait.
package dice

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Dice are the decisions of one play. Any goroutine. Of a nil *Dice only Slice may be called: it cuts nothing short.
type Dice struct {
	seed uint64
	only map[uint32]bool // the decisions that are made; nil means all
	odds float64         // of a decision to change something

	mu    sync.Mutex
	times map[string]int // decisions, by name
	taken map[int64]bool // instants of virtual time, in ns
	made  []Decision
	slice Decision // the latest of its kind, not made yet
	wake  Decision
}

// A Decision is one that has changed something.
type Decision struct {
	ID   uint32
	Text string // what it changed
}

// errSeed says what a seed looks like.
var errSeed = errors.New("a seed is a number, such as 17, or a number and decisions, such as 17:3fa90c11,00e2b1d4")

// Parse returns the dice of a seed: a number, or what Only returns.
func Parse(seed string) (*Dice, error) {
	number, list, some := strings.Cut(seed, ":")
	n, err := strconv.ParseUint(number, 0, 64)
	if err != nil {
		return nil, errSeed
	}
	d := New(n)
	if !some {
		return d, nil
	}
	d.only = map[uint32]bool{}
	for id := range strings.SplitSeq(list, ",") {
		v, err := strconv.ParseUint(id, 16, 32)
		if err != nil && list != "" {
			return nil, errSeed
		}
		d.only[uint32(v)] = true
	}
	return d, nil
}

// New returns the dice of a seed. Some seeds change much, others little, because some faults show in either.
func New(seed uint64) *Dice {
	odds := []float64{1. / 16, 1. / 4, 1. / 2, 1}
	return &Dice{seed: seed, odds: odds[rand.New(rand.NewPCG(seed, 0)).IntN(len(odds))], times: map[string]int{},
		taken: map[int64]bool{}}
}

// Only returns the seed with the decisions given and no others, for Parse.
func (d *Dice) Only(made []Decision) string {
	ids := make([]string, len(made))
	for i, m := range made {
		ids[i] = fmt.Sprintf("%08x", m.ID)
	}
	return fmt.Sprintf("%d:%s", d.seed, strings.Join(ids, ","))
}

// Made returns the decisions that have changed something, in their order.
func (d *Dice) Made() []Decision {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.made[:len(d.made):len(d.made)]
}

// next returns the ID of the next decision of that name, and its random numbers.
func (d *Dice) next(name string) (id uint32, r *rand.Rand) {
	n := d.times[name]
	d.times[name]++
	h := fnv.New32a()
	fmt.Fprintf(h, "%s#%d", name, n)
	id = h.Sum32()
	return id, rand.New(rand.NewPCG(d.seed, uint64(id)))
}

// throw makes the next decision of that name. It returns nil if nothing is to change.
func (d *Dice) throw(name string) (id uint32, r *rand.Rand) {
	id, r = d.next(name)
	if r.Float64() >= d.odds || d.only != nil && !d.only[id] {
		return id, nil
	}
	return id, r
}

func (d *Dice) note(id uint32, format string, args ...any) {
	d.made = append(d.made, Decision{id, fmt.Sprintf(format, args...)})
}

// Workers returns how many workers a pool has: negative for none.
func (d *Dice) Workers() int {
	if n := rand.New(rand.NewPCG(d.seed, 1)).IntN(8); n > 0 {
		return 1 + n%3
	}
	return -1
}

// A Delay is what a job waits for before it begins, and when it has ended.
type Delay struct{ Begin, End time.Duration }

// Job returns the delays of a job that is going to begin. They are of all lengths from a microsecond to a second, as
// often of one to two as of 100 to 200.
func (d *Dice) Job(name string) (w Delay) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w.Begin = d.instant("job") + d.delay("job "+name, "begins")
	w.End = d.instant("job") + d.delay("job "+name, "ends")
	return w
}

// Apart returns how long a worker waits before it looks for work.
func (d *Dice) Apart(worker int) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.instant("worker " + strconv.Itoa(worker))
}

// Later returns how long a goroutine that is about to sleep waits after it has been woken, as others may be with it.
func (d *Dice) Later() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.instant("sleeper")
}

// Pause returns a pause of at most d and at least half of it.
func (d *Dice) Pause(p time.Duration) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, r := d.next("pause")
	return p - time.Duration(r.Int64N(int64(p/2)))
}

// instant returns a time below 1 ms after which nobody else continues. So hardly ever two goroutines run at once.
func (d *Dice) instant(who string) time.Duration {
	_, r := d.next(who)
	for now := time.Now().UnixNano(); ; {
		v := 1 + r.Int64N(1_000_000)
		if !d.taken[now+v] {
			d.taken[now+v] = true
			return time.Duration(v)
		}
	}
}

func (d *Dice) delay(name, verb string) time.Duration {
	id, r := d.throw(name + " " + verb)
	if r == nil {
		return 0
	}
	v := time.Duration(float64(time.Microsecond) * math.Pow(1e6, r.Float64()))
	d.note(id, "%s, no. %d, %s %v later", name, d.times[name+" "+verb], verb, v.Round(time.Microsecond))
	return v
}

// Slice returns after how many runs a slice ends, though it has time left. Frame goroutine, as what follows.
func (d *Dice) Slice() (most int) {
	if d == nil {
		return math.MaxInt
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	id, r := d.throw("slice")
	if r == nil {
		return math.MaxInt
	}
	most = 1 + int(4*r.ExpFloat64()*r.Float64())
	d.slice = Decision{id, fmt.Sprintf("slice no. %d ends after %d runs", d.times["slice"], most)}
	return most
}

// NoteSlice says that the latest Slice has changed something.
func (d *Dice) NoteSlice() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.made); n == 0 || d.made[n-1] != d.slice {
		d.made = append(d.made, d.slice)
	}
}

// Wake returns which of n coroutines that wake at one instant goes first: 0 is the one that has waited longest.
func (d *Dice) Wake(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, r := d.throw("wake")
	if r == nil {
		return 0
	}
	d.wake = Decision{ID: id}
	return r.IntN(n)
}

// NoteWake names the coroutine that the latest Wake has chosen.
func (d *Dice) NoteWake(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note(d.wake.ID, "coroutine %s wakes before others (no. %d)", name, d.times["wake"])
}
