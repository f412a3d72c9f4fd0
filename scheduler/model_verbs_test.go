package scheduler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// callback is one of a random script: what it does when it runs, in order.
type callback struct {
	id    int
	phase int // 3 is a microtask
	each  bool
	acts  []verbAct
}

// verbAct registers add, cancels target, or panics. A persistent callback acts in its first run only.
type verbAct struct {
	op     byte // 'a', 'c', 'p'
	add    *callback
	target int
}

// verbs is what the script is played on: the scheduler, or the reference.
type verbs interface {
	register(c *callback)
	cancel(id int) bool
	phase(p int)
	log() []string
}

// realVerbs is the scheduler.
type realVerbs struct {
	s       *scheduler.Scheduler
	handles map[int]scheduler.Handle
	out     []string
}

func (r *realVerbs) register(c *callback) {
	first := true
	f := func() {
		r.out = append(r.out, fmt.Sprint(c.id))
		if first {
			first = false
			perform(r, &r.out, c.acts)
		}
	}
	switch {
	case c.phase == 3:
		r.handles[c.id] = r.s.Microtask(f)
	case c.each:
		r.handles[c.id] = r.s.Each(scheduler.Phase(c.phase), f)
	default:
		r.handles[c.id] = r.s.Once(scheduler.Phase(c.phase), f)
	}
}

func (r *realVerbs) cancel(id int) bool { return r.handles[id].Cancel() }
func (r *realVerbs) phase(p int) {
	if p == 0 {
		r.s.BeginFrame(deadline.Now())
	}
	r.s.RunPhase(scheduler.Phase(p))
}
func (r *realVerbs) log() []string { return r.out }

// perform does what a callback does.
func perform(v verbs, out *[]string, acts []verbAct) {
	for _, a := range acts {
		switch a.op {
		case 'a':
			v.register(a.add)
		case 'c':
			*out = append(*out, fmt.Sprintf("cancel %d: %v", a.target, v.cancel(a.target)))
		case 'p':
			panic("p")
		}
	}
}

// refVerbs is the reference: slices, copied at the beginning of each phase.
type refVerbs struct {
	lists  [4][]*refCallback
	all    map[int]*refCallback
	micros int // run in this frame
	limit  int
	out    []string
}

type refCallback struct {
	*callback
	state byte // 'w'aits, 'r'uns, 'e'nded
	acted bool
	stop  bool
}

func (r *refVerbs) register(c *callback) {
	x := &refCallback{callback: c, state: 'w'}
	r.all[c.id] = x
	r.lists[c.phase] = append(r.lists[c.phase], x)
}

func (r *refVerbs) cancel(id int) bool {
	x := r.all[id]
	switch {
	case x == nil || x.state == 'e' || x.stop:
		return false
	case x.state == 'r':
		x.stop = x.each
		return x.each
	}
	r.remove(x)
	return true
}

func (r *refVerbs) remove(x *refCallback) {
	x.state = 'e'
	l := &r.lists[x.phase()]
	*l = slices.DeleteFunc(*l, func(y *refCallback) bool { return y == x })
}

func (x *refCallback) phase() int { return x.callback.phase }

func (r *refVerbs) phase(p int) {
	if p == 0 {
		r.micros = 0
	}
	batch := slices.Clone(r.lists[p])
	r.drainMicros()
	for _, x := range batch {
		if x.state == 'w' {
			r.run(x)
			r.drainMicros()
		}
	}
}

func (r *refVerbs) drainMicros() {
	for len(r.lists[3]) > 0 && r.micros < r.limit {
		r.micros++
		r.run(r.lists[3][0])
	}
}

func (r *refVerbs) run(x *refCallback) {
	x.state = 'r'
	r.out = append(r.out, fmt.Sprint(x.id))
	failed := false
	if !x.acted {
		x.acted = true
		func() {
			defer func() { failed = recover() != nil }()
			perform(r, &r.out, x.acts)
		}()
	}
	if x.each && !x.stop && !failed {
		x.state = 'w'
		return
	}
	r.remove(x)
}

func (r *refVerbs) log() []string { return r.out }

// drawCallback draws a callback and what it adds, to a depth.
func drawCallback(t *rapid.T, ids *int, depth int) *callback {
	*ids++
	c := &callback{id: *ids, phase: rapid.IntRange(0, 3).Draw(t, "phase")}
	c.each = c.phase < 3 && rapid.Bool().Draw(t, "each")
	for range rapid.IntRange(0, 3).Draw(t, "acts") {
		switch rapid.IntRange(0, 6).Draw(t, "op") {
		case 0:
			c.acts = append(c.acts, verbAct{op: 'p'})
		case 1, 2, 3:
			c.acts = append(c.acts, verbAct{op: 'c', target: rapid.IntRange(1, 12).Draw(t, "target")})
		default:
			if depth > 0 {
				c.acts = append(c.acts, verbAct{op: 'a', add: drawCallback(t, ids, depth-1)})
			}
		}
	}
	return c
}

// Callbacks and microtasks run, fail, and are cancelled, as in the reference.
func TestVerbsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{1, 3, 1000}).Draw(t, "limit")
		o := scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}
		events := watchSome(t, &o)
		s := scheduler.New(o)
		scheduler.SetMicrotaskLimit(s, limit)
		defer s.Close()
		r := &realVerbs{s: s, handles: map[int]scheduler.Handle{}}
		ref := &refVerbs{all: map[int]*refCallback{}, limit: limit}
		ids := 0
		for range rapid.IntRange(1, 6).Draw(t, "frames") {
			for p := range 3 {
				for range rapid.IntRange(0, 3).Draw(t, "callbacks") {
					c := drawCallback(t, &ids, 2)
					r.register(c)
					ref.register(c)
				}
				if rapid.IntRange(0, 3).Draw(t, "cancel") == 0 {
					id := rapid.IntRange(1, 12).Draw(t, "target")
					if got, want := r.cancel(id), ref.cancel(id); got != want {
						t.Fatalf("cancel %d from outside: %v, want %v", id, got, want)
					}
				}
				r.phase(p)
				ref.phase(p)
				if got, want := strings.Join(r.log(), " "), strings.Join(ref.log(), " "); got != want {
					t.Fatalf("ran:\n%s\nwant:\n%s", got, want)
				}
			}
		}
		for id := range ids + 1 {
			ref.cancel(id)
			r.cancel(id)
		}
		s.RunPhase(scheduler.AfterDraw)
		if size, free := scheduler.ArenaSize(s); size != free {
			t.Fatalf("%d of %d items are free in the end", free, size)
		}
		s.Close()
		if err := events.end(); err != nil {
			t.Fatal(err)
		}
	})
}
