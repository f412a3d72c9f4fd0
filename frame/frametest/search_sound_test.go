package frametest_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// cameraFollows moves the camera in a callback, which runs after all tasks of the frame before and before the drawing.
func cameraFollows(loop *frame.Loop) func() error {
	var p play
	player, camera := 0, 0
	level := loop.NewGroup("level")
	level.Go(frameslice.Normal, func(co *frameslice.Co) {
		for range 12 {
			player++
			co.NextFrame()
		}
		p.end()
	})
	loop.Each(frameslice.BeforeDraw, func() { camera = player })
	return p.frames(func(n int) {
		switch n {
		case 5:
			level.Pause()
		case 9:
			level.Resume()
		}
		loop.RunPhase(frameslice.BeforeDraw)
		p.check(camera == player, "the camera is at %d, the player at %d", camera, player)
	})
}

// copiedList walks over a copy of the list, and asks after each Yield whether the enemy is still there.
func copiedList(loop *frame.Loop) func() error {
	var p play
	enemies := []int{1, 2, 3, 4, 5, 6}
	var moved [7]int
	dead := false
	loop.After(frameslice.UserBlocking, 10*ms, func() {
		enemies = slices.Delete(enemies, 0, 1)
		dead = true
	})
	walk := loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for _, id := range slices.Clone(enemies) {
			if slices.Contains(enemies, id) {
				moved[id]++
			}
			if co.ShouldYield() {
				co.Yield()
			}
		}
	})
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		_ = co.Wait(walk)
		co.WaitUntil(func() bool { return dead })
		for _, id := range enemies {
			p.check(moved[id] == 1, "enemy %d makes %d steps", id, moved[id])
		}
		p.end()
	})
	return p.frames(func(int) {})
}

// levelInGroup loads in a group for each level. A coroutine that is canceled does not come back from Await.
func levelInGroup(loop *frame.Loop) func() error {
	var p play
	level, tiles := 0, 0
	group := loop.NewGroup("none")
	enter := func(number int) {
		group.Cancel()
		group = loop.NewGroup("level")
		level, tiles = number, 0
		read := frameslice.Submit(loop, frameslice.Normal, after(20*ms, number))
		group.Go(frameslice.Normal, func(co *frameslice.Co) {
			tiles, _ = frameslice.Await(co, read)
		})
	}
	return p.frames(func(n int) {
		if n%2 == 1 && n < 8 {
			enter(n)
		}
		p.check(tiles == 0 || tiles == level, "level %d shows the tiles of level %d", level, tiles)
		if tiles == 7 {
			p.end()
		}
	})
}

// oneAtATime cancels the older request before the next Load, and a request that was canceled has no commit.
func oneAtATime(loop *frame.Loop) func() error {
	var p play
	wanted, shown := 0, 0
	faces := frameslice.NewLoader(loop, frameslice.LoadOptions{},
		func(_ context.Context, id int, _ *frameslice.Meter) (int, error) {
			time.Sleep(20 * ms)
			return id, nil
		})
	var request *frameslice.Request
	show := func(id int) {
		if request != nil {
			request.Cancel()
		}
		wanted = id
		request = faces.Load(context.Background(), id, func(face int, err error) {
			p.check(err == nil && face == wanted, "face %d comes for %d: %v", face, wanted, err)
			shown = face
		})
	}
	return p.frames(func(n int) {
		if n%2 == 1 && n < 8 {
			show(n)
		}
		if shown == 7 {
			p.end()
		}
	})
}

// paidOnce cancels an answer that is late, and asks again only if the answer cannot come any more.
func paidOnce(loop *frame.Loop) func() error {
	var p play
	gold, paid := 0, 0
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for attempt := 1; paid == 0; attempt++ {
			answer := frameslice.SubmitIO(loop, after(8*ms, 100))
			_, err := scheduler.AwaitTimeout(co, answer, 40*ms)
			if errors.Is(err, scheduler.ErrTimeout) && attempt < 3 {
				answer.Cancel() // has no effect if the server was asked already
			}
			if sum, err := frameslice.Await(co, answer); err == nil {
				gold += sum
				paid++
			}
		}
		p.check(gold == 100, "a reward of 100 pays %d", gold)
		p.end()
	})
	return p.frames(func(int) {})
}

// ownedSparks has each coroutine take its spark, and give the spark back in a deferred call, also if the scene is
// canceled.
func ownedSparks(loop *frame.Loop) func() error {
	var p play
	free := []int{1, 2, 3, 4}
	scene := loop.NewGroup("scene")
	for range 4 {
		scene.Go(frameslice.Normal, func(co *frameslice.Co) {
			spark := free[0]
			free = free[1:]
			defer func() { free = append(free, spark) }()
			co.Sleep(40 * ms)
		})
	}
	return p.frames(func(n int) {
		if n == 4 {
			scene.Cancel()
			loop.Go(frameslice.Normal, func(co *frameslice.Co) {
				_ = scene.Wait(co)
				slices.Sort(free)
				p.check(slices.Equal(free, []int{1, 2, 3, 4}), "the free sparks are %v", free)
				p.end()
			})
		}
	})
}

// lockedSave holds a semaphore over the two parts of a load, and for a save.
func lockedSave(loop *frame.Loop) func() error {
	var p play
	var state flow.Semaphore
	hero, world, saves := 1, 1, 0
	load := loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for game := 2; game < 5; game++ {
			state.Acquire(co)
			hero, _ = frameslice.IO(co, loop, after(5*ms, game))
			world, _ = frameslice.Background(co, loop, after(5*ms, game))
			state.Release()
			co.Sleep(20 * ms)
		}
	})
	timer := loop.Every(frameslice.Low, 60*ms, func() {
		loop.Go(frameslice.Low, func(co *frameslice.Co) {
			state.Acquire(co)
			defer state.Release()
			p.check(hero == world, "saved: the hero of game %d in the world of game %d", hero, world)
			saves++
		})
	})
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		_ = co.Wait(load)
		co.WaitUntil(func() bool { return saves >= 2 })
		timer.Cancel()
		p.end()
	})
	return p.frames(func(int) {})
}

// rememberedRetry remembers the key for a retry until the attempt under way has ended. Success takes the hint back.
func rememberedRetry(loop *frame.Loop) func() error {
	var p play
	attempts, loading, again, loaded := 0, false, false, false
	hint := loop.After(frameslice.Low, 100*ms, func() {
		p.check(!loaded, "the hint to press a key comes after the load")
	})
	var try func()
	try = func() {
		if loading {
			again = true
			return
		}
		loading, again = true, false
		attempts++
		loop.Go(frameslice.Normal, func(co *frameslice.Co) {
			loaded, _ = frameslice.IO(co, loop, after(10*ms, attempts > 1)) // the first attempt fails
			loading = false
			if loaded {
				hint.Cancel()
			} else if again {
				try()
			}
		})
	}
	try()
	return p.frames(func(n int) {
		if n == 2 || n == 6 {
			try()
		}
		if loaded && n > 12 {
			p.end()
		}
	})
}

// joinedSwap swaps the buffers only when the step has ended that writes to one of them.
func joinedSwap(loop *frame.Loop) func() error {
	var p play
	front, back := make([]atomic.Int64, 64), make([]atomic.Int64, 64)
	shown := int64(0)
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for shown < 10 {
			_, _ = frameslice.Background(co, loop, func(context.Context) (int, error) {
				time.Sleep(3 * ms)
				for i := range back {
					back[i].Store(shown + 1)
				}
				return 0, nil
			})
			front, back = back, front
			shown++
		}
		p.end()
	})
	return p.frames(func(n int) {
		var old atomic.Int64
		loop.ParallelFor(len(front), 16, func(lo, hi int) {
			for i := range front[lo:hi] {
				if front[lo+i].Load() != shown {
					old.Add(1)
				}
			}
		})
		p.check(old.Load() == 0, "frame %d shows %d old cells", n, old.Load())
	})
}

// waitsForTiles moves the camera on when all tiles in sight are there. What a View shows near is kept.
func waitsForTiles(loop *frame.Loop) func() error {
	var p play
	loader := frameslice.NewLoader(loop, frameslice.LoadOptions{},
		func(_ context.Context, x int, _ *frameslice.Meter) (int, error) {
			time.Sleep(3 * ms)
			return 10 * x, nil
		})
	tiles := frameslice.NewCache(loader, frameslice.CacheOptions[int, int]{Budget: 4})
	camera := tiles.View(context.Background())
	x := 0
	return p.frames(func(int) {
		camera.Show([]int{x, x + 1}, []int{x + 2})
		if camera.Progress().Fraction() < 1 {
			return // shows a loading screen
		}
		for _, at := range []int{x, x + 1} {
			tile, ok := tiles.Get(at)
			p.check(ok && tile == 10*at, "the map has a hole at %d", at)
		}
		if x++; x == 8 {
			p.end()
		}
	})
}
