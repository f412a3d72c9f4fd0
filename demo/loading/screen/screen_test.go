package screen

import (
	"context"
	"errors"
	"image"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice"
)

// The screen of a level with a bad file is stuck, continues after Retry, and is ready in the end. One that the player
// leaves shows nothing more.
func TestScreen(t *testing.T) {
	names := []string{"sky", "sea", "sand", "grass", "sun"}
	why := map[string]string{"sea": "away", "sand": "no such file", "sun": "away"}
	for leaves, want := range map[bool]int{false: 5, true: 2} {
		synctest.Test(t, func(t *testing.T) {
			loop := frameslice.New(frameslice.Testing)
			defer loop.Close()
			broken := true
			pictures := frameslice.NewLoader(loop, frameslice.LoadOptions{},
				func(ctx context.Context, name string, _ *frameslice.Meter) (image.Image, error) {
					time.Sleep(30 * time.Millisecond)
					if broken && name[0] == 's' && name != "sky" {
						return nil, errors.New(why[name])
					}
					return image.NewRGBA(image.Rect(0, 0, 1, 1)), ctx.Err()
				})
			shown := 0
			s := New(pictures, names, func(image.Image) { shown++ })
			frames := func() {
				for range 60 {
					loop.Begin()
					loop.Slice()
					loop.End()
					time.Sleep(time.Second / 60)
				}
			}
			if s.Ready() || s.Stuck() || s.Fraction() != 0 {
				t.Error("it begins at the end")
			}
			frames()
			if s.Ready() || !s.Stuck() || shown != 2 || s.Fraction() != 0.4 {
				t.Errorf("%d of %d, %v failed, %d shown", s.Loaded, s.Total, s.Failed, shown)
			}
			reasons := s.Reasons()
			slices.Sort(reasons)
			const sand, more = "sand: no such file", " and 1 more: away" // after whichever of the two came first
			if len(reasons) != 2 || reasons[0] != sand || reasons[1] != "sea"+more && reasons[1] != "sun"+more {
				t.Errorf("the reasons are %q", reasons)
			}
			broken = false
			s.Retry()
			if s.Stuck() || len(s.Reasons()) > 0 {
				t.Error("it is stuck while it tries again")
			}
			if leaves {
				s.Leave()
			}
			if frames(); s.Ready() == leaves || s.Stuck() || shown != want {
				t.Errorf("leaves %v: %d of %d, %v failed, %d shown", leaves, s.Loaded, s.Total, s.Failed, shown)
			}
		})
	}
}
