package frametest_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/frametest"
)

var seeds = flag.Int("seeds", 20, "how many seeds TestSearchSpares and TestSeedsRepeat play of each game")

// Search finds each planted fault within 1000 seeds, and what it prints fails again. With -v it prints a table.
func TestSearchFinds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Logf("%-40s %8s %10s %s", "fault", "s", "decisions", "seed")
	for _, fault := range faults {
		begun := time.Now()
		seed, text, decisions, again := frametest.FirstFailure(t, 1000, fault.game)
		took := time.Since(begun)
		if seed == "" {
			t.Errorf("%s: not found", fault.name)
			continue
		}
		t.Logf("%-40s %8.2f %10d %s", fault.name, took.Seconds(), decisions, seed)
		if _, err := frametest.PlaySeed(t, seed, fault.game); err == nil || !again || took > time.Minute {
			t.Errorf("%s: found in %v; the whole seed failed again: %v, the seed printed: %v\n%s",
				fault.name, took, again, err, text)
		}
	}
}

// Search finds nothing in games that are right.
func TestSearchSpares(t *testing.T) {
	for _, game := range sound {
		if seed, text, _, _ := frametest.FirstFailure(t, fewer(*seeds), game.game); seed != "" {
			t.Errorf("%s: %s", game.name, text)
		}
	}
}

func fewer(n int) int {
	if testing.Short() {
		return 1 + n/10
	}
	return n
}

// Each play of a seed decides the same, in the same order.
func TestSeedsRepeat(t *testing.T) {
	for _, game := range slices.Concat(faults, sound) {
		for i := range fewer(*seeds) {
			seed := strconv.Itoa(i)
			made, err := frametest.PlaySeed(t, seed, game.game)
			same, again := frametest.PlaySeed(t, seed, game.game)
			said, _, _ := strings.Cut(fmt.Sprint(err), "\n") // the stack of a panic has other addresses each time
			saidAgain, _, _ := strings.Cut(fmt.Sprint(again), "\n")
			if !slices.Equal(made, same) || said != saidAgain {
				t.Fatalf("%s, seed %s: %s with\n%s\nthen %s with\n%s", game.name, seed, said, strings.Join(made, "\n"),
					saidAgain, strings.Join(same, "\n"))
			}
		}
	}
}

// A game that panics, in a frame or in a task, one that leaves goroutines behind, and one without a function fail with
// seed 0, and no decision is to blame.
func TestSearchOfGamesThatFailAtOnce(t *testing.T) {
	for name, game := range map[string]func(l *frame.Loop) func() error{
		"panic: frame 3": func(l *frame.Loop) func() error {
			return func() error {
				if l.Frame() == 3 {
					panic("frame 3")
				}
				return nil
			}
		},
		"github.com/frameslice/frameslice/frame/frametest_test.TestSearchOf": func(l *frame.Loop) func() error {
			l.Post(frameslice.Normal, func() { panic("a task") })
			return func() error { return nil }
		},
		"when the game had ended: ": func(l *frame.Loop) func() error {
			go func() { <-make(chan bool) }()
			return func() error { return frame.ErrStop }
		},
		"start has returned no function": func(*frame.Loop) func() error { return nil },
	} {
		_, text, decisions, again := frametest.FirstFailure(t, 10, game)
		if !strings.HasPrefix(text, "seed 0 of 10: "+name) || !again || decisions > 0 ||
			!strings.Contains(text, "the game fails in any") {
			t.Errorf("%s: again %v, %d decisions, %s", name, again, decisions, text)
		}
	}
}

// Search says when a game is another each time.
func TestSearchOfAGameThatChanges(t *testing.T) {
	plays := 0
	_, text, _, again := frametest.FirstFailure(t, 10, func(*frame.Loop) func() error {
		plays++
		return func() error {
			if plays == 3 {
				return errors.New("third play")
			}
			return frame.ErrStop
		}
	})
	if again || !strings.Contains(text, "third play") || !strings.Contains(text, "depends on more than the seed") {
		t.Errorf("again %v, %s", again, text)
	}
}

// The command that Search prints plays the seed, and fails as Search has said.
func TestSeedOfTheEnvironment(t *testing.T) {
	if os.Getenv("FRAMETEST_CHILD") != "" {
		frametest.Search(t, 1000, levelBefore)
		return
	}
	run := func(env ...string) string {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestSeedOfTheEnvironment$", "-test.v")
		cmd.Env = append(append(os.Environ(), "FRAMETEST_CHILD=1"), env...)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	found := run()
	_, line, _ := strings.Cut(found, "\tFRAMETEST_SEED=")
	seed, _, _ := strings.Cut(line, " ")
	if seed == "" {
		t.Fatalf("no seed in %s", found)
	}
	if again := run("FRAMETEST_SEED=" + seed); !strings.Contains(again, "frametest: seed "+seed+": ") ||
		!strings.Contains(again, "--- FAIL") {
		t.Errorf("seed %s: %s", seed, again)
	}
	if good := run("FRAMETEST_SEED=0:"); !strings.Contains(good, "seed 0:: the game is good") {
		t.Errorf("the seed without decisions: %s", good)
	}
	if bad := run("FRAMETEST_SEED=x"); !strings.Contains(bad, "a seed is a number, such as 17") {
		t.Errorf("seed x: %s", bad)
	}
}

func TestSearchMisuse(t *testing.T) {
	for want, call := range map[string]func(){
		"frametest: Search with a nil function": func() { frametest.Search(t, 1, nil) },
		"frametest: Search with 0 seeds": func() {
			frametest.Search(t, 0, func(*frame.Loop) func() error { return nil })
		},
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panicked with %v, not %q", got, want)
				}
			}()
			call()
		}()
	}
}
