// Package ticks gives the results of background work to a simulation at fixed ticks, so that it computes the same on
// every machine. It is for lockstep and rollback games, replays, and tests that compare runs.
//
// A path that is searched beside the game arrives when it is ready: early on a fast machine, late on a slow one. Two
// players then see two games. Here a result arrives in the tick that the program has named, whatever the number of
// workers. A result that is ready before its tick is held. A result that is not ready is waited for, and counted.
//
//	clock := ticks.New(loop.Pool(), 0)
//	paths := ticks.NewKind(clock, "path", 4, world.findPath, world.setPath) // four ticks after Submit
//
//	// each tick of the simulation, on the frame goroutine:
//	clock.Begin()                     // calls setPath for what was submitted four ticks ago
//	world.step(inputs)                // calls paths.Submit(request{unit, from, to})
//	clock.Mix(world.hash())           // the checksum that the players compare
//
// # What is the same everywhere
//
// Results arrive in the order of their Submits, in the tick of the Submit plus the kind's delay. This holds if the
// program keeps three rules, because package ticks can check none of them:
//
//   - The function of a kind is pure. Its result depends on its argument, and on nothing that changes: no clock, no
//     random source of its own, no variable that a tick writes.
//   - A tick submits the same, in the same order. Iterating over a map breaks this rule.
//   - Ticks count the simulation, not the frames. A speed of a Group, pauses and late frames change how many ticks a
//     frame has, and nothing within a tick.
//
// # Rollback
//
// Rewind goes back to an earlier tick when a player's real input has come. The program restores its state and
// simulates these ticks again. Results of work that was submitted before the earlier tick arrive again, from memory.
// Work that a repeated tick submits with the same argument takes the result that was computed the first time. Other
// work is computed as usual. If its tick comes within the same frame, Begin computes it at once.
package ticks
