// Package deadline says when: how urgent work is, and when granted time ends.
//
//   - [Priority] and [Timeouts]: five degrees of urgency, and how long work may wait.
//   - [Instant] and [Deadline]: a point on the monotonic clock, and an end of granted time.
//   - [Budget]: the part of a frame that tasks get.
//
// Only [Now], [In] and the methods of Deadline that say so read the clock. The rest takes now.
package deadline
