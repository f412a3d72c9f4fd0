package frametest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/dice"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// seedVariable is the variable of the environment that has Search play one seed.
const seedVariable = "FRAMETEST_SEED"

const (
	searchFrames = 1000             // of one play
	shrinkTime   = 10 * time.Second // of real time
	progressTime = 10 * time.Second
	shrunkMost   = 16 // decisions of a seed that is printed with them
)

// Search plays the game n times, in virtual time and each time with another seed, and fails t with the first seed with
// which the game fails. It finds faults of order: a result that comes after its level has gone, a retry that is lost, a
// value that is committed twice. start builds the game on its loop and returns the function of a frame, as for Run.
//
// The game fails if that function returns an error other than frame.ErrStop, if it, a task or a job panics, if it fails
// t, or if goroutines wait forever. So check in each frame what must hold, and return an error if it does not:
//
//	func TestOrders(t *testing.T) {
//		frametest.Search(t, 1000, func(loop *frame.Loop) func() error {
//			g := newGame(loop)
//			return func() error { return errors.Join(g.Frame(), g.Check()) }
//		})
//	}
//
// A play ends after 1000 frames of 1/60 s, or when the function returns frame.ErrStop. A seed changes what nothing
// promises:
//
//   - when the jobs of workers and the functions of SubmitIO begin and end, by up to a second each. Jobs that the slice
//     or a Wait runs, forks and the parts of a ParallelFor are not delayed;
//   - which coroutine goes first of those that wait for the same frame, drawing or task;
//   - after how many tasks a slice ends, and when ShouldYield says so;
//   - the number of workers, from none to three.
//
// The game itself must be the same with each play of a seed. So it must neither read the real time nor files that
// change. It must not depend on the order of a map, or on which of its goroutines a closed channel wakes first.
// Computing takes no time in a bubble of testing/synctest: sleep in a job where it would compute, but not with a locked
// mutex, as the bubble's time does not pass while a goroutine waits for a mutex.
//
// Then Search takes decisions of the seed back as long as the game fails, and prints what is left of them, with a
// command that plays them again: the variable FRAMETEST_SEED has Search play the seed that is its value, alone. A seed
// takes some milliseconds, and what the game computes. Search ends early, and says so, shortly before the deadline of
// go test -timeout.
func Search(t *testing.T, n int, start func(*frame.Loop) func() error) {
	t.Helper()
	switch {
	case start == nil:
		panic("frametest: Search with a nil function")
	case n < 1:
		panic(fmt.Sprintf("frametest: Search with %d seeds", n))
	}
	if seed := os.Getenv(seedVariable); seed != "" {
		if _, err := dice.Parse(seed); err != nil {
			t.Fatalf("frametest: %s=%s: %v", seedVariable, seed, err)
		}
		p := playSeed(t, seed, start)
		if p.err == nil {
			t.Logf("frametest: seed %s: the game is good", seed)
			return
		}
		t.Fatalf("frametest: seed %s: %v\n%s", seed, p.err, p.tellMade())
	}
	if f := firstFailure(t, n, start); f != nil {
		t.Fatal("frametest: " + f.text)
	}
}

// A failure is a seed with which the game fails.
type failure struct {
	played
	seed  string // with the decisions that it takes, unless they are many
	again bool   // the game failed again when the whole seed was played again
	text  string
}

// firstFailure plays the seeds from 0 to n-1, and returns nil if the game is good in all that there was time for.
func firstFailure(t *testing.T, n int, start func(*frame.Loop) func() error) *failure {
	t.Helper()
	began, told, failed := time.Now(), time.Now(), t.Failed()
	seed := ""
	defer func() {
		if !failed && t.Failed() { // the game has failed t, or the race detector has
			t.Logf("frametest: seed %s of %d. To play it again:\n\t%s", seed, n, command(t, seed))
		}
	}()
	for i := range n {
		switch now := time.Now(); {
		case i > 0 && timeLeft(t) < shrinkTime:
			t.Logf("frametest: the game is good in %d of %d seeds; the test's deadline is near", i, n)
			return nil
		case now.Sub(told) > progressTime:
			told = now
			t.Logf("frametest: %d of %d seeds in %v", i, n, now.Sub(began).Round(time.Second))
		}
		seed = strconv.Itoa(i)
		p := playSeed(t, seed, start)
		if !failed && t.Failed() {
			t.FailNow()
		}
		if p.err != nil {
			return p.shrink(t, i, n, start)
		}
	}
	return nil
}

// command returns the command that plays a seed again.
func command(t *testing.T, seed string) string {
	names := strings.Split(t.Name(), "/")
	for i, name := range names {
		names[i] = "^" + regexp.QuoteMeta(name) + "$"
	}
	return fmt.Sprintf("%s=%s go test -run '%s' -v", seedVariable, seed, strings.Join(names, "/"))
}

// A played is a play that has ended.
type played struct {
	err     error           // nil if the game is good
	made    []dice.Decision // those that changed something
	workers int
}

// playSeed plays the game once.
func playSeed(t *testing.T, seed string, start func(*frame.Loop) func() error) (p played) {
	defer func() {
		if v := recover(); v != nil && p.err == nil { // of testing/synctest
			p.err = fmt.Errorf("goroutines wait forever: %v", v)
		}
	}()
	synctest.Test(t, func(*testing.T) {
		ended := make(chan struct{})
		go func() { // a goroutine that the game may end by t.FailNow
			defer close(ended)
			p.playBubble(seed, start)
		}()
		<-ended
	})
	return p
}

// playBubble plays the game in the bubble that the caller is in.
func (p *played) playBubble(seed string, start func(*frame.Loop) func() error) {
	var jobPanic atomic.Pointer[workers.PanicError]
	loop := frame.New(frame.Options{
		Interval:  time.Second / 60,
		JumpAfter: -1,
		OnStuck:   func(string) {},
		Recorder:  record.Options{WarmUp: -1, Records: 64},
		Scheduler: scheduler.Options{Rethrow: true, OnPanic: func(*scheduler.PanicError) {}},
		Workers:   workers.Options{OnPanic: func(e *workers.PanicError) { jobPanic.CompareAndSwap(nil, e) }},
		Seed:      seed,
	})
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *scheduler.PanicError:
			p.err = fmt.Errorf("%w\n%s", v, v.Stack)
		default:
			p.err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
		var s workers.Stats
		loop.Pool().Stats(&s)
		p.made, p.workers = bridge.Of(loop.Scheduler()).Dice().Made(), s.Workers
		err := loop.Close()
		switch e := jobPanic.Load(); {
		case p.err != nil:
		case e != nil:
			p.err = fmt.Errorf("%w\n%s", e, e.Stack)
		case err != nil:
			p.err = fmt.Errorf("when the game had ended: %w", err)
		}
	}()
	f := start(loop)
	if f == nil {
		p.err = errors.New("start has returned no function")
		return
	}
	frames := 0
	p.err = loop.Run(context.Background(), func() error {
		if frames == searchFrames || jobPanic.Load() != nil {
			return frame.ErrStop
		}
		frames++
		return f()
	})
}

// shrink looks for few decisions with which the game fails. p is a play of the seed i of n.
func (p played) shrink(t *testing.T, i, n int, start func(*frame.Loop) func() error) *failure {
	d, whole := dice.New(uint64(i)), strconv.Itoa(i)
	f := &failure{played: p, seed: whole, again: playSeed(t, whole, start).err != nil}
	end := time.Now().Add(shrinkTime)
	for size := len(p.made); size > 0; {
		shorter := false
		for at := 0; at < len(f.made) && time.Now().Before(end); {
			seed := d.Only(slices.Concat(f.made[:at], f.made[min(at+size, len(f.made)):]))
			if q := playSeed(t, seed, start); q.err != nil && len(q.made) < len(f.made) {
				f.played, f.seed, shorter = q, seed, true
			} else {
				at += size
			}
		}
		if !shorter {
			size /= 2
		}
		size = min(size, len(f.made))
	}
	if len(f.made) > shrunkMost {
		f.played, f.seed = p, whole
	}
	f.text = fmt.Sprintf("seed %d of %d: %v\n%s", i, n, f.err, f.tellMade())
	if !f.again {
		f.text += "The game was good when the seed was played again: something in it depends on more than the seed.\n"
	}
	f.text += "To play it again:\n\t" + command(t, f.seed) + "\n"
	return f
}

// tellMade lists decisions, a line each.
func (p *played) tellMade() string {
	switch {
	case len(p.made) == 0:
		return fmt.Sprintf("It takes no decision that can be taken back. The seed has %d workers, and orders what is "+
			"within 1 ms.\n", p.workers)
	case len(p.made) > shrunkMost:
		return fmt.Sprintf("%d decisions changed the order, with %d workers.\n", len(p.made), p.workers)
	}
	text := fmt.Sprintf("It takes, with %d workers:\n", p.workers)
	for _, m := range p.made {
		text += "\t" + m.Text + "\n"
	}
	return text
}
