package workers_test

import "testing"

// allocsPerRun is testing.AllocsPerRun, which counts what the whole process allocates, but for what happens to allocate
// beside f: what a new pool reads of the machine, on a goroutine of its own, and a ring in place of one that a
// descheduled worker still reads from. What f allocates itself it does in each of the attempts.
func allocsPerRun(runs int, f func()) float64 {
	n := testing.AllocsPerRun(runs, f)
	for tries := 0; n > 0 && tries < 5; tries++ {
		n = min(n, testing.AllocsPerRun(runs, f))
	}
	return n
}
