package load

import (
	"strings"
	"testing"
)

// A column of what this system does not tell is empty, and not 0.00.
func TestUnknownCoresAreNoFigure(t *testing.T) {
	r := &Report{Modes: []Result{{Mode: Frameslice, Frames: 9, Jobs: 1, OwnP50: 1, OwnP99: 1, Others: 1.25}}}
	for cores, want := range map[float64]string{0: " - 1.25 ", 0.5: " 0.50 1.25 "} {
		r.Modes[0].Cores = cores
		var b strings.Builder
		r.table(&b)
		if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, want) {
			t.Errorf("cores %v: no %q in\n%s", cores, want, b.String())
		}
	}
}
