// Package heaplook spares the frame goroutine a wait within package runtime/metrics.
//
// metrics.Read holds a lock of the process. A read of the heap's numbers may hold this lock for 15 ms. Such a read is a
// look. A reader on the frame goroutine that finds a look in progress leaves its own reading to a later frame.
//
// Count is beside that, because whoever looks at the heap, or leaves the look out, reads counts of the same package.
package heaplook

import (
	"runtime/metrics"
	"sync/atomic"
)

var looks atomic.Int32

// Do calls read, which reads the heap's numbers.
func Do[T any](read func() T) T {
	looks.Add(1)
	defer looks.Add(-1)
	return read()
}

// InProgress reports whether a read may take long now. Any goroutine.
func InProgress() bool { return looks.Load() > 0 }

// Count returns the count of a metric, and 0 for a metric that this version of Go does not have.
func Count(s *metrics.Sample) uint64 {
	if s.Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s.Value.Uint64()
}
