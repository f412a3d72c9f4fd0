// Package counter tells the time between two readings of the system's clock by the processor's own counter of
// ticks: a reading of it takes 10 ns on the machine where one of the clock takes 26, most of which is an instruction
// that must wait for all before it. Who reads the clock after each of many small tasks is better off with that.
//
// The time is always that of the system's clock. What is counted is only how much has passed since the last reading
// of it, the anchor, and for no longer than 250 µs or 256 readings. So the counter need not be trusted to be right,
// which it is not everywhere: processors stop it, virtual machines move, or have one that is not theirs.
//
// # When it is used
//
//   - K1. On amd64 and Linux, if the processor says that its counter runs at one rate in all states of power
//     (CPUID, invariant TSC). Elsewhere, and with the build tag purego, [Available] is false.
//   - K2. As long as each measurement of its rate, over 4 ms to 1 s, agrees with the one before within 1/2048. One
//     that does not, or more than a second without one, ends the trust until one agrees again; 16 in a row that do
//     not, or anchors that are none by K3, end it for good. So a sleep of the machine, a stopped or migrated virtual
//     machine, processors that do not count alike, and a counter that is emulated are found out within
//     milliseconds, and meanwhile P1 holds.
//   - K3. From an anchor that was taken at once: the counter is read before and after the clock, and if 512 ticks
//     lie in between (a goroutine that lost its thread, an emulated counter), it is none.
//   - K4. Never in a bubble of testing/synctest: see [Virtual]. Whoever makes an anchor asks for that first.
//
// # How wrong it can be
//
// P1, whatever the counter does: [Clock.At] says a time between the anchor's and 250 µs later, by the test of span,
// and so it is never further ahead of the clock than that. It says such a time at most 256 times, by left, so if the
// counter stops the time stands still for at most 256 readings.
//
// P2, if the counter's rate is constant, and that of the system's clock (which is adjusted by up to 500 ppm) does not
// fall by more than 800 ppm within a second: At is never ahead of the clock, and behind it by less than 1 µs. For let
// m be the measured ns per tick, and r the true ones. Both ends of a measurement are off by at most 512 ticks, in
// the same direction, of at least 4 ms, which at 1 GHz or more is 4 million ticks: |m-r| <= 128 ppm of r. The rate
// that is used is m less 1/1024, or 977 ppm. So ahead it cannot be unless r has fallen by 849 ppm since; and the
// anchor is the time at some moment before its count. Behind it is by the anchor's 512 ticks, 0.51 µs at 1 GHz,
// and at most 977+128+500 ppm of 250 µs, 0.4 µs.
//
// P3. Readings may still go back by as much: from one processor to the next, or at an anchor (P1). Who reads clamps.
//
// # Rejected
//
// The rate as the kernel or CPUID has it: it is not the adjusted one, and not everywhere. One anchor for a slice
// of 5 ms: behind by 8 µs, for the sake of 0.03 % of the time. Reading the counter with a fence before it: 20 ns.
// Darwin, Windows and arm64: their clocks cost other sums, or have coarser steps, and nobody has measured it.
package counter
