//go:build !headless

package main

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/demo/load"
)

// Every mode in a picture is told by its colour: a rival never has frameslice's.
func TestRivalsHaveColoursOfTheirOwn(t *testing.T) {
	for _, m := range load.AllModes() {
		_, ours := m.Preset()
		if (accent(string(m)) == accent(string(load.Frameslice))) != ours {
			t.Errorf("%s: the colour of %s", m, load.Frameslice)
		}
	}
}

// Two pictures of one second are two files.
func TestPicturesOfOneSecond(t *testing.T) {
	var s shots
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := []string{
		"frameslice-20260102-030405.png", "frameslice-20260102-030405-2.png", "frameslice-20260102-030405-3.png",
		"frameslice-20260102-030406.png",
	}
	for i, d := range []time.Duration{0, 300 * time.Millisecond, 999 * time.Millisecond, time.Second} {
		if got := s.name(at.Add(d)); got != want[i] {
			t.Errorf("picture %d is %s, want %s", i, got, want[i])
		}
	}
}
