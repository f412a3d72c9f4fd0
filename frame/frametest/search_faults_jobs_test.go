package frametest_test

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
)

// after returns a function for jobs and downloads that takes d, does not look at its context, and returns v.
func after[T any](d time.Duration, v T) func(context.Context) (T, error) {
	return func(context.Context) (T, error) {
		time.Sleep(d)
		return v, nil
	}
}

// levelBefore shows whatever tiles come, and does not ask whether the player is still in their level.
func levelBefore(loop *frame.Loop) func() error {
	var p play
	level, tiles, loading := 0, 0, 0
	enter := func(number int) {
		level = number
		loading++
		read := frameslice.Submit(loop, frameslice.Normal, after(3*ms, number))
		loop.Go(frameslice.Normal, func(co *frameslice.Co) {
			tiles, _ = frameslice.Await(co, read)
			loading--
		})
	}
	return p.frames(func(n int) {
		switch n {
		case 1:
			enter(1)
		case 3:
			enter(2)
		}
		if n > 3 && loading == 0 {
			p.check(tiles == level, "level %d shows the tiles of level %d", level, tiles)
			p.end()
		}
	})
}

// futuresInOrder awaits the later of two futures and takes the earlier one for ended.
func futuresInOrder(loop *frame.Loop) func() error {
	var p play
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		tiles := frameslice.Submit(loop, frameslice.Normal, after(3*ms, "tiles"))
		co.NextFrame()
		music := frameslice.Submit(loop, frameslice.Normal, after(12*ms, "music"))
		_, _ = frameslice.Await(co, music)
		_, err := tiles.Result() // panics if there is none
		p.check(err == nil, "the level begins without tiles: %v", err)
		p.end()
	})
	return p.frames(func(int) {})
}

// titleTooShort shows the title for 40 ms, as if the hero were loaded by then.
func titleTooShort(loop *frame.Loop) func() error {
	var p play
	hero := ""
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		hero, _ = frameslice.Background(co, loop, after(5*ms, "hero.png"))
	})
	loop.After(frameslice.Normal, 40*ms, func() {
		p.check(hero != "", "the game begins without a hero")
		p.end()
	})
	return p.frames(func(int) {})
}

// countedTwice takes a slow download off the count when it is given up, and again when the download ends.
func countedTwice(loop *frame.Loop) func() error {
	var p play
	pending, ended := 3, 0
	for range 3 {
		download := frameslice.SubmitIO(loop, after(5*ms, "map"))
		download.Notify(func() {
			loop.Post(frameslice.Normal, func() {
				pending--
				ended++
			})
		})
		loop.Go(frameslice.Low, func(co *frameslice.Co) {
			if _, err := scheduler.AwaitTimeout(co, download, 30*ms); err != nil {
				pending--
			}
		})
	}
	return p.frames(func(int) {
		p.check(pending >= 0, "%d downloads are pending", pending)
		if ended == 3 {
			p.end()
		}
	})
}

// lateWriter gives the canvas of the menu to the level, while a job of the menu may still paint. The job does not look
// at its context.
func lateWriter(loop *frame.Loop) func() error {
	const byMenu, byLevel = 1, 2
	var p play
	var canvas atomic.Int32
	menu := loop.NewGroup("menu")
	menu.Go(frameslice.Normal, func(co *frameslice.Co) {
		_, _ = frameslice.Background(co, loop, func(context.Context) (int, error) {
			time.Sleep(20 * ms)
			canvas.Store(byMenu)
			return 0, nil
		})
	})
	return p.frames(func(n int) {
		switch {
		case n == 3: // the player begins the level
			menu.Cancel()
			canvas.Store(byLevel)
		case n > 3:
			p.check(canvas.Load() == byLevel, "the level shows the picture of the menu")
		}
		if n == 30 {
			p.end()
		}
	})
}

// paidTwice asks again when the answer is late, and takes both answers.
func paidTwice(loop *frame.Loop) func() error {
	var p play
	gold, open, sure := 0, 0, false
	ask := func() *frameslice.Future[int] {
		open++
		answer := frameslice.SubmitIO(loop, after(8*ms, 100))
		answer.Notify(func() {
			loop.Post(frameslice.Normal, func() {
				gold += 100
				open--
			})
		})
		return answer
	}
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		if _, err := scheduler.AwaitTimeout(co, ask(), 30*ms); err != nil {
			ask()
		}
		sure = true
	})
	return p.frames(func(int) {
		if sure && open == 0 {
			p.check(gold == 100, "a reward of 100 pays %d", gold)
			p.end()
		}
	})
}

// ignoredRetry ignores the key for a retry as long as the failed attempt has not ended, and then nobody tries again.
func ignoredRetry(loop *frame.Loop) func() error {
	var p play
	attempts, loading, loaded := 0, false, false
	try := func() {
		if loading {
			return
		}
		loading = true
		attempts++
		loop.Go(frameslice.Normal, func(co *frameslice.Co) {
			ok, _ := frameslice.IO(co, loop, after(10*ms, attempts > 1)) // the first attempt fails
			loading, loaded = false, ok
		})
	}
	try()
	loop.Each(frameslice.BeforeUpdate, func() {
		if loop.Frame() == 4 {
			try() // the player presses the key once
		}
	})
	return p.frames(func(n int) {
		p.check(n < 200, "the retry is lost")
		if loaded {
			p.end()
		}
	})
}

// sharedCancel has two places share a download. The one that leaves cancels the download, and the other one takes the
// error for a cancel of its own and gives up.
func sharedCancel(loop *frame.Loop) func() error {
	var p play
	fetch := func() *frameslice.Future[string] {
		return frameslice.SubmitIO(loop, func(ctx context.Context) (string, error) {
			select {
			case <-ctx.Done():
				return "", context.Cause(ctx)
			case <-time.After(6 * ms):
				return "sword.png", nil
			}
		})
	}
	shared := fetch()
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		picture, err := frameslice.Await(co, shared)
		for err != nil && !errors.Is(err, context.Canceled) {
			picture, err = frameslice.Await(co, fetch())
		}
		p.check(picture != "", "the inventory has no picture: %v", err)
		p.end()
	})
	return p.frames(func(n int) {
		if n == 3 { // the tooltip closes
			shared.Cancel()
		}
	})
}

// overcast checks the mana, awaits the aim and then takes the mana without another look.
func overcast(loop *frame.Loop) func() error {
	var p play
	mana, casting := 100, 0
	cast := func() {
		if mana < 60 {
			return
		}
		casting++
		loop.Go(frameslice.Normal, func(co *frameslice.Co) {
			_, _ = frameslice.Background(co, loop, after(3*ms, "target"))
			mana -= 60
			casting--
		})
	}
	return p.frames(func(n int) {
		if n == 2 || n == 4 {
			cast()
		}
		p.check(mana >= 0, "the mana is %d", mana)
		if n > 4 && casting == 0 {
			p.end()
		}
	})
}

// mixedSave saves on a timer, also between the two parts of a load.
func mixedSave(loop *frame.Loop) func() error {
	var p play
	hero, world, saves, loaded := 1, 1, 0, false
	loop.Every(frameslice.Low, 60*ms, func() {
		p.check(hero == world, "saved: the hero of game %d in the world of game %d", hero, world)
		saves++
	})
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		hero, _ = frameslice.IO(co, loop, after(5*ms, 2))
		world, _ = frameslice.IO(co, loop, after(5*ms, 2))
		loaded = true
	})
	return p.frames(func(int) {
		if loaded && saves >= 2 {
			p.end()
		}
	})
}

// backwardProgress has each job report how many were started with it, as if jobs ended in the order of their start.
func backwardProgress(loop *frame.Loop) func() error {
	var p play
	started, ended, shown := 0, 0, 0
	build := func() {
		started++
		number := started
		loop.Pool().Go(frameslice.Normal, func() {
			time.Sleep(3 * ms)
			loop.Post(frameslice.Low, func() {
				p.check(number > shown, "the progress goes from %d to %d of 4", shown, number)
				shown = number
				ended++
			})
		})
	}
	return p.frames(func(n int) {
		if n%2 == 1 && started < 4 {
			build()
		}
		if ended == 4 {
			p.end()
		}
	})
}

// oldPrice stores each answer of the server, and does not ask whether a newer one is stored already.
func oldPrice(loop *frame.Loop) func() error {
	var p play
	prices := map[string]int{}
	asked, answered := 0, 0
	var refresh *frameslice.Task
	refresh = loop.Every(frameslice.Normal, 35*ms, func() {
		asked++
		answer := frameslice.SubmitIO(loop, after(4*ms, asked))
		answer.Notify(func() {
			loop.Post(frameslice.Normal, func() {
				prices["sword"], _ = answer.Result()
				answered++
			})
		})
		if asked == 4 {
			refresh.Cancel()
		}
	})
	return p.frames(func(int) {
		if answered == 4 {
			p.check(prices["sword"] == 4, "the shop has price %d of 4", prices["sword"])
			p.end()
		}
	})
}

// earlySwap swaps the buffers in each frame, as if the step of the frame before had ended.
func earlySwap(loop *frame.Loop) func() error {
	var p play
	front, back := make([]atomic.Int64, 64), make([]atomic.Int64, 64)
	return p.frames(func(n int) {
		if n > 1 {
			front, back = back, front
			var old atomic.Int64
			loop.ParallelFor(len(front), 16, func(lo, hi int) {
				for i := range front[lo:hi] {
					if front[lo+i].Load() != int64(n-1) {
						old.Add(1)
					}
				}
			})
			p.check(old.Load() == 0, "frame %d shows %d old cells", n, old.Load())
		}
		if n == 20 {
			p.end()
			return
		}
		target := back
		frameslice.Submit(loop, frameslice.UserBlocking, func(context.Context) (int, error) {
			time.Sleep(3 * ms)
			for i := range target {
				target[i].Store(int64(n))
			}
			return 0, nil
		})
	})
}
