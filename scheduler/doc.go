// Package scheduler runs tasks on the frame goroutine: work that must stay in turn with a game's Update and
// Draw, in the time that the frame has left.
//
// # Usage
//
// Make a Scheduler with New. Any goroutine posts; the goroutine that owns the frame gives it slices:
//
//	s := scheduler.New(scheduler.Options{})
//	defer s.Close()
//	s.Post(deadline.Normal, func() { world.Apply(chunk) })      // a function
//	s.Go(deadline.Low, func(co *scheduler.Co) {                 // straight-line code that takes many frames
//		for _, e := range level.Entities {
//			e.Build()
//			co.Yield()
//		}
//	})
//	for !quit {                                                 // the frame goroutine
//		s.BeginFrame(deadline.Now())
//		update()
//		s.RunUntil(deadline.In(4 * time.Millisecond))
//		draw()
//	}
//
// Numbers like S11 are those of the invariants, which tests name. Those that are not stated here stand below the
// package clause, in doc.go, with the protocols, their proofs and what was rejected.
//
// Three shapes of work: a function (Post, Task.Func), a step function that returns whether there is more
// (Task.Step), and a coroutine (Go, Task.Co). A Task is specification, handle and storage in one, and may
// be submitted again and again without allocating. Post, and After with a delay, are for the many small things
// and return a Handle.
// A Func may be periodic (Task.Period), and a Task may wait for idle time (Task.Idle).
//
// # Order
//
// Under deadline.ByExpiration, the default, the earliest expiration goes first, equal ones in the order of
// submission. Expiration is start plus the timeout of the priority. Under deadline.ByPriority the highest
// priority goes first, then continuations, then the order of submission; it is strict but for the first task of a
// slice, which is an overdue one if there is one (S11), and for what is owed by S28 and forced by Patience. With a
// Normal task submitted 4.8 s ago and a UserBlocking one submitted now, the first runs Normal, UserBlocking (old
// work overtakes), the second UserBlocking, Normal.
//
// New work is stamped when the frame goroutine reads it from the inbox, with the time at which the last
// task ended, and not when it is posted: Post need not read the clock, and the stamps are in order. Work
// posted while no slice runs is stamped at the start of the next one. A delay counts from Submit or After, though,
// which read the clock for it.
//
// Among producers the order is that of reading; each producer's own order is kept (S4). SetPriority keeps
// the place by submission. Several requests for one task between two looks at the inbox (SetPriority twice,
// say) count as one, the last, at the place of the first.
//
// A continuation (the next step of Step, a coroutine after Yield) keeps its task's place, so it comes first
// among equals. What waited for something else (NextFrame, Sleep, Wait, Await) comes back as if submitted
// at that moment.
//
// # What a slice promises
//
// RunUntil ends at its deadline, whatever has expired: expiry raises order, it does not buy an overrun. It
// overruns only by what its last task takes longer than was left.
//
// It starts at least one task if any is ready, even with no time at all: an overdue one if there is one, or
// Immediate work that has expired before that.
//
// A task starts only if it is expected to fit. The expectation is learned for each kind of task (its Label,
// or the code of its function; Task.Cost replaces it), as a high quantile that rare outliers do not move;
// what is unknown is tried. A cost that keeps tasks waiting for three frames, and does not come back meanwhile, is
// forgotten. What is learned of a run is how long it could not be stopped: of one that asks ShouldYield,
// the longest stretch in which it did not ask, because it takes whatever time there is, and fits into any slice that
// has room for that stretch. What does not fit is passed over for something smaller, at most 32 tasks in a
// slice. A task that was passed over in 3 frames (Options.Patience) in which it was its turn runs first in the
// next frame, whatever it costs (S34); so does what is overdue; and if nothing fits at the start of a slice, the
// first one runs. Stats.Offender names the worst task that was longer than a whole slice, and Result.TooBig counts
// those that were expected to be: split those.
//
// S10. Continuations do not starve peers: in one slice a task's continuations run ahead of their peers
// until they have used half of the slice (if overdue, the share of overdue work if that is less; a second if it has
// no deadline, 4,096 steps in any case); then the task goes behind them, as if submitted at that moment, and its
// expiration counts from there.
//
// S34. Patience is for one's turn. A frame counts for a task that was passed over if nothing of a higher priority was
// passed over before it in the slice, or if a share is owed to it (S28): in what is left of a slice that more urgent
// work has filled nothing may fit, and that is the turn of the first alone. And what runs first for its patience,
// while ready work has a higher priority, does so in one frame of Patience + 1. So where work of one priority fills
// all slices, what is less urgent gets no more than what fits into their ends and what MinShare and expirations give
// it; and a little urgent work does not wait for a row of long tasks, one at the beginning of each frame.
//
// S11. Overdue work does not starve, and does not flood. (Immediate work, which is born expired, does not
// count as overdue; nor does work that never expires.) Let a task be overdue, with k runs of tasks that
// expire no later ahead of it. k cannot grow, because what is submitted from now on expires after now. Each
// slice starts with the first of them, or starts the task itself, so it starts in the k+1st slice at the
// latest, whatever the budgets are, under both policies, even if it does not fit anywhere. (Under
// ByExpiration a task of many steps counts as one run, by S10; under ByPriority as many as it has steps, and it is
// overdue to its end: beside more urgent work that fills all slices it gets one step in each of them, whatever part of
// a slice that is; and of the continuations of a priority only the first is looked at, which the others wait for. So
// let steps be short, or give what must never go first a Timeout of 2^61 ns, which is never, and then no steps.)
// Under ByExpiration overdue work moreover may use its share of each slice (half, by default) before fresh
// work gets the rest, and all of it if there is no fresh work: W of work ahead is gone after W / (share *
// slice) slices. The share holds back overdue work only if there is fresh work to run, and only once the
// overdue tasks ahead of that have been set aside, of which 4,096 are handled for each task run. What never
// expires (Idle work) runs when nothing else is ready, and by S28.
//
// Clocks may stand still, go backwards or jump. A clock that goes backwards counts as standing still for
// that moment; if it does not move during 131,072 tasks, a slice with a deadline ends. After a jump
// forwards everything is overdue, unless the host calls Shift.
//
// # The parts of a frame
//
// Beside the slice a frame has three phases, BeforeUpdate, BeforeDraw and AfterDraw, at which the host calls RunPhase
// and the callbacks of Once and Each run. They are the frame's own work and have no budget. A coroutine
// that calls Co.AfterDraw is ready as soon as RunPhase(AfterDraw) is called, if the frame was drawn (S17).
//
//	BeginFrame  BeforeUpdate  update  BeforeDraw  draw  AfterDraw  slice: tasks, then idle callbacks
//	            microtasks after each callback, task, step and stretch of a coroutine
//
// S13. A phase runs what was registered when it began, in the order of registration, each once; what is
// added meanwhile waits for the next one, and what is cancelled meanwhile does not run. The list of a phase
// is never swapped: next points at the callback to run next and limit at the first one that was added since
// the phase began, and the phase ends where they meet. A callback is out of the list while it runs, and one
// of Each goes back before next, which is its old place. Whatever else leaves the list moves next and limit
// on if it was one of them. So a callback is between next and limit if and only if it was there in the
// beginning, has not run and has not been cancelled.
//
// S14. A frame runs at most Options.MicrotaskLimit microtasks; what is over waits, in order, for the next.
//
// S15. An idle callback runs once: in idle time (nothing is ready, not even what does not fit, at least
// 100 µs are left, no draw is requested) or after its timeout. It is in two lists for that, and whatever
// takes it out of one takes it out of the other. In one frame (one slice, if the host does not call BeginFrame)
// only those run that were queued before the first of them began. After the timeout it is overdue work, so S11
// bounds its wait.
//
// S16. The ticks of a periodic task lie on a grid that begins with its first start; each runs once or counts
// as missed, and at most CatchUp of those that have passed wait. The grid is where the queue has the node's
// start, less what the tick was late when it was queued, so Shift moves it with everything else.
//
// S17. RequestDraw is satisfied by a drawing that begins after it: RunPhase(BeforeDraw), or NotePhase, reads the
// inbox, and takes back the requests made until then. (A host that calls only RunPhase(AfterDraw), or only BeginFrame,
// does not say when it begins, and that is where they are taken back. Once it has called RunPhase(BeforeDraw) a frame
// without that call is not drawn, and takes none back.) So is Co.AfterDraw: of the coroutines that wait those go on
// that came before the drawing began, since when the first of the others is noted (drawLimit, as limit in S13), and
// drawOwed says that they have yet to be woken for it: the end of a frame that was not drawn wakes nobody.
//
// All this adds no protocol between goroutines. A callback of Once or Each is an item as of Post, whose word
// has a phase in place of the lane, and flagSteps if it is one of Each: submission, cancellation and the end
// of its life are S1 to S8, and only the list differs that the drain puts it in, which is the frame
// goroutine's. An idle callback and a periodic task are Tasks. RequestDraw pushes one item that has no life,
// by S1 at most once; that it is in the inbox is the request. Microtasks never enter the inbox.
//
// # Faults
//
//	what happens in a task     the task's Err    also
//	panic                      *PanicError       OnPanic is called (or standard error written), with the stack
//	runtime.Goexit             ErrGoexit         the same; the frame goroutine survives
//	Cancel, while it waits     ErrCanceled       the function is never called
//	Cancel of a coroutine      ErrCanceled       deferred calls run; see Co
//	Close                      ErrClosed
//
// Callbacks and microtasks have no Err; all else is the same, and the other callbacks of the phase run. One of
// Each that failed does not run again, nor does a periodic task.
//
// The rest of the slice goes on in order. With Options.Rethrow, RunUntil panics in the end, with the first.
// Misuse panics in the caller, with "scheduler: " in front. The fatal errors of the runtime (concurrent map
// writes, stack overflow, out of memory) are fatal here too.
//
// # Goroutines and threads
//
// The frame goroutine is the one that calls RunUntil, BeginFrame, RunPhase, Next, Stats, Shift and Close. A token
// (one compare-and-swap) tells when two of the first three are under way at once, or when a task calls one of them:
// that panics, and nothing else happens. A task may call the others; from another goroutine they are a race.
//
// Functions and steps run on one coroutine, the carrier, and each coroutine task on its own, from a pool:
// goroutines that run in turns with the frame goroutine, on its thread (iter.Pull). This is why a Goexit
// does not take the frame goroutine along, why plain functions cost no switch each (but one for each row of them),
// and why code that asks for its goroutine's identity sees another one than outside. A goroutine id is the
// only thing that differs: thread-local state, an OpenGL context for example, is that of the frame
// goroutine.
//
// S12. The runtime remembers the thread lock under which a coroutine was created and throws, which nothing
// can recover, if it is resumed under another. So coroutines are created by the frame goroutine itself,
// when first resumed, and resumed by nobody else; Go and Submit create none. The rest is the host's duty:
//
//   - A frame goroutine that is locked to its thread (runtime.LockOSThread) locks before the first
//     RunUntil, stays locked, as often as then, and stays the frame goroutine.
//   - One that is not locked may be a different goroutine in each slice (Ebitengine's may), as long as each
//     slice happens before the next.
//   - RunUntil is not called within a callback from C, which is a lock, if it is elsewhere called outside.
//   - A task that locks its thread unlocks it before it returns or suspends itself.
//
// The first is checked in the first 8 slices, in Close, and in every slice under the race detector (a look
// takes some µs): RunUntil panics before the runtime throws, if coroutines are suspended; otherwise it
// abandons the pool and makes another. Abandoned coroutines that were created on a locked thread stay
// behind (Stats.Abandoned); nothing could end them. On wasm, which has no threads, a lock cannot be seen,
// but the runtime counts it all the same.
//
// # Modal loops
//
// A task that has to run a loop of its own (a message box that blocks) is the host within Scheduler.Nest, and gives
// slices and phases of its own. It is a verb and not a permission, because a RunUntil within a task is a mistake
// nearly always: it runs what was to come after the task, in its middle.
//
// S32. Let a run be open if it has begun and not ended; several are if there are Nests, each in the Nest of the one
// before. An open run goes on only when all that are further in have ended, and is never begun again.
//
//   - The token says whose turn it is. Nest gives it back, so the calls of the frame goroutine are legal in f, and
//     takes it when f has ended, however (it is deferred). So within f and outside of its slices the token is
//     free, in a slice or phase it is taken, as outside of all Nests; a call within a task of a nested slice panics.
//   - An item of an open run is in phaseRun and in no list, so nothing can choose it, and its submission and its
//     cancellation are what they are during any run. The coroutines of open runs are running or are, for iter.Pull, the
//     callers of those further in; none is idle or in the queue, so none is resumed. The carrier is put aside, because
//     it may be in an open run, and slices in the Nest take another one.
//   - A coroutine cannot suspend itself in its own f: it would give the turn to a slice that is not the innermost one.
//     Its Co looks at one flag for that. Coroutines that suspended themselves in a nested slice, or outside, are
//     resumed by whichever slice chooses them: it is the same thread, and S12 asks for no more.
//   - What is a slice's (deadline, quotas, what was counted, the account that pays for the open run) is put aside
//     when a nested slice or phase begins and taken up when it ends. What was passed over goes back into the queue,
//     because another slice has other room, and counts as passed over once. What is the frame's (microtasks run, the
//     idle period, requests to draw) or the scheduler's (queue, groups' credits, what is owed, estimates) is shared.
//   - A phase of a frame in whose callback a Nest lies keeps its next and limit, which hook and unhook move for all
//     phases that are open; so S13 holds for each of them, "has run" meaning in this phase or one within. A callback of
//     Each goes back by its order of registration, as those after it may have run meanwhile and be back.
//   - Close within f cancels Context and ends slices at once. The rest would unwind coroutines that are open, so it
//     happens when the outermost run has ended.
//
// The time in f is nobody's run: the open run's cost is what it took before and after, and the slice's start is moved
// by the rest. Slices outside are over when f returns, if their deadline has passed.
//
// Rejected: RunUntil that nests when a task calls it (the mistake would not be found, and which of the two was meant
// nobody could tell); a slice as the only thing that a task may nest (frames have phases, and a modal loop has frames);
// running the nested slices on the frame goroutine while the task waits as a coroutine, which is what Await is: it
// needs a host whose frames go on by themselves, and is to be preferred where there is one; letting the open coroutine
// suspend itself, and going on with it in the slice outside, out of order, which is two runs in one stack; any depth
// (each level is a stack, and the modal loop of a failure that fails would have no end).
//
// The inbox and the queue have no bound. Package flow stands in front of Post: bounds, latest values, debounce,
// throttle and rate limits.
//
// # Insight
//
// Options.Trace has functions that are called when work is queued, begins a run, ends it, and ends, and
// Options.Events keeps the last of these events. They tell what Stats cannot: who was waited for, for how
// long, and what ran just before a late frame. Task.Why says why a task does not run now.
//
// S30. The events of one life, which have one ID, are a path from left to right through this table, for ever
// to and fro between Started and what goes on, and Done, Failed and Canceled are its end:
//
//	work              Queued, then       Started, then                          Yielded, then      Parked, then
//	function, idle,   Started, Canceled  Done, Failed
//	once, microtask
//	steps, periodic   Started, Canceled  Yielded, Done, Failed, Canceled        Started, Canceled
//	each              Started, Canceled  Yielded, Failed, Canceled              Started, Canceled
//	coroutine         Started, Canceled  Yielded, Parked, Done, Failed, Canceled  Started          Started
//
// (A coroutine that has begun has deferred calls to run, so its cancellation is one more run.) At any time at
// most one run is open: between a Started and what ends that run there is no other Started, but for the runs in a Nest
// of its, which lie in it like brackets. What was
// cancelled before the frame goroutine read of it has one event, Canceled, or none if it was submitted again
// at once; what Close finds unread has none. When Close has returned, every other life has its end. A Task that
// is submitted by its own run ends, and begins a life with another ID, when that run ends.
//
// Options.Stacks keeps where each piece of work was submitted: at the end of a panic's stack, in events, and of
// what took too long (S31, in stack.go). Options.Times keeps histograms of the same times, by priority. Package
// replay plays a load of tasks in virtual time (Options.Clock) under a seed, to find what is rare and to look at
// it again.
//
// # Costs
//
// Measured on a shared virtual machine (Xeon, 2 CPUs, Go 1.26, 25 November 2026), in ns per task. Each includes one
// reading of the clock (go test -bench . ./scheduler):
//
//	Post and run, 100 waiting          90
//	the same, 100,000 waiting         101   so many tasks do not fit into the caches
//	Post and Cancel                    60   most of this is atomics
//	as Tasks with a Delay             295   the tasks that are due lie anywhere in memory
//	a step, or Yield alone             38   the task goes on at once, past the queue
//	Yield in turns with another        45
//	Go to the end                     414   most of this is the allocation of the Task
//	ShouldYield                        32   one reading of the clock
//
// A task's turn asks one field whether anything is out of the ordinary (special), and what makes it so sets that
// field: microtasks, overdue work, a trace. A feature that is not used costs nothing there.
//
// Memory: some 450 bytes for a Task, and 2 to 8 KiB for the stack of a coroutine. 256 stacks are kept without a task.
// Posted functions take memory for the greatest number that ever waited: 281 bytes each for 1,000 functions, 214 for
// 10,000, and 136 for 1,000,000.
//
// Limits: the inbox and the queue are bounded by memory alone, because there is nobody who could wait;
// drains look at the clock every 4,096 messages; 1,024 kinds have estimates.
//
// # Where we differ
//
// The schedulers of browsers, React and Flutter promise much the same. Ours is different
//
//	from     in                                      because
//	React    expired work ends with the slice        200 late tasks of 1 ms would freeze a frame (S11)
//	React    a continuation goes on in the slice,    a slice is a frame's, and a step that returns early
//	         and loses its place after half of it    has left time in it; peers must not starve (S10)
//	React    Cancel in a step ends a task with more  there the continuation survives it
//	React    a panic ends its task, not the turn     the rest of the frame's work does not depend on it
//	React    a post is stamped when it is read       Post need not read the clock; a frame is short
//	React    nil, or no priority, panics             it is a mistake in the caller
//	postTask Group.SetPriority moves every member,   a member may have been moved alone; who submits later
//	         also those submitted with another       says so
//	postTask the most overdue starts each slice      nothing that expires starves, under strict priority too
//	postTask a negative delay is none                timers computed from deadlines are late now and then
//	rIC      Idle work (Post) has no deadline        it is short, or of steps; WhenIdle has one
//	rIC      declared costs, and a turn in the end   what needs most of a period would never run
//	rAF      Once before the drawing is BeforeDraw   the host calls, so that it can also stop
//	Flutter  AfterDraw asks for a frame              a callback that waits for a frame nobody draws is lost
//	Flutter  tasks go on while animations run        else a spinner starves them though the frame is free
//	loops    microtasks are capped for each frame    one that adds itself stops the program
package scheduler

// What follows is for who changes the package, and not part of its documentation: the protocols, and their proofs.
//
// # The inbox: protocol
//
// Whatever another goroutine wants is one compare-and-swap of the item's word (see word.go) and, if the
// item is not in the inbox, a push of the item: Post, Submit, Cancel, SetPriority and the end of an Await
// are that, and nothing else. The inbox is a linked list with an atomic head. The frame goroutine takes
// the list with one swap, before each task. Producers never wait: neither for one another nor for the frame goroutine.
// The frame goroutine waits for a producer in one case: while the producer moves the list behind the bundles, at each
// 256th push, for some 50 ns. A producer that loses its thread anywhere else keeps nobody waiting. What it was about
// to say waits with it, and so does what others say of the same item meanwhile, as theirs is the shorter part of one
// message (see flow, bell.go).
//
// S1. An item is in the inbox at most once, and its link belongs to one goroutine at a time. Only who turns
// flagInbox from clear to set pushes; only the drain, or after Close the sweep, which has the item out of the list
// by then, clears it, and touches nothing of it afterwards but its word.
//
// S2. No wake-up is lost. The push whose compare-and-swap replaced nil calls Wake,
// afterwards. Let a host sleep after Next found the inbox empty. Any push after that look finds the inbox
// empty, or finds one that was pushed after the look too; the first of these replaced nil and wakes.
// Between two drains there is one such push, and one more for each bundle.
//
// S3. A run and a cancellation exclude each other: both are compare-and-swaps of a word in phaseReady, and
// both leave that phase. A waiting task ends with the cancellation, not with the message about it. Of the Submits
// and the Cancels during a run the last one counts: Submit sets flagAgain, Cancel clears it (also between the runs of a
// life that has more of them), so what is set when the life ends was asked for after any Cancel, and begins the next
// life, though this one ends Canceled.
//
// S4. Each producer's order is kept. The list is the newest first, and the drain turns it around. Every 256 pushes the
// list is moved behind the bundles, with a lock that the drain holds too when it takes the oldest bundle, or the list
// if there is none. So what is taken is older than all that is left. The number of bundles is counted up before the
// list is emptied. So a host that finds the list empty, and then no bundle, has read all that was pushed before.
// An item that is in the inbox when it is submitted again (cancelled and not read yet) has an old place there, so
// its submission goes in an item of its own, a relay.
//
// S5. An item returns to the arena when its life has ended and flagInbox is clear: in end, or else in
// receive, when its last message is read. So nothing that is free is in the inbox, and the frame goroutine
// alone lets go of functions. Until its submission is read, nobody but the frame goroutine (in Shift) writes
// what a posted function has besides its word: the function, and in the node the end of its delay.
//
// S6. What comes late misses. Submission counts the life up, in the word itself, and every request is a
// compare-and-swap of a word with the life that it means. (A Handle would err after 2^32 lives of one item
// in between.) A cancelled Task may be written and submitted again at once by another goroutine, so the
// frame goroutine reads nothing of a waiting Task but what Submit copied into atomics.
//
// S7. The arena hands out each item once: a bit of a word that did not change between the load and the
// compare-and-swap was set all the time or is set again, and both mean free.
//
// S8. Nothing is left in a closed inbox. Close sets closed, then takes the inbox; a push looks at closed
// afterwards, and if it is set takes the inbox itself. Whichever of the two was first, somebody takes the
// inbox after the push.
//
// These stand with their code: S9 and S18 (an Await is resumed once) in await.go, S37 (each channel of Task.Done is
// closed) in task.go, S39 (functions that Close ends) in close.go, S41 (who is to be a member of a group) in member.go.
//
// The protocols are written a second time as step machines in protocol_test.go and its siblings, where every
// interleaving is explored, and where mutants must fail: Wake before the push, or not at all; drain by load
// and store; life not counted; a push of what is linked; recycling of what is linked; functions dropped by
// who cancels; the arena without its compare-and-swap; Close without the second look; a sweep that lets go after
// flagInbox; parking before phaseHeld; a wait that is given up by a store, or whose waker is used again; a
// submission that is lost with the life that was cancelled before it, or survives the Cancel after it; and more.
//
// # Groups
//
// A Group adds no protocol: its list of members is the frame goroutine's alone, and what other goroutines
// want of it is a message in the inbox, an item of the arena that never was anybody's task.
//
// S19. Each message has an item of its own, so it has a place of its own, behind what its sender submitted
// before. So SetPriority concerns those members that were submitted before it, and Done those too.
//
// S20. A member that was chosen runs only if its group is not cancelled and has asked for no other priority;
// otherwise it goes where it belongs first. So what was asked of a group holds from the moment at which the
// frame goroutine reads of it (a cancellation even before), although the members are handled one by one, in
// portions between which the deadline is looked at.
//
// S21. When the last member leaves, whoever waits for the end is asked again, by a message behind all that
// the member submitted; only if there is no member then either, the group has ended. (A running task that was submitted
// again is no member yet: S41, in member.go.) A member that somebody else has canceled leaves when the message about
// that is read, or when it is taken out of the last list before: Close finds members in the lists only, as what is
// in the inbox then is swept, by whomever (S8).
//
// Posts to a group have the membership in a table beside the arena, and the way there in a field that is free
// until they are read: Post and its 128 bytes are as they were.
//
// A coroutine that waits for a task lifts it to its own priority (Co.Wait), and all that this task waits for.
// It is not undone, because the task may have other waiters, and ends soon. A timeout of its own that makes
// it overdue sooner stays.
//
// S28 (Low and Idle work does not starve) is in starve.go.
//
// # Rejected
//
// A flag beside the inbox, cleared before the drain, is as right as the empty list, and one more atomic for
// each Post. A bounded ring for an inbox makes the frame goroutine wait for a producer that reserved a slot
// and lost its thread. Running plain functions on the frame goroutine itself saves one switch for each run
// of them, 60 ns a slice, and loses the goroutine to the first t.FailNow. Ending a coroutine that called
// Goexit from another goroutine (which takes the Goexit that iter.Pull forwards) works only where no thread
// is locked; see main in coroutine.go for what works always. Reading the fields of waiting tasks under a
// "busy" bit makes Cancel lie for a moment, or wait.
//
// Measured, and no faster: timer slots of half a millisecond; fetching 16 tasks at a time instead of 8. Not built,
// for what they would save by the profile: the life counted up when an item is freed, so that Post need not write
// its word, 2 ns, and State would have to tell two lives apart; submissions that the drain need not acknowledge in
// the word, with a second inbox for cancellations, 1 to 2 ns and another protocol; learning from every fourth run
// only, 4 ns, and a new kind would be judged by its first outlier; a queue of submissions that need not be turned
// around, up to 16 ns where nothing is in the cache, but in it a producer that loses its thread holds up those
// after it.
//
// Patience that counts whoever was passed over: Low tasks of 3 ms got 84 % of slices of 3.5 ms, beside UserBlocking
// work of 1 ms that filled them all.
//
// AfterDraw callbacks that ask for a frame by RequestDraw would end the slice in which a task registers one.
// Ending the life of one of Each only when its cancellation is read would let it run once more. Idle work as
// work of an Idle priority with a timeout of its own would, by its expiration, overtake fresh work long
// before the timeout. A period counted from the end of the run adds up lateness; all missed ticks at once are
// the flood that S11 keeps out. Microtasks without a limit can stop the frame, as they can a browser's tab.
// Microtasks on the stack of the coroutine that yields would make their panics the coroutine's.
