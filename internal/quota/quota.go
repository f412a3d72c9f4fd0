// Package quota follows how much processor time the control groups of a process grant, and keeps jobs from using up
// what the frames need.
//
// Go follows the quota too, but rounds it up, and to two processors at least. It does not follow the quota any more
// once a program has set GOMAXPROCS.
package quota

import (
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Every is how often to read a Quota again: GOMAXPROCS shows a change only in whole processors, and not at all
// once the program has set it.
const Every = 10 * time.Second

// A Quota is what the kernel grants this process. The zero Quota is none.
type Quota struct {
	// Files is the system's root folder. With nil it is "/" on Linux, and there is nothing to read elsewhere.
	Files fs.FS

	Bucket Bucket // for a quota below one processor

	whole  atomic.Int32
	readAt atomic.Int64 // a deadline.Instant
}

// Update reads the quota, and returns how many processors that is in each period, 0 for no limit. It takes about
// 120 µs: not for the frame goroutine.
func (q *Quota) Update() (quota float64, period time.Duration) {
	files := q.files()
	if files == nil {
		return 0, 0
	}
	q.readAt.Store(int64(deadline.Now()))
	quota, period = Read(files)
	q.whole.Store(int32(whole(quota, runtime.NumCPU())))
	return quota, period
}

// whole returns how many of the processors a quota grants in full, 0 for no limit, and one for less than one.
func whole(quota float64, processors int) int {
	if quota == 0 {
		return 0
	}
	return max(1, min(int(quota+0.01), processors)) // 1.999 is two for all that matters
}

// Whole returns how many processors the quota grants in full: one for less than one, 0 for no quota.
func (q *Quota) Whole() int { return int(q.whole.Load()) }

// Due reports whether to read the quota again.
func (q *Quota) Due(now deadline.Instant) bool {
	return now.Sub(deadline.Instant(q.readAt.Load())) >= Every && q.files() != nil
}

// Expire makes Due true.
func (q *Quota) Expire() { q.readAt.Store(int64(deadline.Now().Add(-Every))) }

func (q *Quota) files() fs.FS {
	if q.Files != nil || runtime.GOOS != "linux" {
		return q.Files
	}
	return os.DirFS("/")
}
