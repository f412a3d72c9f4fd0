//go:build explore

package load

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/scheduler"
)

// A lifetime is a life whose end another goroutine of the program tells.
type lifetime struct {
	over  atomic.Bool
	watch atomic.Int32
	f     func()
}

// What has become of the watch.
const (
	unwatched int32 = iota
	watched
	unwatchedAgain
	told
)

func (l *lifetime) Err() error {
	if l.over.Load() {
		return context.Canceled
	}
	return nil
}

func (l *lifetime) AfterFunc(f func()) (stop func() bool) {
	l.f = f
	l.watch.Store(watched)
	return func() bool { return l.watch.CompareAndSwap(watched, unwatchedAgain) }
}

// tell calls the function as soon as there is one after the end, and ends when no other can come.
func (l *lifetime) tell(noMore *atomic.Bool) {
	for !l.over.Load() {
		l.over.Await()
	}
	for {
		last := noMore.Load()
		if l.watch.CompareAndSwap(watched, told) {
			l.f()
			return
		}
		if last {
			return
		}
		explore.Yield()
	}
}

// ready returns a request whose decode has ended, so that run commits.
func ready(l life, commit func(int, error)) *request[int, int] {
	ld := &Loader[int, int]{decodes: map[int]*decoding[int, int]{}}
	r := &request[int, int]{ld: ld, commit: commit, decode: &decoding[int, int]{ld: ld, ended: true}}
	r.life, r.count, r.in = l, &ld.count, alone{}
	r.place = r.decode.wanted.PushBack(r)
	r.rank(r.priority, 1)
	return r
}

// alone is a request of which no task is told.
type alone struct{}

func (alone) canceled()    {}
func (alone) reranked()    {}
func (alone) what() string { return "" }

// The host commits a request, or not, and closes the loop. Others cancel the request, and wait for its end twice (L5).
func TestExploreWhoWaitsIsCalledOnce(t *testing.T) {
	for _, c := range []struct {
		commits, cancels bool
		preemptions      int
	}{{true, false, 4}, {false, true, 3}, {true, true, 3}} {
		t.Run(fmt.Sprint("commits ", c.commits, ", cancels ", c.cancels), func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				var l lifetime
				var noMore atomic.Bool
				committed, canceled := 0, false
				r := ready(&l, func(int, error) { committed++ })
				var calls [2]int
				p.Go("host", func() {
					if c.commits {
						r.run()
					}
					l.over.Store(true)
				})
				p.Go("watch", func() { l.tell(&noMore) })
				p.Go("waiter", func() {
					for i := range calls {
						r.Notify(func() {
							calls[i]++
							if s, _ := r.Result(); s == Pending {
								p.Fail("called before the end")
							}
						})
					}
					noMore.Store(true)
				})
				if c.cancels {
					p.Go("canceler", func() { canceled = r.Cancel() })
				}
				p.End(func() error {
					if calls != [2]int{1, 1} {
						return fmt.Errorf("called %d times", calls)
					}
					want, reason := Canceled, scheduler.ErrCanceled
					if committed == 1 {
						want, reason = Loaded, nil
					}
					if s, err := r.Result(); s != want || !errors.Is(err, reason) || canceled && committed > 0 {
						return fmt.Errorf("%v, %v, committed %d times, canceled %v", s, err, committed, canceled)
					}
					return nil
				})
			})
		})
	}
}
