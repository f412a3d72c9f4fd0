// Package workers runs jobs beside the frame goroutine. A pool has a queue for each priority. Its workers steal from
// one another, sleep when there is nothing to do, and never make a frame wait.
//
//	p := workers.New(workers.Options{Background: -1, RaiseProcs: true})
//	defer p.Close(ctx)
//
//	p.Go(deadline.Low, autosave)                                          // fire and forget
//	mesh := workers.Submit(p, deadline.Normal, makeMesh)                    // a Future: func(ctx) (*Mesh, error)
//	tree := workers.Then(mesh, buildTree)                                 // another: func(ctx, mesh) (*Tree, error)
//	p.Submit(&job)                                                        // caller-owned, reusable
//	level := p.NewGroup(ctx, deadline.Normal)                      // errors and a context, over frames
//	p.ParallelFor(len(units), 0, func(lo, hi int) {…})                    // now, with help
//
//	// in each frame, on the frame goroutine:
//	p.BeginFrame()
//	…
//	p.RunUntil(slice) // jobs that fit into what is left of the frame run here
//	p.EndFrame()
//
// Package workers/par has what stands on these verbs: a strand for jobs in order, a stream of results in order, a graph
// of functions, Map and Reduce.
//
// Any goroutine may call a function or method, unless its comment says otherwise. A nil context is context.Background.
// A wait that ends with its context returns the context's cause. Do not copy a Job or Queue after its first use.
//
// # Two classes of workers
//
// Ordinary workers run at the priority of the process. There are GOMAXPROCS-1, so that the frame has a P. On one P, and
// in a browser, there are none: jobs run in RunUntil, Wait and Close.
//
// Background workers (Options.Background) have a thread of the lowest OS priority each, so their jobs may be long. They
// take the jobs of Normal, Low and Idle, and ordinary workers only those of Immediate and UserBlocking.
//
// The frame and a worker share no lock. But on a background worker, a function passed to Go or to Submit can delay the
// frame by its own submissions to an urgent priority. Give such work a Job, whose Func uses its Worker.
//
// Pools know nothing of one another, so use one pool.
//
// # Panics, Goexit, errors
//
//	where f panics                   what happens
//	Pool.Go, Worker.Go               OnPanic, or the process crashes
//	Job, Future                      Err, Wait and Result return a *PanicError
//	ParallelFor, Join                raised in the caller as a *PanicError when all pieces have ended
//	Group                            raised in Wait, likewise
//	Fork, joined and not stolen      unwinds the job like any function call
//	Fork, stolen                     raised in Join as a *PanicError
//
// If several pieces panic, the first panic is raised, and loops and Join begin no further piece. runtime.Goexit
// ends the job, with ErrGoexit where there is an error to return. On the calling goroutine of a loop
// runtime.Goexit ends that goroutine. RunUntil and Job.Wait raise neither a job's panic nor its Goexit in their caller.
package workers

// The protocols and their proofs follow. They are for those who change the package, and not part of its documentation.
//
// # Queues
//
// The deque of each worker, the injector of each lane (D1 to D5, R1 to R6) and the batch (M2, M3) are in
// internal/runqueue. Jobs are published at once and taken back one at a time, so that no job waits behind one that
// waits for it. Forks are published only when a worker is hungry. A worker that takes several items from an injector
// keeps M1, in find_batch.go.
//
// # Sleeping and waking
//
// The protocol and its proof (W1 to W6) are in internal/sleep, the parkers (P1 to P3) in internal/park. Work is every
// lane of the class, every other worker's shared ends, and the open loops of ParallelFor. Forks that are private are
// not work in this sense: their owner is awake, and runs them. A joiner whose fork was stolen sleeps on the same
// parker, but not in the set: see "Forks".
//
// # Forks
//
// Forks stay private until a worker is hungry. The class counts its hungry workers: workers that run nothing, and
// joiners that wait for a stolen fork, since all the work may be where that fork went. A joiner takes forks of its
// thief only, so that a short wait stays short. A joiner that has found no fork for a while sleeps:
//
//	F1  the joiner stores the thief of its fork, or that it does not know the thief yet. It sets its bit in the
//	    class's word joining. Then it looks once more at the thief's shared end, if it knows the thief by then.
//	    Only then it waits for its token;
//	F2  a worker that has shared forks looks at joining afterwards. It posts to each joiner that sleeps over a fork
//	    which this worker has stolen, and to each joiner that does not know its thief. The worker posts only if it was
//	    the one that took the joiner's bit out;
//	F3  the end of the fork posts to the joiner, by the list of J1. The end of an earlier run of the same Job may come
//	    late, and post too. So the waiter notes that it has been called, and then posts. A joiner that finds the note
//	    adds another waiter;
//	F4  a thief stores in the fork that it has the fork, before it begins the fork.
//
// Claim: no joiner sleeps while its thief has shared forks, or its own fork has ended. Take the last sharing whose
// forks nobody has taken. There are two cases.
//
// F2's look came after the bit was set. Then the thief posts, because the joiner has named this thief or none. Or
// another goroutine has taken out the bit, which was set after the joiner's last wait. That goroutine posts, and the
// token outlives the moment (W4).
//
// The bit was set after F2's look. Then the joiner's second look came after the sharing, and so after F4. The joiner
// knew the thief, and saw the fork.
//
// And the end of the fork finds the joiner's waiter in the list. Or the joiner, which looks at the state when it has
// added the waiter, finds that the fork has ended, and calls the waiter itself (J1). ∎ In the first version a joiner
// that was too early named itself. It slept through all that its thief shared.
//
// The owner looks at the count only when it forks. So a worker that becomes hungry gets the earlier forks at the
// owner's next fork.
//
// # Lanes
//
// A worker takes from the most urgent lane first: its own newest item, else the oldest from outside, else the oldest of
// another worker. Besides
//
//	W9   after 15 jobs in a row another lane goes first, for one job: the least urgent lane, the next time the lane
//	     above it, and so on. A lane also goes first when a worker notices that it has not been served for longer than
//	     its timeout. RunUntil takes turns likewise among the lanes without workers: see floorLane. Before every 15th
//	     loop a worker takes one job of its first lane, or of a lane whose timeout has passed;
//	W10  Jobs of Low and Idle never occupy all ordinary workers that do not block, if there are two or more workers
//	     besides spares: H1 to H3 in class_cap.go.
//	W11  Of 16 takes of a worker from a lane, one takes the oldest job from outside, and one the oldest of its own
//	     deque, as a thief does. So the n-th oldest of either begins before 16*n later jobs of that lane. Of 16
//	     searches that find forks which nobody joins, one looks at the lanes first.
//
// A job's own submissions go into its worker's deque, and the newest is taken first. Every 61st look goes to the other
// workers' queues first. The look after that goes to the jobs that background workers have submitted. So neither these
// jobs, nor jobs in the queues of a worker that a long job keeps, wait for a pause.
//
// While a frame is late (ExpectFrame), or a collection marks (StandBack), background workers begin nothing.
// Where other programs keep a background worker off, it continues with a thread of ordinary priority. Both are in
// internal/lowprio, with class_low.go.
//
// # How many workers
//
// E1 to E4 are in class.go. They say what happens to work, and to goroutines that wait for it, when GOMAXPROCS changes
// and a class loses some or all of its workers.
//
// # The end
//
//	C1  A submission looks at the pool's state after its item is visible. The closer sweeps the queues after it has
//	    changed the state. So every accepted item is run, or one of the two completes it with ErrClosed. The same
//	    holds for an item that is put back into a queue: by RunUntil, or between two turns. While the pool drains the
//	    submission wakes those that wait in Close, because they may have looked before the item's slot was filled.
//	C2  The pool is quiet when nobody may be running a job (the count in activity), the queues are empty, and nobody
//	    has begun in between (the generation in activity). So a goroutine counts itself before it takes a job.
//	C3  A goroutine that starts a worker counts the worker in live, and then looks whether the pool is gone. If so, it
//	    takes the count back. Close counts itself in live before it makes the pool gone, and until it has had the lock
//	    follow. The goroutine that then takes the last one out of live ends the pool: no worker comes any more, nor a
//	    parker. A worker leaves when the pool is gone, whatever its class wants.
//	C4  A goroutine that sweeps the queues first counts itself, like one that runs a job and is no worker
//	    (callersInside, activity). A Close outside of jobs returns when the pool has ended and callersInside is zero.
//	    A Close in a job returns when the pool is gone, and has been quiet except for the jobs in Close. The first to
//	    find this sets onlyClosersLeft and tells the others: once the first has returned, they cannot find it.
//
// # Queues, and jobs that wait
//
// internal/mpmc has the bounded queue for programs (Q1 to Q7). A job that waits for something outside says so with
// Worker.Blocking, and a spare takes its place (class_cap.go). A job that waits for other jobs does the same: all such
// waits are in wait.go. The ways a worker is woken are in wake.go.
//
// # Proofs that run
//
// The table lists the invariants by the first characters of their labels: where they are stated, and which programs run
// the code.
//
//	D  the deque         internal/runqueue         D1 to D5 there
//	R  the injector      internal/runqueue         R1 to R6 there
//	M  batches           internal/sleep, runqueue, M1 to M3 there;
//	                     find_batch.go             M4 in end_explore_test.go
//	W  sleeping          internal/sleep            W1 to W6 there
//	W  lanes             here                      W9 to W11
//	P  parkers           internal/park             P1 to P3 there
//	F  forks             here                      F1 to F4 in fork_explore_test.go
//	V  free lists        internal/freelist         all there
//	WL loops             internal/loops            WL1, WL2 there
//	WS groups            group.go                  WS1 to WS3 in group_explore_test.go
//	E  sizes of classes  class.go                  E2, E3 in class_explore_test.go,
//	                                               E4 in later_explore_test.go
//	H  the cap of W10    class_cap.go              H1 to H3 in class_cap_explore_test.go
//	WA jobs that wait    class_waits.go            WA1 to WA4 in class_waits_explore_test.go
//	LT waits             internal/latch            LT1, LT2 there
//	J  jobs              job*.go, future.go,       J1, J2, J4, J7 in job_explore_test.go,
//	                     find_sift.go              J3 in future_explore_test.go,
//	                                               J6 in find_sift_explore_test.go
//	JC their contexts    job_context.go            JC1 to JC3 in job_context_explore_test.go
//	IO functions of IO   io.go                     IO1 to IO5 in io_explore_test.go
//	C  the end           here                      C2, C3 in end_explore_test.go,
//	                                               C4 and C1 in quiet_explore_test.go
//	O  runners that rest   rest.go                   O1 to O3 in rest_explore_test.go
//	Q  queues            internal/mpmc             Q1 to Q7 there
//	L  standing back     internal/lowprio          L2 there, L3 in class_low_explore_test.go
//	Y  crowds            class_low.go, lowprio     Y1, Y2 in class_low_explore_test.go, Y3 in lowprio
//	A  the CPU quota     internal/quota            A1 to A4 in a test there, which simulates periods
//
// Package internal/explore runs the code itself in all schedules with few preemptions (*_explore_test.go), and each
// mutant is a patch of the code that a schedule must find (protocol_test.go).
