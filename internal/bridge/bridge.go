// Package bridge lets a type of one package of this module offer verbs to the others, without a method that users see.
//
// The type embeds a Door, by an alias with an unexported name. A Door has an unexported method that only this package
// can call, and the type has that method too. So Of finds the verbs, and the compiler checks that there are some. There
// is neither a registry nor a word that users could write.
package bridge

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A Door is embedded by a type that offers the verbs V.
type Door[V any] struct{ verbs V }

// New returns the Door to verbs.
func New[V any](verbs V) Door[V] { return Door[V]{verbs} }

func (d *Door[V]) open() V { return d.verbs }

// Of returns the verbs that x offers.
func Of[V any](x interface{ open() V }) V { return x.open() }

// A Runner runs jobs of a workers.Pool on one goroutine again and again: the pool's RunUntil without its allocations.
//
// Call a Runner's methods on one goroutine only, or on several goroutines that are not locked to a thread, one at a
// time. The goroutine must neither lock nor unlock its thread after the first call. Otherwise the Go runtime ends the
// process.
type Runner interface {
	// RunUntil does what Pool.RunUntil does, without allocating: about 100 ns, plus 150 ns for each job.
	RunUntil(d deadline.Deadline) (ran int)

	// Longest returns the label or function of the longest run in the latest RunUntil, and how long the run took. Both
	// are zero if that call ran nothing.
	Longest() (name string, d time.Duration)

	// Rest has the Runner's function wake called once: now, if there is a job that no worker takes, or when the next
	// such job comes. Such jobs are those of a pool without workers, and those that have yielded. The first Rest
	// allocates.
	Rest()

	// Close ends the coroutine, and a Rest. It must not be called within a job. A later RunUntil opens the Runner
	// again.
	Close()
}
