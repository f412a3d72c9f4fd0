// Package replay plays a load of tasks in virtual time, under a seed, as often as wanted: to find what happens
// once in a thousand runs, and to look at it again.
//
// # Usage
//
// A game is a function that posts what the game posts, from the frame goroutine and from others:
//
//	game := func(w *replay.World) {
//		w.Go("loader", func(p *replay.Producer) {           // another goroutine
//			for range 20 {
//				p.Sleep(p.Between(1*time.Millisecond, 30*time.Millisecond))
//				w.Scheduler().Post(deadline.Normal, func() { w.Spend(2 * time.Millisecond) })
//			}
//		})
//		for range 60 {
//			w.Frame(func() { w.Spend(4 * time.Millisecond) })   // Update and Draw; then comes the slice
//		}
//	}
//	late := replay.Search(replay.Options{}, 1000, game, func(r *replay.Run) bool { return r.Missed > 0 })
//	if late != nil {
//		fmt.Println(late.Seed, late)                        // the transcript of the first seed that missed a frame
//	}
//
// Play with that seed gives the same transcript, event by event: now with a print statement, or a change that is
// to cure it, in the game.
//
// # What the seed decides
//
// All that the scheduler leaves open, and what the game asks for:
//
//   - The order of what several goroutines do at the same moment, and so the order of reading among producers.
//   - How much later than asked a producer's Sleep ends (Options.Jitter), and so where its posts fall: between
//     two tasks, into a task, before or after another producer's.
//   - What is drawn: World.Between and World.Rand, and what Options.Cost makes of that.
//
// Whatever else the scheduler does follows from these; it has no choices of its own. (A test plays a thousand
// seeds twice.) The order that the scheduler promises does not depend on the seed.
//
// # How
//
// R1. One thing runs at a time. Producers are coroutines, resumed by whoever moves the clock: the game's
// goroutine, or the task that runs in its stead and spends time. So a Post in the middle of a task is one at
// which the task has spent part of its time, and a real race is not needed to play it. Therefore a
// producer must not block but in Sleep: nobody would go on.
//
// R2. The clock moves only in Spend, and in Frame's wait for the next refresh, which is one. It stops at each
// moment for which something is planned, in the order of time, and at one moment in an order that is drawn
// when the plan is made. So nothing happens late but by Jitter, and a run is a function of the seed.
//
// R3. Real time plays no part: what the game computes costs nothing but what it spends. time.Now, goroutines of the
// game's own, and contexts are outside of this, and make runs differ: whoever awaits a context is told by a goroutine
// of that. (AwaitTimeout goes by the clock of the scheduler.)
//
// The scheduler is the real one. It has an OnEvent, so it takes the ways that it takes with events, which the model
// tests of package scheduler hold to the same reference as those without.
package replay
