package frametest_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/frametest"
)

// notes are what happens in a play, in order.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

// A play of a seed is the same again where many goroutines sleep equally long, wait for the same, or try again.
func TestBusySeedsRepeat(t *testing.T) {
	for name, game := range map[string]func(l *frame.Loop, n *notes){
		"loads that are tried again":  loadsAgain,
		"a cache":                     cached,
		"jobs that wait for a future": waitForOne,
		"timers, groups and futures":  groupsAndFutures,
	} {
		for i := range fewer(*seeds) {
			play := func() string {
				var n notes
				made, err := frametest.PlaySeed(t, strconv.Itoa(i), func(l *frame.Loop) func() error {
					game(l, &n)
					return func() error {
						if l.Frame() == 300 {
							return frame.ErrStop
						}
						return nil
					}
				})
				if err != nil || len(n.lines) == 0 {
					t.Errorf("%s: %d lines, %v", name, len(n.lines), err)
				}
				return strings.Join(n.lines, "\n") + "\nby\n" + strings.Join(made, "\n")
			}
			if one, two := play(), play(); one != two {
				t.Fatalf("%s, seed %d:\n%s\n\nand then\n%s", name, i, one, two)
			}
		}
	}
}

func loadsAgain(l *frame.Loop, n *notes) {
	tries := map[int]int{}
	var mu sync.Mutex
	ld := frameslice.NewLoaderFrom(l, frameslice.LoadOptions{Attempts: 4},
		func(_ context.Context, key int, _ *frameslice.Meter) ([]byte, error) {
			time.Sleep(3 * ms)
			mu.Lock()
			defer mu.Unlock()
			if tries[key]++; tries[key] < 4 && key%2 == 0 {
				return nil, errors.New("try again")
			}
			return []byte{byte(key)}, nil
		},
		func(_ context.Context, _ int, b []byte) (int, error) {
			time.Sleep(3 * ms)
			return int(b[0]), nil
		})
	for key := range 12 {
		ld.Load(context.Background(), key, func(v int, err error) { n.add("frame %d: %d, %v", l.Frame(), v, err) })
	}
}

func cached(l *frame.Loop, n *notes) {
	ld := frameslice.NewLoader(l, frameslice.LoadOptions{},
		func(_ context.Context, key int, _ *frameslice.Meter) (int, error) {
			time.Sleep(3 * ms)
			return key, nil
		})
	c := frameslice.NewCache(ld, frameslice.CacheOptions[int, int]{
		Budget: 10,
		Commit: func(key, v int) int { n.add("commit %d in %d", key, l.Frame()); return v },
		Evict:  func(key, _ int) { n.add("evict %d in %d", key, l.Frame()) },
	})
	near, far := c.View(context.Background()), c.View(context.Background())
	l.Each(frameslice.BeforeUpdate, func() {
		k := int(l.Frame() / 10)
		near.Show([]int{k, k + 1, k + 2}, []int{k + 3, k + 4, k + 5})
		far.Show([]int{k + 20, k + 21}, []int{k + 23, k + 24, k + 25})
	})
}

func waitForOne(l *frame.Loop, n *notes) {
	wait := func(f *frameslice.Future[int], name string, i int) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			_, _ = f.Wait(ctx)
			n.add("%s %d", name, i)
			return 0, nil
		}
	}
	sleep := func(context.Context) (int, error) { time.Sleep(3 * ms); return 0, nil }
	job, io := frameslice.Submit(l, frameslice.Normal, sleep), frameslice.SubmitIO(l, sleep)
	for i := range 4 {
		frameslice.Submit(l, frameslice.Normal, wait(job, "job", i))
		frameslice.SubmitIO(l, wait(io, "io", i))
	}
}

func groupsAndFutures(l *frame.Loop, n *notes) {
	sleep := func(context.Context) (int, error) { time.Sleep(3 * ms); return 0, nil }
	g := l.NewGroup("g")
	for i := range 4 {
		g.Every(frameslice.Normal, time.Duration(10+i)*ms, func() { n.add("every %d in %d", i, l.Frame()) })
		g.Go(frameslice.Low, func(co *frameslice.Co) {
			for {
				_, _ = frameslice.Background(co, l, sleep)
				n.add("coroutine %d in %d", i, l.Frame())
				co.Sleep(3 * ms)
			}
		})
		for _, f := range []*frameslice.Future[int]{frameslice.SubmitIO(l, sleep), frameslice.Submit(l, 0, sleep)} {
			f.Notify(func() { l.Post(frameslice.Normal, func() { n.add("posted %d in %d", i, l.Frame()) }) })
		}
	}
	l.Each(frameslice.BeforeUpdate, func() {
		switch l.Frame() % 40 {
		case 5:
			g.SetSpeed(0.5)
		case 10:
			g.Pause()
		case 15:
			g.Resume()
		case 20:
			g.SetSpeed(3)
		}
	})
}

// Work of one producer keeps its order: a job posts, ends, and the coroutine that waits for the job sees what was
// posted. Tasks of one priority run in the order of their Posts.
func TestSeedsKeepWhatIsPromised(t *testing.T) {
	seed, text, _, _ := frametest.FirstFailure(t, fewer(200), func(l *frame.Loop) func() error {
		tiles, last := 0, 0
		var fault error
		l.Go(frameslice.Normal, func(co *frameslice.Co) {
			_, _ = frameslice.Background(co, l, func(context.Context) (int, error) {
				for range 3 {
					l.Post(frameslice.Normal, func() { tiles++ })
				}
				return 0, nil
			})
			if tiles != 3 {
				fault = fmt.Errorf("%d tiles of 3", tiles)
			}
		})
		return func() error {
			for i := range 3 {
				n := 3*int(l.Frame()) + i
				l.Post(frameslice.Normal, func() {
					if n <= last {
						fault = fmt.Errorf("task %d after %d", n, last)
					}
					last = n
				})
			}
			if l.Frame() == 200 {
				return frame.ErrStop
			}
			return fault
		}
	})
	if seed != "" {
		t.Error(text)
	}
}
