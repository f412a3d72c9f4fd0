// Package frametest is a gate for frames, in three lines of a Go test. It plays the game's loop in real time and says
// PASS, FAIL or CAN'T TELL. A busy machine makes it say CAN'T TELL, which is not red unless Options.Strict is set. A
// base that crashes, measures nothing, or was built with other settings makes it say so, too.
//
//	func TestFrames(t *testing.T) {
//		frametest.Run(t, frametest.Options{}, func(loop *frame.Loop) func() error {
//			return newGame(loop).Frame // update, and as much of drawing as goes without a window
//		})
//	}
//
// The test measures only if asked to. Alone, it judges by Options.Limits. Better, give it the test binary of an older
// build to compare with:
//
//	FRAMETEST=1 go test -run TestFrames -v ./game
//	(cd ../old/game && go test -c -o game.test)
//	FRAMETEST=$PWD/../old/game/game.test go test -run TestFrames -v -artifacts ./game
//
// Search is something else: it plays a game in virtual time, and looks for faults of order.
//
// # What it judges
//
// The 99th percentile of the intervals, missed refreshes, the hitch ratio, the game's own work, processor time and
// allocations per frame, and its parts. A part is the own work of a section (frame.Loop.Section), or the cost of a kind
// of task: the time of a run until it ends or yields. Parts that take less than 1 % of the time are left out, and 12
// have room. Own work and parts are means of all but the slowest tenth.
//
// With a base each measure may be worse by what is allowed: Options.Tolerance, or a quarter of an interval, 0.5 % of
// the refreshes, and 5 ms of lateness in a second. FAIL names each measure that is worse by more, and by how much.
//
// # Turns
//
// The gate plays turns of a second, each in a process of its own. With a base the two builds take turns, and a coin
// decides which is first. So neighbours, a slow start and the luck of a process hit both builds alike. The gate looks
// after each pair of turns. It ends when it is sure, or when Options.Time is over. CAN'T TELL says how many seconds
// more would do.
//
// PASS takes 12 pairs of turns on a quiet machine, or about 40 seconds. A clear regression that is in every turn takes
// 13. A section that is 5 % slower takes about 17. A hitch is found after about 13 turns with that hitch: a hitch every
// two seconds takes a minute.
//
// # Void frames
//
// On Linux a frame is void if it is late, but would not be without the system. The system took a sixteenth of an
// interval or more, in one of three ways:
//
//   - other programs had the processor, by the run delay in /proc/thread-self/schedstat, and the process left them that
//     much time;
//   - the CPU quota of the control group stopped the process, by its cpu.stat;
//   - the whole process stood still: a second thread did not run either, and all threads used less processor time than
//     half of that gap. Signals, quotas and a machine that is itself a guest do that.
//
// A void frame does not count for p99, missed and hitch ratio. A frame that would have missed a refresh anyway is not
// void: it counts by the rest of its time. If more than half of a turn's frames are void, the turn says nothing about
// the three. For limits of time it says nothing if the system held up a fifth of the frames, void or not.
//
// Own work and tasks count without the time for which other programs had the processor, and sections in frames without
// such time. The report has the number of void frames, and frames.csv each of them.
//
// Elsewhere no frame is void. A comparison stays sound, by the coins. Limits there need a quiet machine.
//
// # Limits
//
// The gate knows when frames begin, not when they are shown. It does not see what a GPU does. It locks the frame
// goroutine to its thread. Time that other threads of the process lose is not void. So a game may miss its limits
// without a fault, on a machine that is busy all the time. The race detector slows builds down so much that one with it
// is not compared with one without.
package frametest

// # Bets
//
// Each measure is a game of bets against two claims. A capital of 1 is staked on each pair of turns, and multiplied by
// the outcome. If the claim is true, no bet is favourable: the capital is a non-negative martingale (or
// supermartingale) with mean 1. By Ville's inequality such a capital ever reaches C with a probability of at most 1/C,
// however often and whenever somebody looks. That is why the gate may stop at any pair.
//
//	z    the difference head - base; the unit, also of free, is what is allowed
//	worse = product of 1 + 0.8 clip(z - free, 1)   against "head is worse by free, or less"
//	good  = product of 1 + 0.3 (1 - clip(z, 4))    against "head is worse by what is allowed, in the mean, or more"
//	limit = product of 1 + 0.3 (clip(x/L, 4) - 1)  against "turns keep the limit L in the mean"
//
// The first claim needs no assumption about the machine, its noise and its drift. For lateness (p99, missed, hitch
// ratio) free is 0. If head and base are the same, the two turns of a pair would have had the same figures in the other
// order. Only the coin gave the difference its sign. So the mean of clip(z, 1) over the coin is 0, whatever z is, and
// whatever has happened before. The allowed difference must not change with the coin: it is made of both figures alike.
//
// For all other measures free is 3/4. A build can be slower by 2 % in every turn, for no other reason than the layout
// of its code. Say that head costs in each turn what base would have cost in that turn, plus an amount or a percentage
// within 3/4 of what is allowed. Then the two values of z - free, of the two falls of the coin, have a sum of at most
// 0, and clipped they still have. So the mean of clip(z - free, 1) is at most 0, and such a difference is no evidence,
// however often it is seen. Lateness has free 0 because it is 0 in most turns, and a turn with a hitch must not pay for
// two without.
//
// FAIL needs a mean capital of 100 over all measures. A mean of such capitals is one too, so this holds for all
// measures together: the same build FAILs in at most 1 gate of 100. There are always 6 figures and 12 places for parts.
// A place that is empty keeps its capital of 1, and a part that comes up later takes it over. Which parts get the
// places does not depend on the coin. FAIL also needs a measure with a capital of 100 and a mean difference of what is
// allowed, so a real but tiny lateness is not red.
//
// PASS needs a good capital of 20 for each measure. A measure that is worse by what is allowed is called good in at
// most 1 gate of 20. Outcomes are clipped at 4, so a fault must touch a quarter of the turns. The claim is about the
// mean of each turn, given the past: a fault that comes only after an hour is not found. A measure that is good leaves
// the game.
//
// Sources: J. Ville, Étude critique de la notion de collectif (1939). G. Shafer, Testing by betting, JRSS A 184
// (2021). I. Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by betting, JRSS B 86 (2024). A.
// Wald's sequential probability ratio test (1945) is the model: three ends, and as few looks as needed. The coin is R.
// A. Fisher's randomization (1935).
//
// # Decisions
//
// Processes, not functions. Two builds cannot be in one process. Turns of one process share its luck: the layout of
// memory, the seeds of maps, the size of the heap. Such luck is a steady difference of some percent, which the coin
// would not even out. So each turn starts a process, and the luck of a process is one more kind of noise. The test
// binary starts itself again with the one test, as the tests of os/exec do. So a user has nothing to build for head.
//
// The files of a turn are no public format. A base must be of a version that knows the same plan and turn (child.go).
