package overlay

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/workers"
)

// The costliest kinds are sorted by what they cost lately, and many kinds do not push out the costliest ones.
func TestCostliestKinds(t *testing.T) {
	const span = 10 * time.Millisecond
	var w work
	per := make([]workers.WorkerStats, 2)
	for n := range 2000 {
		per[0].Busy += 6 * time.Millisecond
		per[0].Running, per[0].Label = true, "path"
		per[1].Busy += time.Millisecond // jobs too short to be seen
		w.look(per, span)
		w.add(aTask, "spawn", 3*time.Millisecond)
		w.add(aTask, fmt.Sprint("once ", n), 10*time.Microsecond)
	}
	w.look(per, span)
	w.rank()
	var got []string
	for _, at := range w.order[:3] {
		k := &w.kinds[at]
		got = append(got, fmt.Sprintf("%s %v %.0f", k.name, k.of == aTask, k.shown/10))
	}
	if want := "[path false 60 spawn true 30 short jobs false 10]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
	if share, kind := w.share[0][w.head], w.kinds[w.kind[0][w.head]].name; share != 0 || kind != "path" {
		t.Errorf("the first worker's last column is %v of %q", share, kind)
	}
	if share := w.share[0][w.head-1]; share < 0.59 || share > 0.61 {
		t.Errorf("the first worker was busy %v, want 0.6", share)
	}
}

// More workers than rows share rows, and workers come and go.
func TestRowsOfManyWorkers(t *testing.T) {
	for _, n := range []int{0, 1, 8, 9, 64, 128, 3} {
		var w work
		per := make([]workers.WorkerStats, n)
		w.look(per, time.Millisecond)
		for i := range per {
			per[i].Busy = time.Millisecond
		}
		w.look(per, time.Millisecond)
		for r := range maxRows {
			want := float32(0)
			if r < rows(n) {
				want = 1
			}
			if got := w.share[r][w.head]; got != want {
				t.Errorf("%d workers: row %d is busy %v, want %v", n, r, got, want)
			}
		}
	}
}
