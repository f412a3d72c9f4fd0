// Package frameslice is the map of a frame-aware executor for games and graphical programs. It holds no code. These
// packages do:
//
//   - frame: the loop. It gives every frame a slice of time for tasks, paces frames that nothing else
//     paces, wraps an Ebitengine game in one line, and records what became of each frame. Start here.
//     Package frame/load loads by key, frame/record measures frames (also without a loop of ours), frame/plot
//     draws them, and frame/flight traces late ones.
//   - scheduler: what runs on the frame goroutine. Functions, steps and coroutines in the order of their
//     expirations, until a deadline. Package scheduler/flow limits what gets into its queue, and
//     scheduler/replay plays loads of tasks in virtual time.
//   - workers: what leaves it. A work-stealing pool with futures, fork-join and parallel loops, whose
//     workers stay out of the frame's way.
//   - deadline: when. Priorities and their timeouts, instants, deadlines, budgets and estimates of cost.
//   - demo: a program that shows frames under load, with each of these and without.
//
// Imports point one way: deadline <- scheduler <- frame and deadline <- workers <- frame. Only demo imports
// Ebitengine.
//
// The words mean one thing each. A frame is one refresh of the display, and a tick one fixed-step update. The slice is
// the part of a frame that tasks get. The budget is the time granted, and the deadline the instant at which it ends. A
// task is a cooperative unit on the frame goroutine, a job a unit on the pool. A lane is the queue of one priority. To
// yield is to give the frame back. An overrun is work past the deadline. Expired work has waited past its expiration. A
// hitch is a frame shown late.
package frameslice
