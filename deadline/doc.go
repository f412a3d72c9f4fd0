// Package deadline says when: how urgent work is, when a slice of a frame ends, how long it may be, and what a piece of
// work will cost.
//
//   - [Priority] and [Timeouts]: five degrees of urgency, each a timeout after which waiting work is overdue.
//   - [Instant] and [Deadline]: points on the monotonic clock, as an int64 and as an end of granted time.
//   - [Budget]: the part of a frame that tasks get.
//   - [Estimate]: what work of a kind has cost lately, so that it starts only if it fits.
//   - [Histogram] and [Tally]: how often something took how long, on one goroutine and on many.
//   - [Policy]: the order of work, by expiration or by priority.
//
// # Time is an argument
//
// Only [Now], [In] and the methods of Deadline that say so read the clock. Everything else takes now, for
// three reasons: a read costs more than a push and a pop; work of one frame that is stamped alike stays in
// order; and a test may be any instant it likes. There is no Clock interface: within testing/synctest, Now is
// the bubble's.
package deadline
