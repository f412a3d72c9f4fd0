// Package frameslice keeps a game's picture smooth while its work gets done. It is the front door: what most programs
// need, with one import. All of it comes from the packages below, and mixes freely with them.
//
// A game written with Ebitengine (package frame/ebitenhost):
//
//	loop := frameslice.New(frameslice.Balanced)
//	pictures := frameslice.NewLoader(loop, frameslice.LoadOptions{}, decode) // on the workers, beside the frames
//	for _, name := range names {
//		pictures.Load(ctx, name, func(img image.Image, err error) { // in the time that a frame has left
//			game.add(name, img, err)
//		})
//	}
//	err := ebitenhost.Run(game, loop, ebitenhost.Options{})
//
// A program with a loop of its own, such as one with raylib or SDL, in which something else waits for the display (for
// Gio and Fyne see docs/hosts.md):
//
//	for !done {
//		loop.Begin()
//		update()
//		draw()
//		loop.Slice() // tasks, in the time that is left
//		loop.End()
//		window.SwapBuffers()
//	}
//
// Without a display, 60 times a second:
//
//	err := loop.Run(ctx, func() error { return world.Step() })
//
// # Where work goes
//
// The host calls Begin, Slice and End on the frame goroutine. A task is work that must run on this goroutine. Tasks run
// in the slice, most urgent first:
//
//	loop.Post(frameslice.Normal, f)                       // once
//	loop.After(frameslice.Low, time.Second, f)            // once, later
//	loop.Every(frameslice.Low, time.Second, f)            // again and again
//	loop.Each(frameslice.BeforeDraw, f)                   // in each frame
//	loop.Go(frameslice.Normal, func(co *frameslice.Co) {  // straight-line code over many frames
//		for _, room := range rooms {
//			build(room)
//			co.Yield() // lets more urgent work run, and the frame if its time is over
//		}
//		co.Sleep(time.Second)
//	})
//
// A job is work that can leave the frame goroutine. Jobs run on the workers of the pool:
//
//	path := frameslice.Submit(loop, frameslice.Normal, func(ctx context.Context) (Path, error) {
//		return find(ctx, from, to)
//	})
//	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
//		p, err := frameslice.Await(co, path) // frames continue meanwhile
//	})
//	loop.ParallelFor(len(boids), 0, func(lo, hi int) { move(boids[lo:hi]) }) // the frame's own work, shared
//
// The tasks of a scene belong to a Group, which cancels them together:
//
//	level := loop.NewGroup("level 1")
//	level.Go(frameslice.Normal, enemies)
//	level.Cancel()
//
// # Presets
//
// A preset is chosen by one word. Balanced is for most games. MaxThroughput is for games with more work than fits
// beside the frame. Testing is for tests in virtual time (frametest.Search plays a game in many orders). For one more
// setting:
//
//	o := frameslice.MaxThroughput.Options()
//	o.Interval = time.Second / 120
//	loop := frameslice.NewWith(o)
//
// # Frame times
//
//	fmt.Print(loop.Report("mine"))                // frame times, missed frames, and where the time went
//	err := loop.Report("mine").Save("out", "mine") // text, JSON, CSV and more
//
// # The methods
//
// Each line is a method of an alias. The reference of a type is in its package.
//
// Loop (package frame): tasks and jobs, from any goroutine
//
//	Post(priority, f)              queues a function
//	After(priority, d, f)          queues it once d is over
//	Every(priority, period, f)     runs it again and again
//	Each(phase, f)                 runs it in each frame, at a phase
//	Go(priority, f)                starts a coroutine
//	NewGroup(label)                makes a group of tasks
//	ParallelFor(n, grain, body)    shares the numbers below n among the workers and the caller
//	Scheduler()                    has the further verbs of tasks
//	Host()                         is the scheduler of the host's goroutine, with PlaceShadow another one
//	Pool()                         has the further verbs of jobs
//
// Loop: a frame, on the frame goroutine
//
//	Run(ctx, f)                    keeps the time itself, and calls f in each frame
//	Begin()                        begins a frame
//	Step(d)                        counts an update by d
//	RunPhase(phase)                runs the callbacks of a phase where the host has more of them
//	Slice()                        runs tasks in what the frame has left
//	End()                          ends a frame
//	Rest()                         says that the time up to the next Begin is no late frame
//	Mark(flags)                    marks the frame, as Loading
//	Section(name)                  names a part of own work, up to Section.End
//	Input(at)                      tells the time of the input that the frame shows
//	SetInterval(d)                 changes Options.Interval
//
// Loop: what it knows, and its end, from any goroutine except Report, Stats and Frame
//
//	Report(name)                   sums up the frame times
//	Recorder()                     has the records
//	Presented(frame, at)           tells when the display showed a frame
//	Stats()                        counts, and says why slices are short
//	Frame()                        is the frame's number
//	Placement()                    is where the slice lies
//	Pressure()                     says how much quality to take back
//	Stuck(d)                       tells what a frame hangs in that takes longer than d
//	Stop()                         asks the frame goroutine to close the loop
//	Close()                        ends tasks and jobs
//	Closing()                      reports whether Stop or Close was called
//	Done()                         is closed at the end of Close
//
// Co (package scheduler), in its coroutine
//
//	Yield()                        lets more urgent work run, and the frame if its time is over
//	ShouldYield()                  reports whether Yield would do so
//	NextFrame()                    continues in the next frame
//	AfterDraw()                    continues when a frame has been drawn
//	Sleep(d)                       continues after d
//	Wait(task)                     waits for another task
//	WaitUntil(f)                   waits until f is true, and looks once a frame
//	Priority()                     is its own priority
//
// Task and Handle (package scheduler); a Handle has neither Done, Err nor Missed
//
//	Cancel()                       ends it, and unwinds a coroutine
//	SetPriority(priority)          changes its priority
//	State()                        says whether it waits, runs or has ended
//	Why()                          says why it has not run, on the frame goroutine
//	Done()                         is closed at its end
//	Err()                          is its outcome
//	Missed()                       counts the ticks that a periodic task has skipped
//
// Group (package scheduler)
//
//	Post(priority, f)              as those of the Loop, for members
//	After(priority, d, f)
//	Every(priority, period, f)
//	Each(phase, f)
//	Once(phase, f)
//	Go(priority, f)
//	NewGroup(label)                makes a group within
//	Cancel()                       ends all members
//	Pause()                        stops them, on the frame goroutine
//	Resume()                       lets them continue
//	SetSpeed(x)                    has their time pass x times as fast
//	SetPriority(priority)          changes their priorities
//	Now()                          is their time
//	Wait(co)                       waits for the end of all
//	Done()                         is closed at that end
//	Err()                          is the first failure
//
// Future (package workers)
//
//	Wait(ctx)                      waits for the result, not on the frame goroutine
//	Result()                       is the result of one that has ended
//	Done()                         is closed when there is a result
//	Notify(f)                      calls f then
//	Cancel()                       ends it
//	String()                       names it, for Why
//
// Loader, Request, Progress and Meter (package load)
//
//	Load(ctx, key, commit)         loads by key, and commits in a slice
//	Progress()                     counts the requests by state
//	Result()                       is the outcome of a request
//	State()                        says how far it is
//	SetPriority(priority)          changes its priority
//	Cancel()                       ends it
//	Notify(f)                      calls f at its end
//	String()                       names it
//	Fraction()                     is how much of a Progress is done
//	SetTotal(n)                    tells a Meter how much there is to decode
//	Add(n)                         tells it how much more is done
//
// Cache and View (package load)
//
//	View(ctx)                      makes a View, which ends with ctx
//	Get(key)                       is a value that is kept
//	Stats()                        are the figures of the cache
//	Show(near, soon)               says what a View wants from now on
//	Progress()                     counts the keys that it shows, by state
//	Close()                        ends it, or all Views and values
//
// Report (package record)
//
//	String()                       is eight lines
//	Text()                         is all tables
//	Save(dir, name)                writes text, JSON, CSV, histograms and a trace
//	AddWork(tasks, jobs)           adds the costs of kinds of work, for a program without a Loop
//
// # The packages
//
//   - frame: the loop. Package frame/ebitenhost runs Ebitengine games, frame/load loads by key, frame/record measures
//     frames (also without a loop of ours), frame/plot draws them, and frame/autopsy says why one was late.
//     Package frame/frametest fails a test if frames became worse.
//   - scheduler: what runs on the frame goroutine. Package scheduler/flow limits what gets into its queue, and
//     has semaphores for coroutines.
//   - workers: the pool, with futures, groups, graphs, fork-join and parallel loops.
//   - workers/par: strands, streams, map and reduce on the pool.
//   - deadline: priorities and their timeouts, instants, deadlines, budgets and estimates of cost.
//
// Imports point one way: deadline <- scheduler <- frame <- frameslice, and deadline <- workers <- frame.
//
// # Words
//
// A frame is one refresh of the display, and a tick one fixed-step update. The slice is the part of a frame that tasks
// get. The budget is the time granted, and the deadline the instant at which it ends. A task is a cooperative unit on
// the frame goroutine, a job a unit on the pool. A lane is the queue of one priority. To yield is to let more
// urgent work run, and the frame if its time is over. An overrun is work past the deadline. Expired work has waited
// past its expiration. A hitch is a frame shown late.
package frameslice
