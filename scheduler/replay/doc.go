// Package replay plays a load of tasks in virtual time, under a seed, as often as wanted. It finds what happens once in
// a thousand runs, and plays exactly that run again.
//
// A game is a function that posts what your game posts, from the frame goroutine and from others:
//
//	game := func(w *replay.World) {
//		w.Go("loader", func(p *replay.Producer) { // another goroutine
//			for range 20 {
//				p.Sleep(w.Between(1*time.Millisecond, 30*time.Millisecond))
//				w.Scheduler().Post(deadline.Normal, func() { w.Spend(2 * time.Millisecond) })
//			}
//		})
//		for range 60 {
//			w.Frame(func() { w.Spend(4 * time.Millisecond) }) // update and draw; then comes the slice
//		}
//	}
//	late := replay.Search(replay.Options{}, 1000, game, func(r *replay.Run) bool { return r.Missed > 0 })
//	if late != nil {
//		fmt.Println(late.Seed, late) // the transcript of the first seed that missed a frame
//	}
//
// Play with that seed gives the same transcript, event by event: now with a print statement in the game, or with a
// change that is to cure it.
//
// # The seed
//
// The seed decides the order of several producers at the same moment, and all that the game draws by
// World.Between and World.Rand. The rest follows: the scheduler makes no random choices.
//
// A job of a pool is a producer here. If a coroutine awaits the job's result, submit a Task with a coroutine that
// sleeps for as long as the job takes, and wait for the Task (Co.Wait).
//
// # Limits
//
// Work takes only the time that it spends: real time plays no part. So time.Now, goroutines of the game's own and
// contexts make runs differ. A producer must not block, except in Sleep.
package replay

// The scheduler is the real one. It has an OnEvent, so it takes the paths that it takes with events.
//
// One thing runs at a time. Producers are coroutines, resumed by the goroutine that moves the clock: the game's, or
// that of the task that spends time. So a Post in the middle of a task comes when the task has spent part of its time.
//
// The clock moves only in Spend, also in Frame's wait for the next refresh. It stops at each moment for which
// something is planned, in the order of time, and at one moment in an order that is drawn when the plan is made. So a
// run is a function of the seed.
