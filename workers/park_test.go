package workers

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// eachParker runs f on a parker of every kind that the platform has.
func eachParker(t *testing.T, f func(t *testing.T, bed parker)) {
	needsWorkers(t)
	for _, k := range []Park{ParkChan, ParkPoll, ParkSyscall} {
		bed, way := newParker(k, false)
		if way != k {
			bed.close()
			continue
		}
		t.Run(k.String(), func(t *testing.T) { f(t, bed) })
	}
}

func TestParkersOfThePlatform(t *testing.T) {
	have := map[string][]Park{"linux": {ParkPoll, ParkSyscall}, "windows": {ParkSyscall}}[runtime.GOOS]
	for _, k := range []Park{ParkChan, ParkPoll, ParkSyscall} {
		bed, got := newParker(k, false)
		bed.close()
		want := k
		if !slices.Contains(have, k) {
			want = ParkChan
		}
		if got != want {
			t.Errorf("who asks for %v gets %v, want %v", k, got, want)
		}
	}
}

// W4: what is posted before the wait ends it, and nothing is left over but what was posted after.
func TestATokenOutlivesTheMoment(t *testing.T) {
	eachParker(t, func(t *testing.T, bed parker) {
		defer bed.close()
		for range 1000 {
			bed.post()
			bed.post()
			bed.wait()
		}
	})
}

// Two that take turns, each of which sleeps until the other has posted: a post that is lost leaves both asleep.
func TestParkersTakeTurns(t *testing.T) {
	rounds := int64(5000)
	if testing.Short() {
		rounds = 500
	}
	eachParker(t, func(t *testing.T, ping parker) {
		pong, _ := newParker(ParkChan, false)
		defer ping.close()
		var turn atomic.Int64
		go func() {
			for i := int64(1); i < 2*rounds; i += 2 {
				for turn.Load() != i {
					ping.wait()
				}
				turn.Store(i + 1)
				pong.post()
			}
		}()
		for i := int64(0); i < 2*rounds; i += 2 {
			turn.Store(i + 1)
			ping.post()
			for turn.Load() != i+2 {
				pong.wait()
			}
		}
	})
}

// Several post at once, each after it has made something visible; who waits sees all of it.
func TestEveryPostIsFollowedByALook(t *testing.T) {
	const posters, each = 3, 500
	eachParker(t, func(t *testing.T, bed parker) {
		var visible atomic.Int64
		var all sync.WaitGroup
		for range posters {
			all.Go(func() {
				for range each {
					visible.Add(1)
					bed.post()
				}
			})
		}
		for seen := int64(0); seen < posters*each; seen += visible.Swap(0) {
			bed.wait()
		}
		all.Wait()
		bed.close()
		bed.post() // a post may still be on its way
	})
}

func TestPostsDoNotAllocate(t *testing.T) {
	eachParker(t, func(t *testing.T, bed parker) {
		defer bed.close()
		n := 1.0
		for tries := 0; n > 0 && tries < 5; tries++ { // what others allocate meanwhile counts, too
			n = testing.AllocsPerRun(100, func() { bed.post(); bed.wait() })
		}
		if n > 0 {
			t.Errorf("a post and a wait: %v allocations", n)
		}
	})
}
