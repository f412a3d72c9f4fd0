//go:build explore

package mpmc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// canceled is a context that is done as soon as done says so.
type canceled struct {
	context.Context
	done func() bool
}

func (c *canceled) Err() error {
	if c.done() {
		return context.Canceled
	}
	return nil
}

// two claims two cells, calls do with the number and the value of each, and passes the second first.
func two(q *Queue[int], pop Side, do func(n int, v *int)) {
	claim := q.Reserve
	if pop {
		claim = q.Take
	}
	var cells [2]*Cell[int]
	for n := range cells {
		q.Await(pop, nil, func() (ok bool) {
			c, err := claim()
			cells[n] = c
			return err == nil
		})
		do(n+1, &cells[n].Value)
	}
	for _, n := range []int{1, 0} {
		cells[n].Pass()
		q.Tell()
	}
}

// Each goroutine follows a script: p pushes a value and g pops one, d pops until the queue is closed and empty, x
// closes. G pops until c cancels, and pushes the value again. L pops until three goroutines are asleep. r pushes two
// values and t pops two, and both pass the second cell first.
//
// No script waits for what no other script does, so a goroutine that sleeps for good is a deadlock.
func TestExploreQueueLosesNoValueAndNoWakeUp(t *testing.T) {
	for _, c := range []struct {
		scripts  string
		capacity int
		full     bool // at first
	}{
		{"ppp ggg", 1, false},
		{"ppp t", 2, false},
		{"d d x", 1, false},
		{"pp x p", 1, false},
		{"p d x", 1, false},
		{"ppx gg", 1, false},
		{"p p g", 1, false},
		{"gg g px", 1, false},
		{"r g g", 2, false},
		{"p p t", 2, true},
		{"p g xg", 1, false},
		{"cp G g", 1, false},
		{"g Lpp g", 1, false},
	} {
		t.Run(fmt.Sprint(c.scripts, " ", c.capacity), func(t *testing.T) {
			explore.Explore(t, 2, func(p *explore.Program) {
				q := new(Queue[int])
				q.Init(c.capacity)
				var cancel atomic.Bool // by c
				ctx := &canceled{t.Context(), cancel.Load}
				three := &canceled{t.Context(), func() bool { return q.asleep.Load() == 3*onePopper }}
				scripts := strings.Fields(c.scripts)
				given, got := make([][]int, len(scripts)+1), make([][]int, len(scripts)+1)
				for v := 10 * len(scripts); c.full && q.TryPush(v) == nil; v++ {
					given[len(scripts)] = append(given[len(scripts)], v)
				}
				for i, script := range scripts {
					push := func(v int) {
						if err := q.Push(nil, v); err == nil {
							given[i] = append(given[i], v)
						} else if !errors.Is(err, ErrClosed) {
							p.Fail("push: %v", err)
						}
					}
					pop := func(ctx context.Context) (v int, err error) {
						if v, err = q.Pop(ctx); err == nil {
							got[i] = append(got[i], v)
						} else if ctx == nil && !errors.Is(err, ErrClosed) {
							p.Fail("pop: %v", err)
						}
						return v, err
					}
					p.Go(script, func() {
						for k, op := range script {
							switch op {
							case 'p':
								push(10*i + k + 1)
							case 'g':
								pop(nil)
							case 'G':
								if v, err := pop(ctx); err == nil {
									push(v)
								}
							case 'L':
								pop(three)
							case 'd':
								for err := error(nil); err == nil; {
									_, err = pop(nil)
								}
							case 'r', 't':
								two(q, Side(op == 't'), func(n int, v *int) {
									if op == 'r' {
										*v = 10*i + n
										given[i] = append(given[i], *v)
									} else {
										got[i] = append(got[i], *v)
									}
								})
							case 'x':
								q.Close()
							case 'c':
								cancel.Store(true)
							}
						}
					})
				}
				p.End(func() error {
					for range c.capacity + 1 {
						v, err := q.TryPop()
						if err != nil {
							break
						}
						if got[len(scripts)] = append(got[len(scripts)], v); strings.Contains(c.scripts, "d") {
							return fmt.Errorf("%d is there, though a pop has found the end", v)
						}
					}
					in, out := slices.Concat(given...), slices.Concat(got...)
					slices.Sort(in)
					slices.Sort(out)
					if !slices.Equal(in, out) {
						return fmt.Errorf("%v went in, %v came out", in, out)
					}
					for _, mine := range got {
						for i := range given {
							of := slices.DeleteFunc(slices.Clone(mine), func(v int) bool { return v/10 != i })
							if !slices.IsSorted(of) {
								return fmt.Errorf("a popper got %v of one pusher", of)
							}
						}
					}
					if n := q.asleep.Load(); n != 0 {
						return fmt.Errorf("asleep is %#x in the end", n)
					}
					return nil
				})
			})
		})
	}
}
