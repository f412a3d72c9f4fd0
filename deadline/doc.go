// Package deadline says when: how urgent work is, when granted time ends, and what a piece of work will cost.
//
//   - [Priority] and [Timeouts]: five degrees of urgency, each with a timeout after which waiting work is overdue.
//   - [Policy]: the order of work, by expiration or by priority.
//   - [Instant] and [Deadline]: a point on the monotonic clock, and an end of granted time.
//   - [Budget]: the part of a frame that tasks get.
//   - [Estimate]: what work of a kind has cost lately. Work starts only if its estimate fits.
//
// # Time is an argument
//
// Only [Now], [In] and the methods of Deadline that say so read the clock. All other functions take now. A read of the
// clock costs more than a push to a queue and a pop. Work of one frame with one stamp stays in order. And a test can be
// at any instant. Within testing/synctest, Now follows the bubble's clock.
package deadline
