package flow

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// NewLatestOf is NewLatest for so many keys.
func NewLatestOf[K comparable, V any](
	s *scheduler.Scheduler, p deadline.Priority, keys int, f func(key K, value V),
) *Latest[K, V] {
	return newLatest(s, p, int64(keys), f)
}

// SubscribeOf is Subscribe with room for so many values.
func SubscribeOf[T any](t *Topic[T], p deadline.Priority, limit int, f func(T)) *Subscription[T] {
	return t.subscribe(p, limit, f)
}
