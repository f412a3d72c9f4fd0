// The command autopsy makes frames late for ten known causes, and counts how often package autopsy names the cause
// first. It prints a table for MEASUREMENTS.md. Linux only; it needs no privileges.
//
//	go run ./autopsy [-frames 50] [-cause name] [-v]
//
// Each cause has a process of its own, with a game: 60 frames a second, 4 ms of own work in two sections, tasks, jobs,
// and a swap in a system call that ends at the next refresh. The game's goroutine has its own thread, as in a window.
// After 45 frames the cause makes one frame late. Then the account is read, and the game goes on.
package main
