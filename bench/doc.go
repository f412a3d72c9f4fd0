// Package bench holds no code: its folders measure frameslice beside what others use for the same work. It is
// a module of its own, so that nobody who imports frameslice gets the rivals with it.
//
//	make bench-scheduler   tasks: package scheduler beside React's scheduler on Node
//	make bench             pools: package workers beside the pools of Go, C++ and Rust
//	make autopsy           autopsy: how often package autopsy names the cause of a late frame that was made late
//
// # Method
//
// A workload is run in rounds. Each round runs all systems once, in an order shuffled anew, so that what else
// the machine does falls on all alike; a row is the median of the rounds, and the tables after the rows give
// the least, the greatest and the number of rounds. Every system gets the same number of workers (-workers, the
// number of processors by default), and is open only while it is measured, after a small run that warms it up. (But
// for urgent work: ours has its background workers and the ordinary ones that it comes with, the others those and one
// more for what is urgent. And for wake-ups: ours has one worker less, and for each a thread and a P.)
// Results are checked in every run: a value that is wrong ends the command.
//
// Each rival is used as its documentation recommends for that workload, and in the fastest way that we know;
// the adapter (in pools/libraries.go, say) says which and why. Where a system cannot express a workload it has no row.
// Rivals that are not installed are named with the command that installs them.
//
// # Files
//
// Package report has rounds, rows and tables. Package child talks to programs in other languages, which speak
// one protocol: a line "workload number number" on their standard input is answered by lines
// "metric value unit", and an empty line ("error text" instead of a value ends the command). In pools there is
// one file for each family of workloads, and the adapters; native has the C++ and Rust programs, and
// tasks/react the one for Node.
package bench
