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
	"github.com/frameslice/frameslice/internal/testkit"
)

var seeds = flag.Int("seeds", 10, "how many seeds TestSearchSpares and TestSeedsRepeat play of each game")

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

// A game that panics, in a frame, a task or a job, one that waits forever or leaves such goroutines, and one without a
// function fail with seed 0, and no decision is to blame.
func TestSearchOfGamesThatFailAtOnce(t *testing.T) {
	good := func() error { return nil }
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
			return good
		},
		"frametest_test.TestSearchOf": func(l *frame.Loop) func() error {
			l.Pool().Go(frameslice.Normal, func() { panic("a job") })
			return good
		},
		"goroutines wait forever: deadlock: all": func(l *frame.Loop) func() error {
			return func() error { <-make(chan bool); return nil }
		},
		"goroutines wait forever: deadlock: main": func(l *frame.Loop) func() error {
			go func() { <-make(chan bool) }()
			return func() error { return frame.ErrStop }
		},
		"start has returned no function": func(*frame.Loop) func() error { return nil },
	} {
		_, text, decisions, again := frametest.FirstFailure(t, 10, game)
		if !strings.HasPrefix(text, "seed 0 of 10: ") || !strings.Contains(text, name) || !again || decisions > 0 ||
			!strings.Contains(text, "It takes no decision that can be taken back.") {
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

// child is the variable that has a test be the child of itself. Its value says which game Search gets.
const child = "FRAMETEST_CHILD"

// playChild runs the test that calls it in a process of its own, with more variables, and returns its output.
func playChild(t *testing.T, game string, env ...string) string {
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), child+"="+game), env...)
	out, _ := cmd.CombinedOutput() // the exit status is in the text
	return string(out)
}

// The command that Search prints plays the seed, and fails as Search has said.
func TestSeedOfTheEnvironment(t *testing.T) {
	if os.Getenv(child) != "" {
		frametest.Search(t, 1000, levelBefore)
		return
	}
	found := playChild(t, "level before")
	_, line, _ := strings.Cut(found, "\tFRAMETEST_SEED=")
	seed, _, _ := strings.Cut(line, " ")
	if seed == "" {
		t.Fatalf("no seed in %s", found)
	}
	again := playChild(t, "level before", "FRAMETEST_SEED="+seed)
	if !strings.Contains(again, "frametest: seed "+seed+": ") || !strings.Contains(again, "--- FAIL") {
		t.Errorf("seed %s: %s", seed, again)
	}
	for seed, want := range map[string]string{
		"0:": "seed 0:: the game is good", // without decisions
		"x":  "a seed is a number, such as 17",
	} {
		if out := playChild(t, "level before", "FRAMETEST_SEED="+seed); !strings.Contains(out, want) {
			t.Errorf("seed %s: %s", seed, out)
		}
	}
}

// A game that fails the test itself ends the search, and the seed is told. So does a game that fails when there is no
// time for a second seed.
func TestSearchTellsTheSeed(t *testing.T) {
	switch os.Getenv(child) {
	case "":
		for _, game := range []string{"fatal in a frame", "fatal in a task", "error in a frame", "error"} {
			out := playChild(t, game)
			if !strings.Contains(out, "--- FAIL") || !strings.Contains(out, game) ||
				!strings.Contains(out, "FRAMETEST_SEED=0 go test -run '^TestSearchTellsTheSeed$' -v") {
				t.Errorf("%s: %s", game, out)
			}
		}
	case "fatal in a task":
		frametest.Search(t, 10, func(l *frame.Loop) func() error {
			l.Post(frameslice.Normal, func() { t.Fatal(os.Getenv(child)) })
			return func() error { return nil }
		})
	default:
		frametest.Search(t, 10, func(l *frame.Loop) func() error {
			return func() error {
				switch {
				case os.Getenv(child) == "error":
					return errors.New("error")
				case os.Getenv(child) == "error in a frame":
					t.Error(os.Getenv(child))
				default:
					t.Fatal(os.Getenv(child))
				}
				return frame.ErrStop
			}
		})
	}
}

func TestSearchMisuse(t *testing.T) {
	for want, call := range map[string]func(){
		"frametest: Search with a nil function": func() { frametest.Search(t, 1, nil) },
		"frametest: Search with 0 seeds": func() {
			frametest.Search(t, 0, func(*frame.Loop) func() error { return nil })
		},
	} {
		testkit.Panics(t, want, call)
	}
}
