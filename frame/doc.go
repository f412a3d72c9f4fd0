// Package frame gives every frame of a game loop a slice of time in which tasks run, and measures what
// became of the frame.
//
// # Usage
//
// An Ebitengine game:
//
//	loop := frame.New(frame.Options{})
//	defer loop.Close()
//	err := ebiten.RunGame(frame.Wrap[ebiten.FinalScreen, ebiten.GeoM](game, loop))
//
// An Update that returns an error closes the loop by itself, before Ebitengine has ended. Closing the window
// ends RunGame without such an error, after one more Update or none, so the deferred Close is needed: it cancels
// the tasks, unwinds the coroutines, waits for a slice that still runs in the shadow, and closes the pool.
//
// A loop of one's own, where something else waits for the display:
//
//	for !done {
//		loop.Begin()
//		update()
//		draw()
//		loop.Slice() // tasks, in what is left
//		loop.End()
//		window.SwapBuffers()
//	}
//
// A program without a display:
//
//	err := loop.Run(ctx, func() error { return world.Step() })
//
// Work is given to the loop from any goroutine: Post for a function, Go for a long one that stops in its
// middle, Pool().Go for what may leave the frame goroutine. Package load does both for what is loaded: it decodes
// on the pool and commits in the slice. Pressure tells a game when to lower its quality.
//
// What became of the frames is in the loop's Recorder: see package record. A report of the frames, the pool, the tasks
// and the runtime has the percentiles, the hitches and what they are to be judged by:
//
//	report := loop.Report("mine")
//	fmt.Print(report)
//	err := report.Save("out", "mine") // out/mine.txt, out/mine.json, ..., where there is a folder out
//
// Below the package clause doc.go goes on with the invariants, which have a letter and a number in comments and tests,
// and with what was rejected.
//
// # Anatomy of a frame
//
//	 Begin            Slice                     End                 next Begin
//	 |                |                         |                   |
//	 |  own work      |  slice                  |  host             |
//	 |  update, draw  |  tasks | jobs that fit  |  flush GPU  swap  |
//	 |----------------|=========================|-------------------|
//	 |<--------------------- interval ----------------------------->|
//	                   |<------ budget ------->|<----- reserve ---->|
//	                   now                     deadline
//
//	deadline = begin + interval - follows - reserve, from now at least the floor and at most the maximum
//
// Begin comes first: it numbers the frame, takes the time, looks for a gap, draws its lessons
// from the frame before, and opens the frame for the scheduler and the pool. What the frame itself has to
// do comes next. Slice runs tasks until the deadline or until none is left, then jobs of the pool that are
// predicted to fit, and then again the tasks that those have brought. End records the frame.
//
// Callbacks run at three phases of a frame (Once, Each): before the update in Begin, before the drawing
// where that is known (a wrapped game's Draw, or RunPhase), after the drawing at the start of Slice. They
// count as own work, run on the host's own goroutine and belong to Loop.Host; those that are registered with
// Loop.Scheduler under PlaceShadow run at the beginning of the slice in the shadow, whatever their phase.
//
//   - interval is given (Run, Budget.Interval) or the host's refresh period as measured from intervals of
//     frames whose slice was small: see period.go for why not from all of them. Options.Interval says what is
//     assumed before. In a browser's page frames are counted from the refreshes, whose times the browser tells.
//   - follows is what comes between the end of the slice and End, if anything: the loop measures it, and
//     takes a high quantile.
//   - reserve is for what cannot be measured, as it lies in one call with the waiting for the display. It
//     is controlled by its result: see reserve.go. Where the loop itself waits (Run, Options.Pace) it knows
//     when, and the reserve only pays for the last task's overrun. In a browser, where another process draws, the
//     reserve is at most 3 ms.
//   - The floor is granted however late the frame is, so tasks never starve. An overrun is paid back by the
//     next slices, each giving half of its budget at most; the debt is never more than an interval.
//
// # Placement
//
// By default Wrap decides where the slice lies, and without it the slice is in Slice (Options.Placement).
// PlaceAfterDraw drains inside Slice. PlaceShadow drains from Slice to the next Begin on a goroutine of its
// own, beside the host's flush and swap: no time has to be reserved for these by a guess, and the baton keeps
// tasks exclusive with the frame's own work (shadow.go has the protocol, its invariants and their proof). The slice
// ends when the next Begin asks for it, after the task that is running, which learns of it by
// Scheduler.ShouldYield. There is one slice per frame, also when the host updates 0, 2 or 5 times in it, and
// never one inside an update, because a host that is late updates more often, which would multiply the slice in
// the very frame that has no time for it.
//
// # The host's contract
//
//   - Begin, Slice, End in this order once per frame, from one goroutine at a time; which one, and on which
//     thread, is the host's business. Slice may be left out. Wrong order, a second goroutine in the middle,
//     and a call from a task panic with a message that says which (gate.go).
//   - The loop never locks a thread, unless Options.Thread says so, in Run. But tasks run on coroutines, also plain
//     functions and the phases' callbacks, and a coroutine that is resumed under another thread lock than it was made
//     under ends the program: "fatal error: coro: OS thread locking must match locking at coroutine creation". So a
//     frame goroutine that is locked when it first runs a task must stay locked, as often as then, and stay the frame
//     goroutine; one that is not locked then must not be later; and a callback from C, which counts as a lock (GLFW's,
//     when a window is resized or to be drawn again), must draw without the loop's calls, if the other frames are
//     outside of such a callback.
//   - A host that locks its goroutine once more in each frame, as a window of Gio does, cannot keep to that. Then the
//     frames go on a goroutine of their own, and the host's goroutine waits for its Begin, Slice and End each time: see
//     ExampleLoop_Begin_lockedHost in example_test.go. Or the slice goes into the shadow, which is never locked, if the
//     host draws all the time and nothing uses Loop.Host.
//   - A library that knows its goroutine by its number, as Fyne does, takes a task for a stranger, on whichever
//     goroutine the frames are. So the loop is best on a goroutine of its own (Run), and a task calls the library as
//     strangers do (fyne.DoAndWait, whose time is then the task's). With the frames on the library's own goroutine that
//     would wait for ever; there fyne.Do is right, which does not wait.
//   - A host that draws on demand asks Scheduler().DrawRequested after Begin, calls RunPhase(BeforeDraw) in the
//     frames that it draws, and Rest before it sleeps until Scheduler().Next or Wake. Its Placement is
//     PlaceAfterDraw: a slice in the shadow may still run when it asks.
//   - Close belongs to the frame goroutine, at any point of a frame, and to anyone when the frames are over.
//     Stop is for everyone else: a request that the frame goroutine honours in its next call. In a task, in
//     a job and during Run, Close is Stop.
//   - What suspended coroutines have deferred runs under the thread lock under which they began. Where the
//     frames were on a free goroutine and Close is on a locked one (Ebitengine's main), a free goroutine
//     does it while Close waits. Frames on a locked goroutine want their Close there too; Run with
//     Options.Thread sees to it.
//
// # Jumps
//
// Between End and the next Begin is what the host does. In Ebitengine that is much of a game's own work: what Draw asks
// for is only noted, and all uploads of pictures, all compiling of shaders and all drawing are done when Draw has
// returned, after End, together with the waiting for the display. There it is, too, that a window is dragged or hidden,
// a tab in the background, a program stopped by a debugger, and on Windows a machine asleep.
//
// Nothing tells the one from the other. So a gap (more than 250 ms, or 8 intervals) puts off all timers, as every
// timeout would have passed at once otherwise, but its frame is late like any other: the picture stood still. Only from
// five seconds on, or 160 intervals, it is a jump of the clock, nobody's frame, and stays out of the statistics. So
// does as long a time between Begin and End, which is a debugger's. Whatever says how many frames were missed also says
// how many jumps there were, and for how long. A test wants none: Options.JumpAfter -1. Who knows that the gaps are not
// the game's, as where its window is dragged on Windows, may set it to 250 ms.
//
// A host that is slow in every frame, or throttled to one frame a second, has a gap in each: from the fourth in a row
// on its timers go on, and frames of more than 750 ms are jumps, of a window that nobody sees.
//
// # Modal loops
//
// Loop.Nest lets a task, a callback or the host's own work drive frames in the middle of a frame: a message box that
// returns when it is clicked away, or when Closing says that the program is to end. It is Scheduler.Nest, which has
// the invariants (S32), with what belongs to a frame besides:
//
//   - N1. In f the gate is as between two frames (G1 and G3 hold), but nested counts as under way, so by G2 nothing
//     is closed beneath a task that runs. When f has ended, phase, busy and running are what they were.
//   - N2. Records stay in order (F7): the frame's ends where f begins, what is left of the frame is one of its own. No
//     interval reaches over the border, so a modal loop is neither a hitch nor a jump, teaches the host's period
//     nothing, and is no overrun of the slice that it began in.
//   - N3. The baton is at home when f begins, as only the host's side may call Nest, and when it has ended.
//
// # Tests in virtual time
//
// A loop that is made within a testing/synctest bubble goes by its time: an hour of frames takes a second, and what
// happens in it happens at exact times. That needs no options, and those of the game do: what would have time stand
// still, or means nothing there, gives way (Options.Wait, Thread and Pool, and workers.Options, say so).
// What computes takes no time there, so a slice ends when nothing is left to run; what is to take time sleeps. Call
// Close within the bubble. ExampleOptions_virtualTime, in example_virtual_test.go, is such a test.
//
// # Collections
//
// Go collects garbage when the heap has grown by so much, in the middle of a frame as likely as not, and has no bounded
// step of it. But most of a frame is waiting. With Options.IdleGC the loop begins each collection itself, right after a
// frame's own work, and the pool's background workers begin no jobs while it marks: see idle_gc.go.
//
// # Hangs
//
// A task runs on the frame goroutine, so one that waits for another task (<-t.Done(), where a coroutine has Wait), for
// the end of the loop, or for a job that waits for either, waits for ever, and the picture stands still. A watchdog
// reports a frame that has been under way for ten seconds, with what holds it and the stacks: to Options.OnStuck, or
// on standard error. See Options.Watchdog, and watchdog.go for how it works.
//
// # Costs
//
// An idle frame (Begin, Slice, End, no task) takes about a microsecond, four to six clock reads and the
// record included. BenchmarkIdleFrame measures it.
package frame

// What follows is for who changes the package, and not part of its documentation.
//
// # Invariants
//
//   - F1. One slice per frame, and none outside of a frame.
//   - F2. A slice starts no task after its deadline, but for its first one, which the scheduler grants whatever fits.
//   - F3. Every frame that asks for a slice gets at least half the floor.
//   - F4. Tasks never run beside the frame's own work.
//   - F5. No call of the loop blocks on the pool.
//   - F6. Begin, Slice and End allocate nothing.
//   - F7. One record per frame, in order. (A frame of Run has none whose function panics or calls Goexit, or out of
//     whose slice comes the panic of a task, with Rethrow.)
//   - F8. After Close no task runs, and process-wide settings are as New found them.
//
// # Protocols
//
// What goroutines share has numbered invariants where it is written, and a model that explores every interleaving, with
// mutants that must fail:
//
//	gate.go         G1-G3   who may call, and who closes  shadow_model_test.go, nest_model_test.go
//	shadow.go       B1-B6   the baton                     shadow_model_test.go
//	close.go        E1-E2   what ends, and who waits      close_model_test.go
//	nest.go         N1-N3   above                         nest_model_test.go
//	watchdog.go     K1-K4   frames that do not end        watchdog_model_test.go
//
// # Rejected
//
//   - Draining in Update: multiplied by the catch-up, and what follows is not in the deadline: 50 % of the
//     refreshes missed.
//   - Draining before Update: the same.
//   - A fixed reserve: 3, 5, 7 ms missed 50, 11, 2.4 % on one machine; another machine has another cliff.
//   - Measuring the flush by timing the swap: the call contains the wait.
//   - A goroutine that calls the host, or a callback per phase: the host calls us, so that it can also stop.
//   - Catching up with ticks that Run has missed: two frames in a row show one world.
//   - Locking or pinning the frame goroutine by default: no gain was measured, and in Ebitengine it
//     collides with the renderer's threads.
