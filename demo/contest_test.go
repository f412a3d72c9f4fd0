//go:build !headless

package main

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/demo/load"
)

// A turn is as long for a mode whose frames are slow, however far the world moves in one.
func TestTurnsOfSlowFramesAreAsLong(t *testing.T) {
	modes := []load.Mode{load.Idle, load.Goroutines}
	g := &game{host: &host{counting: true}, contest: newContest(modes, 3*time.Second, 1)}
	g.contest.saved = true // there is no world to save
	g.host.want = g.contest.plan[0]
	g.gap, g.dt = 500*time.Millisecond, 100*time.Millisecond
	for i := range 6 {
		if g.contest.k != 0 {
			t.Fatalf("the turn was over after %v", time.Duration(i)*g.gap)
		}
		g.compete()
	}
	if g.contest.k != 1 || g.host.want != g.contest.plan[1] {
		t.Errorf("after %v, the turn of %v has not ended", 6*g.gap, g.contest.turn)
	}
}
