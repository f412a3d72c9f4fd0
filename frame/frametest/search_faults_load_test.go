package frametest_test

import (
	"context"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame"
)

// lateCommit cancels the group of the level, but the loads have a context that does not end with the level.
func lateCommit(loop *frame.Loop) func() error {
	var p play
	source := func(_ context.Context, name string, _ *frameslice.Meter) ([]byte, error) {
		time.Sleep(5 * ms)
		return []byte(name), nil
	}
	decode := func(_ context.Context, _ string, data []byte) (string, error) { return string(data), nil }
	pictures := frameslice.NewLoaderFrom(loop, frameslice.LoadOptions{}, source, decode)
	level := loop.NewGroup("level")
	running := true
	var requests []*frameslice.Request
	for _, name := range []string{"tree", "rock"} {
		requests = append(requests, pictures.Load(context.Background(), name, func(string, error) {
			p.check(running, "a level that has ended gets a %s", name)
		}))
	}
	level.Go(frameslice.Normal, func(co *frameslice.Co) {
		_, _ = frameslice.Await(co, frameslice.AllOf(requests...))
	})
	return p.frames(func(n int) {
		if n == 5 {
			level.Cancel()
			running = false
		}
		if n > 5 && pictures.Progress().Fraction() == 1 {
			p.end()
		}
	})
}

// doubleFlip changes the value in its commit. Requests for one key share the value if the second request comes before
// the first commit.
func doubleFlip(loop *frame.Loop) func() error {
	type picture struct{ flips int }
	var p play
	commits := 0
	heroes := frameslice.NewLoader(loop, frameslice.LoadOptions{},
		func(context.Context, string, *frameslice.Meter) (*picture, error) {
			time.Sleep(4 * ms)
			return new(picture), nil
		})
	show := func() {
		heroes.Load(context.Background(), "hero", func(hero *picture, _ error) {
			hero.flips++ // files have the last line first
			p.check(hero.flips == 1, "the hero is flipped %d times", hero.flips)
			commits++
		})
	}
	return p.frames(func(n int) {
		if n == 1 || n == 4 {
			show()
		}
		if commits == 2 {
			p.end()
		}
	})
}

// holeInMap announces a tile five frames before the camera needs it, and then takes the tile for loaded.
func holeInMap(loop *frame.Loop) func() error {
	var p play
	loader := frameslice.NewLoader(loop, frameslice.LoadOptions{},
		func(_ context.Context, x int, _ *frameslice.Meter) (int, error) {
			time.Sleep(3 * ms)
			return 10 * x, nil
		})
	tiles := frameslice.NewCache(loader, frameslice.CacheOptions[int, int]{})
	camera := tiles.View(context.Background())
	return p.frames(func(n int) {
		x := n / 5
		camera.Show([]int{x}, []int{x + 1})
		if x > 0 {
			tile, ok := tiles.Get(x)
			p.check(ok && tile == 10*x, "the map has a hole at %d", x)
		}
		if x == 6 {
			p.end()
		}
	})
}
