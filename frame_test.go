// Package frameslice_test is the acceptance of the whole machine: whole frames in virtual time, with what
// was on the frame goroutine and when as the expected text, and short runs on real threads.
package frameslice_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const ms = time.Millisecond

// chart draws who was busy when: a row each, a column per half millisecond, frames of 10 ms in bars of 20, and five
// frames to a line.
type chart struct {
	epoch deadline.Instant
	names []string
	mu    sync.Mutex // the host draws its row while the shadow draws the tasks'
	rows  map[string][]byte
}

func newChart(rows ...string) *chart {
	return &chart{epoch: deadline.Now(), names: rows, rows: map[string][]byte{}}
}

// busy is work: it takes d of virtual time and leaves its mark.
func (c *chart) busy(row string, mark byte, d time.Duration) {
	from := int(deadline.Now().Sub(c.epoch) / (ms / 2))
	time.Sleep(d)
	to := int(deadline.Now().Sub(c.epoch) / (ms / 2))
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.rows[row]
	for len(r) < to {
		r = append(r, ' ')
	}
	for i := from; i < to; i++ {
		r[i] = mark
	}
	c.rows[row] = r
}

func (c *chart) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	frames := 0
	for _, r := range c.rows {
		frames = max(frames, (len(r)+19)/20)
	}
	var b strings.Builder
	for first := 0; first < frames; first += 5 {
		if first > 0 {
			b.WriteString("\n")
		}
		for _, name := range c.names {
			if r := c.rows[name]; len(r) > 0 {
				b.WriteString(name + strings.Repeat(" ", 6-len(name)) + line(r, first, min(first+5, frames)) + "\n")
			}
		}
	}
	return b.String()
}

// line is some frames of a row.
func line(r []byte, from, to int) string {
	var b strings.Builder
	for f := from; f < to; f++ {
		part := r[min(20*f, len(r)):min(20*f+20, len(r))]
		fmt.Fprintf(&b, "|%-20s", part)
	}
	return strings.TrimRight(b.String(), " ")
}

func (c *chart) want(t *testing.T, want string) {
	t.Helper()
	got := c.String()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("got\n%swant\n%s", got, strings.TrimLeft(want, "\n"))
	}
}

// host is a window whose swap blocks until the next multiple of 10 ms, after a flush of 1 ms.
type host struct {
	*chart
	loop *frame.Loop
	own  time.Duration
}

func (h *host) frame() {
	h.loop.Begin()
	h.busy("own", 'O', h.own)
	h.loop.Slice()
	h.loop.End()
	h.busy("host", 'f', ms)
	time.Sleep(10*ms - deadline.Now().Sub(h.epoch)%(10*ms))
}

// run makes a loop in a bubble, with frames of 10 ms of which the last 1.5 are reserved unless o says
// otherwise: not a whole number of tasks, because a predicted cost is the upper edge of its class.
func run(t *testing.T, o frame.Options, f func(h *host)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Interval = 10 * ms
		if o.Workers.Workers == 0 {
			o.Workers.Workers = -1
		}
		if o.Budget == (deadline.Budget{}) {
			o.Budget = deadline.Budget{Interval: 10 * ms, Reserve: 3 * ms / 2}
		}
		loop := frame.New(o)
		defer loop.Close()
		f(&host{newChart("own", "tasks", "jobs", "host"), loop, 3 * ms})
	})
}

func TestTasksGetWhatTheFrameLeaves(t *testing.T) {
	run(t, frame.Options{}, func(h *host) {
		for i := range 12 {
			h.loop.Post(deadline.Normal, func() { h.busy("tasks", 'a'+byte(i), ms) })
		}
		for range 3 {
			h.frame()
		}
		h.want(t, `
own   |OOOOOO              |OOOOOO              |OOOOOO
tasks |      aabbccddee    |      ffgghhiijj    |      kkll
host  |                ff  |                ff  |          ff
`)
	})
}

func TestUrgentWorkGoesFirstAndCoroutinesContinue(t *testing.T) {
	run(t, frame.Options{}, func(h *host) {
		h.loop.Go(deadline.Low, func(co *scheduler.Co) {
			for range 4 {
				h.busy("tasks", 'c', 2*ms)
				co.Yield()
			}
		})
		h.loop.Post(deadline.Normal, func() { h.busy("tasks", 'n', ms) })
		h.loop.Post(deadline.UserBlocking, func() { h.busy("tasks", 'u', ms) })
		h.frame()
		h.loop.Post(deadline.Immediate, func() { h.busy("tasks", 'I', ms) })
		h.frame()
		h.frame()
		h.want(t, `
own   |OOOOOO              |OOOOOO              |OOOOOO
tasks |      uunncccc      |      IIcccccccc    |      cccc
host  |              ff    |                ff  |          ff
`)
	})
}

func TestWithoutWorkersJobsRunInTheSlice(t *testing.T) {
	run(t, frame.Options{}, func(h *host) {
		for range 3 {
			h.loop.Pool().Go(deadline.Normal, func() { h.busy("jobs", 'J', 2*ms) })
		}
		h.loop.Post(deadline.Normal, func() { h.busy("tasks", 't', ms) })
		h.frame()
		h.frame()
		h.frame()
		if got := strings.Count(h.String(), "J"); got != 12 {
			t.Errorf("jobs took %d half milliseconds, want 12:\n%v", got, h)
		}
	})
}

func TestAJobsResultComesBackInTheSameSlice(t *testing.T) {
	run(t, frame.Options{}, func(h *host) {
		var got int
		h.loop.Go(deadline.Normal, func(co *scheduler.Co) {
			h.busy("tasks", 's', ms/2)
			job := workers.Submit(h.loop.Pool(), deadline.Normal, func(context.Context) (int, error) {
				h.busy("jobs", 'J', 2*ms)
				return 42, nil
			})
			got, _ = scheduler.Await(co, job)
			h.busy("tasks", 'r', ms)
		})
		h.frame()
		if got != 42 {
			t.Errorf("the job's result is %d, want 42", got)
		}
		h.want(t, `
own   |OOOOOO
tasks |      s    rr
jobs  |       JJJJ
host  |             ff
`)
	})
}

// The first task takes 2.5 ms more than the slice has. The frame is late, and a shorter slice later would not mend
// that. So the next slices are whole.
func TestAnOverrunTakesNothingFromLaterSlices(t *testing.T) {
	run(t, frame.Options{}, func(h *host) {
		h.loop.Post(deadline.UserBlocking, func() { h.busy("tasks", 'B', 8*ms) }) // 3 ms too long
		for range 20 {
			h.loop.Post(deadline.Normal, func() { h.busy("tasks", 'a', ms/2) })
		}
		for range 4 {
			h.frame()
		}
		h.want(t, `
own   |OOOOOO              |                    |OOOOOO              |OOOOOO              |OOOOOO
tasks |      BBBBBBBBBBBBBB|BB                  |      aaaaaaaaaa    |      aaaaaaaaaa    |
host  |                    |  ff                |                ff  |                ff  |      ff
`)
	})
}

func TestTheShadowSliceLiesBesideTheHost(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no shadow")
	}
	run(t, frame.Options{Placement: frame.PlaceShadow}, func(h *host) {
		for i := range 12 {
			h.loop.Post(deadline.Normal, func() { h.busy("tasks", 'a'+byte(i), ms) })
		}
		for range 3 {
			h.frame()
		}
		h.want(t, `
own   |OOOOOO              |OOOOOO              |OOOOOO
tasks |      aabbccddee    |      ffgghhiijj    |      kkll
host  |      ff            |      ff            |      ff
`)
	})
}

// The second frame works for 12 ms and the third starts 3 ms late, at once, with the deadline of its own
// tick. The fourth is 7 ms over its tick: the tick at 40 ms is skipped. Frames that have no time left leave the
// work out, because the frame before each has served it.
func TestRunKeepsItsGrid(t *testing.T) {
	run(t, frame.Options{Budget: deadline.Budget{Reserve: ms}}, func(h *host) {
		own := []time.Duration{3 * ms, 12 * ms, 3 * ms, 16 * ms}
		for range 100 {
			h.loop.Post(deadline.Idle, func() { h.busy("tasks", 'i', ms) })
		}
		n := 0
		err := h.loop.Run(context.Background(), func() error {
			if n == len(own) {
				return frame.ErrStop
			}
			h.busy("own", 'O', own[n])
			n++
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		h.want(t, `
own   |OOOOOO              |OOOOOOOOOOOOOOOOOOOO|OOOOOOOOOO          |OOOOOOOOOOOOOOOOOOOO|OOOOOOOOOOOO
tasks |      iiiiiiiiiiii  |                    |          iiiiii    |                    |
`)
	})
}

func TestSixtyFramesOnRealThreads(t *testing.T) {
	loop := frame.New(frame.Options{Interval: 5 * ms, Workers: workers.Options{Workers: 2}})
	defer loop.Close()
	var jobs, back atomic.Int64
	var tasks, frames int
	err := loop.Run(context.Background(), func() error {
		if frames++; frames > 60 && (back.Load() > 0 || frames > 10_000) { // the workers may get no processor for long
			return frame.ErrStop
		}
		for range 8 {
			loop.Post(deadline.Normal, func() { tasks++ })
			loop.Go(deadline.Low, func(co *scheduler.Co) {
				job := func(context.Context) (int64, error) { return jobs.Add(1), nil }
				n, err := scheduler.Await(co, workers.Submit(loop.Pool(), deadline.Normal, job))
				if err == nil && n > 0 {
					back.Add(1)
				}
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if tasks == 0 || jobs.Load() == 0 || back.Load() == 0 {
		t.Errorf("%d tasks, %d jobs, %d results in %d frames", tasks, jobs.Load(), back.Load(), frames)
	}
	recs := loop.Recorder().Recent(make([]record.Record, frames+1))
	for i, r := range recs {
		if r.Number != uint64(i+1) || i > 0 && r.Start.Sub(recs[i-1].Start) != r.Interval {
			t.Fatalf("record %d: number %d, interval %v; want one record per frame, in order", i, r.Number, r.Interval)
		}
	}
	if len(recs) != frames {
		t.Errorf("%d records for %d frames", len(recs), frames)
	}
}

func TestEverythingEndsInTheMiddleOfALoad(t *testing.T) {
	for _, place := range []frame.Placement{frame.PlaceAfterDraw, frame.PlaceShadow} {
		loop := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: 2}, CloseTimeout: -1})
		for range 50 {
			loop.Go(deadline.Normal, func(co *scheduler.Co) {
				for {
					time.Sleep(100 * time.Microsecond)
					co.NextFrame()
				}
			})
			loop.Pool().Go(deadline.Low, func() { time.Sleep(ms) })
		}
		for range 5 {
			loop.Begin()
			loop.Slice()
			loop.End()
		}
		loop.Close() // in the shadow's case, while its slice runs
		<-loop.Done()
		loop.Begin()
		loop.Slice()
		loop.End()
	}
}
