// Package bench holds no code: its folders measure frameslice beside what others use for the same work. It is a
// module of its own, so that nobody who imports frameslice gets the rivals with it.
//
//	make bench-scheduler   tasks: package scheduler beside React's scheduler on Node
//	make bench             pools: package workers beside the pools of Go, C++ and Rust
//	make bench-loads       loads: the loader and the cache beside goroutines
//	make autopsy           autopsy: how often package autopsy names the cause of a late frame that was made late
//
// # Method
//
// A workload is run in rounds. Each round runs all systems once, in a new order, so that the rest of the machine
// disturbs all alike. A row is the median of the rounds. The tables after the rows give the least, the greatest and
// the number of rounds.
//
// Every system gets the same number of workers: -workers, by default the number of processors. There are two
// exceptions. For urgent work ours has its background workers and its ordinary ones, and the others have one more
// worker for what is urgent. For wake-ups ours has one worker less, and a thread and a P for each. A system is open
// only while it is measured, after a small run that warms it up. Every run checks its results, and a wrong value ends
// the command.
//
// Each rival is used as its documentation recommends for that workload, and in the fastest way that we know. The
// adapter (in pools/libraries.go, for example) says which and why. Where a system cannot express a workload it has no
// row. Rivals that are not installed are named with the command that installs them.
//
// # Files
//
// Package report has rounds, rows and tables. Package child talks to programs in other languages. In pools there is
// one file for each family of workloads, and the adapters; native has the C++ and Rust programs. The folder
// tasks/react has the program for Node.
package bench
