// Package frame gives every frame of a game loop a slice of time in which tasks run, and measures the frames.
//
// An Ebitengine game:
//
//	loop := frame.New(frame.Options{})
//	defer loop.Close()
//	err := ebiten.RunGame(frame.Wrap[ebiten.FinalScreen, ebiten.GeoM](game, loop))
//
// A host with a loop of its own, which itself waits for the display:
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
// Without a display:
//
//	err := loop.Run(ctx, func() error { return world.Step() })
//
// Any goroutine gives work to the loop: Post for a function, Go for a long function that stops in its middle, Pool().Go
// for a job off the frame goroutine. Package load decodes files on the pool and commits them in the slice. Package
// record has the Recorder, with all frames, and the Report:
//
//	err := loop.Report("mine").Save("out", "mine") // out/mine.txt, out/mine.json, ..., if there is a folder out
//
// # A frame
//
//	Begin            Slice                     End                 next Begin
//	|                |                         |                   |
//	|  own work      |  slice                  |  host             |
//	|  update, draw  |  tasks | jobs that fit  |  flush GPU  swap  |
//	|----------------|=========================|-------------------|
//	|<--------------------- interval ----------------------------->|
//	                  |<------ budget ------->|<----- reserve ---->|
//
// Slice runs tasks until its deadline, or until none is left, and then jobs of the pool that fit. Beside workers these
// are jobs of a kind that is never long: see workers.Pool.RunUntil. End records the
// frame. Callbacks run at three phases: see RunPhase.
//
// The interval is given, or the display's period as measured. The reserve is for what the host does after the slice:
// the loop raises it when frames are late, else lowers it. A late frame still gets half a millisecond. A task that runs
// too long makes the next slices shorter.
//
// Placement says whether the tasks run in Slice, or beside the host's flush and swap. With PlaceFirst Slice comes
// before the own work, so that input is read late. There is one slice per frame, however often the host updates.
//
// # The host's contract
//
//   - Call Begin, Slice and End in this order, once per frame, from one goroutine at a time, outside tasks. Other calls
//     panic.
//   - Keep the frame goroutine locked to its thread, or free, as it is at its first task. Otherwise the runtime ends
//     the program: "coro: OS thread locking must match". A callback from C counts as one more lock, so call Stop there,
//     and Close later. For a host that locks in each frame (Gio) see ExampleLoop_Begin_lockedHost.
//   - Use fyne.Do, or the like, in a task if the library knows its goroutine by number. fyne.DoAndWait works only with
//     frames on a goroutine of their own (Run).
//   - To draw on demand, ask Scheduler().DrawRequested after Begin, call RunPhase(BeforeDraw) in frames that draw, and
//     Rest before sleeping until Scheduler().Next or Wake. Draw the first frame. Use PlaceAfterDraw or PlaceFirst.
//   - Call Close on the frame goroutine, or after the frames. While frames continue, others call Stop.
//
// # Jumps
//
// A dragged window, a hidden tab, a debugger and a sleeping machine look alike: a gap between two frames. A gap of more
// than 250 ms, or 8 intervals, puts off all timers, but the frame counts as late. A gap of more than 5 s, or 160
// intervals, is a jump of the clock: only Stats.Jumps and JumpTime count it. If a host is slow in every frame, timers
// continue.
//
// # Tests in virtual time
//
// A loop made in a testing/synctest bubble goes by the bubble's time: an hour of frames takes a second. Computing takes
// no time there; a task may sleep. Call Close in the bubble. See ExampleOptions_virtualTime.
//
// # Hangs
//
// A task that waits for another task, for the end of the loop, or for a job that waits for either, stops the picture
// for good. After ten seconds a watchdog reports it: see Options.OnStuck.
//
// # Costs
//
// A frame without tasks takes about a microsecond and allocates nothing.
package frame

// The parts of a Loop have methods of their own and know no Loop, so each works without one (see parts_test.go). A
// part gets what it needs of another one as an argument, or as a pointer or function that New sets. Only a wrapped game
// and a Section know their Loop.
//
//	tempo     tempo.go      when frames come: the interval in force; has the pacer (pacer.go)
//	gaps      gap.go        times between frames that are too long
//	budget    budget.go     when the slice ends; has the reserves, the baseline and the doses
//	tasks     tasks.go      the schedulers: of the slice, and of the host's goroutine
//	jobs      jobs.go       jobs of the pool in the slice
//	gate      gate.go       who may call
//	home      home.go       the place of the frames' goroutine
//	ending    ending.go     who closes what, and who waits for it
//	choice    placement.go  the choice of the placement
//	sections, systemShare, contention, pressure, watchdog, idleGC: in files of these names, or system.go
//
// Invariants:
//
//   - F1. One slice per frame, and none outside of a frame.
//   - F2. A slice starts no task after its deadline, except its first one, which the scheduler starts whether it fits
//     or not.
//   - F3. Every frame that asks for a slice gets at least half the floor, and every other one of those that are over
//     before their slice begins. If frames are late without any work, the work that waits gets its share of the time.
//     The first frame with PlaceFirst gets none.
//   - F4. Tasks never run beside the frame's own work.
//   - F5. No call of the loop blocks on the pool.
//   - F6. Begin, Slice and End allocate nothing.
//   - F7. One record per frame, in order. A frame of Run has none if its function panics or calls Goexit, or if a task
//     panics with Rethrow.
//   - F8. After Close no task runs, and process-wide settings are as New found them.
//
// The budget:
//
//	deadline = begin + interval - follows - reserve, from now at least the floor and at most the maximum
//
// follows is what comes between the end of the slice and End: the loop measures it, and takes a high quantile. With
// PlaceFirst that is all the own work, and the first frame, of which nothing is known, has no slice. The
// reserve is controlled: see reserve.go. Where the loop itself waits (Run, Options.Pace), the reserve only pays for the
// last task's overrun. In a browser, where another process draws, it is at most 3 ms.
//
// If frames are late without any work, the deadline is another one, because a smaller slice would help nobody:
//
//	deadline = now + dose + the greater of share and fit    where a display, or the loop, holds the frames up
//	deadline = now + share, or more                         where nothing does
//
// The share is an eighth of the time that passes: see baseline.go. fit is the deadline above, from now. The dose is
// learned from what longer slices have cost: see dose.go. In the shadow there is no dose, and the next Begin waits
// until the slice has had its share. All cases stand at the type budget, in budget.go.
//
// Protocols have numbered invariants where they are written, and programs of the explorer, or a test:
//
//	gate.go         F11-F13  who may call, and who closes  gate_explore_test.go, stage_test.go
//	shadow.go       F21-F26  the baton                     shadow_explore_test.go
//	ending.go       F31-F32  what ends, and who waits      close_explore_test.go
//	watchdog.go     F51-F54  frames that do not end        watchdog_explore_test.go
//	placement.go    F61      the choice of the placement   placement_test.go
//
// Rejected:
//
//   - Draining in Update, or before it: the host's catch-up multiplies the slice. Half of the refreshes were missed.
//   - A fixed reserve: 3, 5, 7 ms missed 50, 11, 2.4 % on one machine; another machine has another cliff.
//   - Measuring the flush by timing the swap: the call contains the wait.
//   - A goroutine that calls the host, or a callback per phase: the host calls the loop, so that it can also stop.
//   - Catching up with ticks that Run has missed: two frames in a row show one world.
//   - Locking or pinning the frame goroutine by default: no gain was measured, and in Ebitengine it collides with the
//     renderer's threads.
