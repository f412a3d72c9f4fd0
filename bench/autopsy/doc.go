// The command autopsy makes frames late for ten known causes, and counts how often package autopsy names the cause
// first. It prints a table for MEASUREMENTS.md. Linux only; it needs no privileges.
//
//	make autopsy ARGS="-frames 50 -v"
//	out/autopsy -cause "long swap" -frames 5 -v
//	out/autopsy -more
//
// The program that make leaves in out/ also runs where Go is not installed. With -more it makes frames late for further
// causes, and for mixtures of two causes in one frame, of which both must come first, each with its time.
//
// Each cause has a process of its own, with a game: 60 frames a second, 4 ms of own work in two sections, tasks, jobs,
// and a swap in a system call that ends at the next refresh. The game's goroutine has its own thread, as in a window.
// After 45 frames the cause makes one frame late. Then the account is read, and the game continues. On four processors
// or more several causes run at once, each on two processors of its own.
package main
