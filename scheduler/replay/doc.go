// Package replay plays a load of tasks in virtual time, under a seed. It finds a fault that comes once in a thousand
// runs, and plays exactly that run again. A game is a function that posts what your game posts:
//
//	game := func(w *replay.World) {
//		w.Go("loader", func(sleep func(time.Duration)) { // another goroutine
//			for range 20 {
//				sleep(time.Duration(1+w.Rand().IntN(30)) * time.Millisecond)
//				w.Scheduler().Post(deadline.Normal, func() { w.Spend(2 * time.Millisecond) })
//			}
//		})
//		for range 60 {
//			w.Frame(func() { w.Spend(4 * time.Millisecond) }) // then comes the slice
//		}
//	}
//	late := replay.Search(replay.Options{}, 1000, game, func(r *replay.Run) bool { return r.Missed > 0 })
//	if late != nil {
//		fmt.Println(late.Seed, late) // the transcript
//	}
//
// Play with that seed gives the same transcript, also with a print statement in the game.
//
// The seed decides the order of producers at the same moment, and the results of World.Rand. The rest
// follows: the scheduler makes no random choices.
//
// A job of a pool is a producer here. If a coroutine awaits a job, submit a Task with a coroutine that sleeps as long,
// and wait for the Task (Co.Wait).
//
// # Limits
//
// Work takes only the time that it spends. So time.Now, other goroutines and contexts make runs differ. A producer must
// not block, except in sleep.
package replay

// The scheduler is the real one. It has an OnEvent, so it takes the paths that it takes with events.
//
// One thing runs at a time. Producers are coroutines, resumed by the goroutine that moves the clock: the game's, or
// that of the task that spends time. So a Post in the middle of a task comes when the task has spent part of its time.
//
// The clock moves only in Spend, also in Frame's wait for the next refresh. It stops at each moment that has a plan, in
// the order of time. Plans for one moment come in an order that is drawn when they are made. So a run is a function of
// the seed.
