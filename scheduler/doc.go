// Package scheduler runs tasks on the frame goroutine: work that must take turns with a game's Update and Draw, in the
// time that the frame has left. Any goroutine posts work. The frame goroutine gives the scheduler a slice of time in
// each frame:
//
//	s := scheduler.New(scheduler.Options{})
//	defer s.Close()
//	s.Post(deadline.Normal, func() { world.Apply(chunk) })
//	s.Go(deadline.Low, func(co *scheduler.Co) {
//		for _, e := range level.Entities {
//			e.Build()
//			co.Yield()
//		}
//	})
//	for !quit {
//		s.BeginFrame(deadline.Now())
//		update()
//		draw()
//		s.RunUntil(deadline.In(4 * time.Millisecond))
//	}
//
// Package frame has this loop, and computes the time. Package flow has bounds, latest values, debounce, throttle,
// rate limits, topics, and for coroutines semaphores and AsCompleted.
//
// # Work
//
//	function          runs once                               Post, Task.Func
//	delayed function  runs once, later                        After, Task.Delay
//	periodic          again and again                         Every, Task.Period
//	steps             pieces of one function                  Task.Step
//	coroutine         suspends itself anywhere                Go, Task.Co
//	idle callback     when nothing else is ready              WhenIdle, Task.Idle
//	callback          at a phase of the frame                 Once, Each
//	microtask         right after the running task            Microtask
//
// Embed a [Task] in an object, and submit it often without an allocation. A [Group] cancels, pauses, slows, reorders
// and awaits many tasks as one. A coroutine awaits a task with [Co.Wait], and a future of package workers with [Await].
//
// # Order
//
// Each task has an expiration: its start plus the timeout of its priority. By default the earliest expiration goes
// first. Equal expirations go in the order of submission. So old work of low priority overtakes new work. Under
// Options.ByPriority the highest priority goes first.
//
// The start is when the frame goroutine reads the inbox, at the latest in the next slice. A task that continues (the
// next step, a coroutine after Yield) keeps its place until it has used half of the slice. After any other wait a
// coroutine comes back as if submitted at that moment. Which of several coroutines comes first that wait for the same
// frame, drawing or task is not promised.
//
// # What a slice promises
//
//   - It overruns its deadline only by its last task.
//   - It starts at least one task if any is ready, overdue tasks first.
//   - A task starts only if it is expected to fit. The scheduler learns the cost of each kind of task: of each Label,
//     or of each function without one. Unknown kinds are tried.
//   - A task that did not fit in three frames runs first in the next frame.
//   - Overdue work gets half of each slice, if fresh work waits too.
//   - Idle work never expires, unless Options.Timeouts says so.
//
// # The parts of a frame
//
//	BeginFrame  BeforeUpdate  update  BeforeDraw  draw  AfterDraw  RunUntil: tasks, then idle callbacks
//
// The host calls RunPhase at the three phases; otherwise RunUntil runs the callbacks.
//
// # Faults
//
// A panic ends a task with a *[PanicError] (see Options.OnPanic), runtime.Goexit with [ErrGoexit], Cancel with
// [ErrCanceled], Close with [ErrClosed]. Deferred calls of a coroutine run. The slice continues with the next task.
// Misuse panics in the caller.
//
// # Goroutines and threads
//
// The frame goroutine is the one that calls RunUntil. It may change between slices, unless it is locked to a thread. A
// goroutine that is locked (runtime.LockOSThread) locks before the first RunUntil.
//
// Tasks run on the frame goroutine's thread, with its thread-local state, such as an OpenGL context. A task that locks
// its thread unlocks it before it returns or suspends itself. A task that blocks, blocks the frame: use Await.
//
// # Limits
//
// Only memory bounds the queue. A posted function takes about 90 ns and 140 to 280 bytes, a Task about 450 bytes, a
// coroutine 2 to 8 KiB. In steady state nothing allocates, except the methods that make a Task, such as Go.
package scheduler

// The rest is for those who change the package: the parts, the protocols and their proofs.
//
// # The parts
//
// A Scheduler is a stack of parts. Each part has the next one inside and calls its methods. It knows none above, so it
// works without them (see parts_test.go). A call upwards is one of a function that New sets. Only a Task, a Group and a
// coroutine know their Scheduler. From the top:
//
//	Scheduler    scheduler.go     the public methods, slices, the ends of generations
//	waits        co_wake.go       coroutines that wait for a frame, a drawing, a task or an Awaitable
//	pacing       group_clock.go   the time of groups, and where an item waits for its turn
//	order        order_queue.go   the queue, and which item is next
//	runs         core_run.go      the clock, the current slice, what runs cost
//
// Beside the stack, in the Scheduler:
//
//	intake       inbox.go         what any goroutine uses: the inbox, the arena
//	failures     core_end.go      reports of panics; has coroutines (co_coroutine.go) inside
//	phases       phase.go         callbacks
//	microtasks   micro.go
//	token        token.go         one goroutine at a time
//
// memberships (group_member.go) is in pacing, drawing (phase_draw.go) in waits, and idleTime (phase_idle.go) in order.
// The watch (trace_event.go), which tells events, is in runs, and has a pointer to the order that it describes.
//
// # Invariants
//
// Invariants that one type keeps stand beside that type:
//
//	co_await.go      S9, S18: an Await is resumed once, also with a timeout
//	co_coroutine.go  S12: coroutines and thread locks
//	core_list.go     S13: what a phase, an idle period and a drawing take
//	micro.go         S14: how many microtasks a frame runs
//	phase_idle.go    S15: an idle callback runs once
//	core_loop.go     S16: the ticks of a periodic task
//	phase_draw.go    S17: requests to draw
//	group_member.go  S19, S20, S21, S41, S48: members of groups, and groups within groups
//	group_later.go   S44: delays by the time of a group
//	group_pause.go   S45, S46: members of paused groups
//	group_clock.go   S47, S49: the time of a group, also on other goroutines
//	core_word.go     S37: each channel of Task.Done is closed
//	core_close.go    S39: functions that Close ends
//
// # The inbox: protocol
//
// Each request of another goroutine (Post, Submit, Cancel, SetPriority, the end of an Await) is one compare-and-swap of
// the item's word (see core_word.go). If the item is not in the inbox, a push of the item follows. The inbox is a
// linked list with an atomic head. The frame goroutine takes the list with one swap, before each task.
//
// Producers never wait. The frame goroutine waits for a producer in one case: at each 256th push, while the producer
// moves the list behind the bundles, for about 50 ns. A producer that loses its thread at another point delays only its
// own message and other requests for the same item.
//
// S1. An item is in the inbox at most once, and its link belongs to one goroutine at a time. The goroutine that turns
// flagInbox from clear to set pushes the item. Only the drain, or after Close the sweep, clears flagInbox, when the
// item is out of the list. Afterwards the drain touches nothing of the item but its word.
//
// S2. No wake-up is lost. The push whose compare-and-swap replaced nil calls Wake, afterwards. Suppose that a host
// sleeps after Next has found the inbox empty. The first push after that look replaces nil, and wakes. Between two
// drains there is one such push, and one more for each bundle.
//
// S3. A run and a cancellation exclude each other: both are compare-and-swaps of a word in stateReady, and both leave
// that state. A waiting task ends with the cancellation, not with the message about the cancellation. Of the Submits
// and the Cancels during a run the last one counts: Submit sets flagAgain, and Cancel clears flagAgain. If flagAgain is
// set when the generation ends, the next generation begins, even though this one ends Canceled.
//
// S4. Each producer's order is kept. The list has the newest item first, and the drain turns the list around. At each
// 256th push the list is moved behind the bundles, under a lock. The drain holds the lock too when it takes the oldest
// bundle, or the list if there is no bundle. So what is taken is older than all that is left. The number of bundles is
// counted up before the list is emptied. So a host that finds the list empty and then no bundle has read all that was
// pushed before. An item that is still in the inbox when it is submitted again has an old place there, so its
// submission goes in an item of its own, an envelope.
//
// S5. An item returns to the arena when its generation has ended and flagInbox is clear: in endGeneration, or in
// receive when its last message is read. So no free item is in the inbox, and only the frame goroutine lets go of
// functions. Until its submission is read, nobody but the frame goroutine (in Shift) writes a posted function's node.
//
// S6. Late requests miss. A submission increments the generation, in the word itself. Every request is a
// compare-and-swap of a word with the generation that the request means. (A Handle would err after 2^32 generations of
// one item.) Another goroutine may cancel, write and submit a waiting Task again at any moment. So the frame goroutine
// reads nothing of a waiting Task but what Submit copied into atomics.
//
// S7. The arena hands out each item once. A bit of a word that did not change between the load and the compare-and-swap
// was set all the time or is set again, and both mean free.
//
// S8. Nothing is left in a closed inbox. Close sets closed, then takes the inbox. A push looks at closed afterwards,
// and takes the inbox itself if closed is set. Whichever of the two came first, somebody takes the inbox after the
// push.
//
// The explorer runs S1 to S9, S18, S21, S37, S39, S41 and S47 by the code itself, in all schedules with few preemptions
// (package internal/explore, the files *_explore_test.go). Each mutant is a patch that a schedule must find
// (protocol_test.go).
//
// # The order: promises
//
// S10. Continuations do not starve peers. In one slice a task's continuations run ahead of their peers until they have
// used half of the slice. (An overdue task has at most the share of overdue work. In a slice without a deadline the
// limit is one second. In any case it is 4,096 steps.) Then the task goes behind its peers, as if submitted at that
// moment, and its expiration counts from there.
//
// S11. Overdue work does not starve, and does not flood. Immediate work, which is born expired, does not count as
// overdue, nor does work that never expires. Suppose that a task is overdue, and that k runs of tasks that expire no
// later are ahead of it. k cannot grow, because what is submitted from now on expires after now. Each slice starts with
// the first of them, or with the task itself. So the task starts in the k+1st slice at the latest, whatever the budgets
// are, under both policies. By expiration a task of many steps counts as one run, by S10. Under ByPriority each
// step counts as a run, and of the continuations of a priority only the first is looked at.
//
// By expiration overdue work may moreover use its share of each slice before fresh work gets the rest, and all of
// the slice if there is no fresh work. So an amount W of overdue work ahead is done after W / (share * slice) slices.
// The share holds overdue work back only if there is fresh work. Then the overdue tasks ahead of the fresh work must be
// set aside, at most 1,024 for each task that runs.
//
// S34. A task that was passed over in patience frames is starved, and runs first in the next frame. A frame counts for
// the task only if the first task that was passed over in the slice has no higher priority. Of patience + 1 frames, at
// most one puts such a task ahead of more urgent work. So where work of one priority fills all slices, less urgent work
// gets the ends of slices, and what expirations give it.
//
// A clock that goes backwards counts as standing still for that moment. If the clock does not move during 131,072
// tasks, a slice with a deadline ends.
//
// # Events
//
// S30. The events of one generation have one ID. A generation begins with Queued, and ends with Done, Failed or
// Canceled. The table says which event may follow another one, for each kind of work:
//
//	work             Queued, then       Running, then                              Queued again, then  Suspended, then
//	function, idle,  Running, Canceled  Done, Failed
//	once, microtask
//	steps, periodic  Running, Canceled  Queued, Done, Failed, Canceled             Running, Canceled
//	each             Running, Canceled  Queued, Failed, Canceled                   Running, Canceled
//	coroutine        Running, Canceled  Queued, Suspended, Done, Failed, Canceled  Running             Running
//
// A coroutine that has begun has deferred calls to run, so its cancellation is one more run. At any time at most one
// run is open. If a generation ended by Cancel or Close, before the frame goroutine read its submission, its one event
// is Canceled. A submission that comes while Close runs, or later, has no event, but counts in Stats. When Close has
// returned, every other generation has its end. A Task that is submitted by its own run ends, and begins a generation
// with another ID, when that run ends.
//
// # Where we differ
//
// The schedulers of browsers, React and Flutter promise much the same. Ours is different
//
//	from     in                                      because
//	React    expired work ends with the slice        200 late tasks of 1 ms would freeze a frame (S11)
//	React    a continuation runs on in the slice,    a slice is a frame's, and a step that returns early
//	         and loses its place after half of it    has left time in it; peers must not starve (S10)
//	React    Cancel in a step ends a task with more  there the continuation survives it
//	React    a panic ends its task, not the turn     the rest of the frame's work does not depend on it
//	React    a post is stamped when it is read       Post need not read the clock; a frame is short
//	React    nil, or no priority, panics             it is a mistake in the caller
//	postTask Group.SetPriority moves every member,   a member may have been moved alone; a later submission
//	         also those submitted with another       states its own priority
//	postTask the most overdue starts each slice      nothing that expires starves, under strict priority too
//	postTask a negative delay is none                timers computed from deadlines are late now and then
//	rIC      Idle work (Post) has no deadline        it is short, or of steps; WhenIdle has one
//	rIC      declared costs, and a turn in the end   what needs most of a period would never run
//	rAF      Once before the drawing is BeforeDraw   the host calls, so that it can also stop
//	Flutter  AfterDraw asks for a frame              a callback that waits for a frame nobody draws is lost
//	Flutter  tasks continue while animations run     else a spinner starves them though the frame is free
//	loops    microtasks are capped for each frame    one that adds itself stops the program
//
// # Rejected
//
// A flag beside the inbox, cleared before the drain, is as right as the empty list, and costs one more atomic for each
// Post. A bounded ring for an inbox makes the frame goroutine wait for a producer that reserved a slot and lost its
// thread. Plain functions on the frame goroutine itself save one switch for each run of functions, 60 ns a slice, and
// lose the goroutine to the first t.FailNow. Reading the fields of waiting tasks under a "busy" bit makes Cancel lie
// for a moment, or wait. Ending a coroutine that called Goexit from another goroutine works only where no thread is
// locked.
//
// Measured, and no faster: timer slots of half a millisecond; fetching 16 tasks at a time instead of 8. Not built, as
// the profile says that they save little: a generation that is counted up when an item is freed (2 ns). Submissions
// without an acknowledgement in the word (1 to 2 ns). Learning from every fourth run only (4 ns). An inbox that need
// not be turned around saves up to 16 ns, but a producer that loses its thread would hold up those after it.
//
// Patience that counts all that was passed over: Low tasks of 3 ms got 84 % of slices of 3.5 ms, beside UserBlocking
// work of 1 ms that filled them all.
