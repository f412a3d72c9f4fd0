package park

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/internal/testkit"
)

// eachParker runs f on a parker of every kind that the platform has.
func eachParker(t *testing.T, f func(t *testing.T, p Parker)) {
	for _, k := range []Kind{Chan, Poll, Syscall} {
		p, way := New(k, false)
		if way != k {
			p.Close()
			continue
		}
		t.Run(k.String(), func(t *testing.T) { f(t, p) })
	}
}

func TestParkersOfThePlatform(t *testing.T) {
	have := map[string][]Kind{"linux": {Poll, Syscall}, "windows": {Syscall}}[runtime.GOOS]
	for _, k := range []Kind{Chan, Poll, Syscall} {
		p, got := New(k, false)
		p.Close()
		want := k
		if !slices.Contains(have, k) {
			want = Chan
		}
		if got != want {
			t.Errorf("who asks for %v gets %v, want %v", k, got, want)
		}
	}
}

// A Post before the Wait ends the Wait, and two such Posts leave one token.
func TestATokenOutlivesTheMoment(t *testing.T) {
	eachParker(t, func(t *testing.T, p Parker) {
		defer p.Close()
		for range 1000 {
			p.Post()
			p.Post()
			p.Wait()
		}
	})
}

// Two that take turns, each of which sleeps until the other has posted: a post that is lost leaves both asleep.
func TestParkersTakeTurns(t *testing.T) {
	rounds := int64(5000)
	if testing.Short() {
		rounds = 500
	}
	eachParker(t, func(t *testing.T, ping Parker) {
		pong, _ := New(Chan, false)
		defer ping.Close()
		var turn atomic.Int64
		go func() {
			for i := int64(1); i < 2*rounds; i += 2 {
				for turn.Load() != i {
					ping.Wait()
				}
				turn.Store(i + 1)
				pong.Post()
			}
		}()
		for i := int64(0); i < 2*rounds; i += 2 {
			turn.Store(i + 1)
			ping.Post()
			for turn.Load() != i+2 {
				pong.Wait()
			}
		}
	})
}

// Several post at once, each after it has made something visible; who waits sees all of it.
func TestEveryPostIsFollowedByALook(t *testing.T) {
	const posters, each = 3, 500
	eachParker(t, func(t *testing.T, p Parker) {
		var visible atomic.Int64
		var all sync.WaitGroup
		for range posters {
			all.Go(func() {
				for range each {
					visible.Add(1)
					p.Post()
				}
			})
		}
		for seen := int64(0); seen < posters*each; seen += visible.Swap(0) {
			p.Wait()
		}
		all.Wait()
		p.Close()
		p.Post() // a post may still be on its way
	})
}

func TestPostsDoNotAllocate(t *testing.T) {
	eachParker(t, func(t *testing.T, p Parker) {
		defer p.Close()
		if n := testkit.Allocs(100, func() { p.Post(); p.Wait() }); n > 0 {
			t.Errorf("a post and a wait: %v allocations", n)
		}
	})
}
