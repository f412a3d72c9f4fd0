package frametest_test

import (
	"context"
	"slices"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// wholeWave takes for granted that all functions run in the frame in which they were posted.
func wholeWave(loop *frame.Loop) func() error {
	var p play
	enemies := 0
	return p.frames(func(n int) {
		switch n {
		case 1:
			for range 8 {
				loop.Post(frameslice.Normal, func() { enemies++ })
			}
		case 2:
			p.check(enemies == 8, "the wave begins with %d of 8 enemies", enemies)
			p.end()
		}
	})
}

// cameraLags takes for granted that the older coroutine is the first one to continue after NextFrame.
func cameraLags(loop *frame.Loop) func() error {
	var p play
	player, camera := 0, 0
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for range 20 {
			player++
			co.NextFrame()
		}
	})
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for range 20 {
			camera = player
			co.NextFrame()
		}
		p.end()
	})
	return p.frames(func(int) {
		p.check(camera == player, "the camera is at %d, the player at %d", camera, player)
	})
}

// staleList ranges over a list across Yields, while a shot deletes from the list.
func staleList(loop *frame.Loop) func() error {
	var p play
	enemies := []int{1, 2, 3, 4, 5, 6}
	var moved [7]int
	dead := false
	loop.After(frameslice.UserBlocking, 10*ms, func() {
		enemies = slices.Delete(enemies, 0, 1)
		dead = true
	})
	walk := loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for _, id := range enemies { // Delete moves the others forward, and leaves a zero at the end
			moved[id]++
			co.Yield()
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

// lostSave cancels the save at the end of the scene, as if the save must have run by then. Flush would be right.
func lostSave(loop *frame.Loop) func() error {
	var p play
	animate(loop)
	edits, saved := 0, 0
	save := flow.NewDebounce(loop.Scheduler(), frameslice.Normal, 40*ms, func() { saved = edits })
	return p.frames(func(n int) {
		switch {
		case n <= 3:
			edits++
			save.Call()
		case n == 7: // the last edit was 67 ms ago
			save.Cancel()
		case n == 9:
			p.check(saved == edits, "%d edits, but %d are saved", edits, saved)
			p.end()
		}
	})
}

// earlyUndo takes back the last edit that has run, and that need not be the last one that the player made.
func earlyUndo(loop *frame.Loop) func() error {
	var p play
	animate(loop)
	text, ran := "", 0
	key := func(s string) {
		loop.Post(frameslice.Low, func() {
			text += s
			ran++
		})
	}
	return p.frames(func(n int) {
		switch n {
		case 1:
			key("a")
		case 3:
			key("b")
		case 4:
			loop.Post(frameslice.UserBlocking, func() {
				text = text[:max(len(text)-1, 0)]
				ran++
			})
		}
		if ran == 3 {
			p.check(text == "a", "after a, b and undo the text is %q", text)
			p.end()
		}
	})
}

// sharedPause pauses one group for two reasons. The end of the download resumes the level under the menu.
func sharedPause(loop *frame.Loop) func() error {
	var p play
	menu := false
	level := loop.NewGroup("level")
	level.Go(frameslice.Normal, func(co *frameslice.Co) {
		for {
			p.check(!menu, "the enemies walk behind the menu")
			co.NextFrame()
		}
	})
	return p.frames(func(n int) {
		switch n {
		case 2: // the level stands still until its next part is there
			level.Pause()
			loop.Go(frameslice.Normal, func(co *frameslice.Co) {
				_, _ = frameslice.IO(co, loop, func(context.Context) (int, error) {
					time.Sleep(12 * ms)
					return 0, nil
				})
				level.Resume()
			})
		case 5:
			menu = true
			level.Pause()
		case 15:
			menu = false
			level.Resume()
		case 20:
			p.end()
		}
	})
}

// earlyClose has the producer that was started last close the queue, as if it were also the last to end.
func earlyClose(loop *frame.Loop) func() error {
	var p play
	var queue []int
	closed, taken := false, 0
	for id := range 3 {
		loop.Go(frameslice.Normal, func(co *frameslice.Co) {
			for range 4 {
				co.NextFrame()
				queue = append(queue, id)
			}
			if id == 2 {
				closed = true
			}
		})
	}
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		for !closed || len(queue) > 0 {
			co.WaitUntil(func() bool { return closed || len(queue) > 0 })
			taken += len(queue)
			queue = queue[:0]
		}
		p.check(taken == 12, "the queue ends after %d of 12 crates", taken)
		p.end()
	})
	return p.frames(func(int) {})
}

// doubleSparks gives a spark back before the spark leaves the list of those alive, by a task of its own. The end of the
// scene gives back what is in the list.
func doubleSparks(loop *frame.Loop) func() error {
	var p play
	alive, free := []int{1, 2, 3, 4}, []int(nil)
	burnt := 0
	for _, id := range alive {
		loop.Go(frameslice.Normal, func(co *frameslice.Co) {
			co.Sleep(40 * ms)
			free = append(free, id)
			burnt++
			loop.Post(frameslice.Low, func() {
				alive = slices.DeleteFunc(alive, func(other int) bool { return other == id })
			})
		})
	}
	return p.frames(func(n int) {
		if n == 6 { // the scene ends
			free = append(free, alive...)
			alive = nil
		}
		if n > 6 && burnt == 4 {
			p.check(len(free) == 4, "%d sparks are free, but there are 4", len(free))
			p.end()
		}
	})
}

// deadShooter gives the shot to the loop and not to the enemy's group, so the shot outlives the enemy.
func deadShooter(loop *frame.Loop) func() error {
	var p play
	animate(loop)
	enemy := loop.NewGroup("enemy")
	alive := true
	for range 2 {
		enemy.Go(frameslice.Normal, func(co *frameslice.Co) {
			co.Sleep(30 * ms) // aims
			loop.After(frameslice.Low, 20*ms, func() {
				p.check(alive, "a dead enemy shoots")
			})
		})
	}
	return p.frames(func(n int) {
		switch n {
		case 6:
			enemy.Cancel()
			alive = false
		case 12:
			p.end()
		}
	})
}
