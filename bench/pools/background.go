package main

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/bench/report"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/words"
)

// background are workloads about a pool's effect on others: how it delays urgent work while it has plenty of other
// work, and the processor time that it takes while it has none.
func background(z sizes) []workload {
	about := fmt.Sprintf("a job every 10 ms, from due to start, behind %d of 100 µs; drain is the time for those", z.backlog)
	all := []workload{{name: "urgent", numbers: []int{z.backlog}, about: about + "; the frame sleeps on a timer",
		run: func(s system, workers int) ([]report.Value, error) { return urgent(s, workers, z.backlog, timerWait) }}}
	if hasSwapWait {
		all = append(all, workload{name: "urgent-swap", numbers: []int{z.backlog},
			about: about + "; the frame waits in the system, as in a buffer swap",
			run:   func(s system, workers int) ([]report.Value, error) { return urgent(s, workers, z.backlog, swapWait) }})
	}
	if _, ok := cpuTime(); ok {
		all = append(all, workload{name: "idle", numbers: []int{z.idle}, maxRounds: 3,
			about: fmt.Sprintf("processor time of the process over %d ms without work", z.idle),
			run:   func(s system, workers int) ([]report.Value, error) { return idle(s, workers, z.idle) }})
	}
	return all
}

var errRuns = errors.New("wrong number of runs")

// period is that of the frames that submit the urgent jobs.
const period = 10 * time.Millisecond

// timerWait returns at due, or soon after. While goroutines keep all processors busy, it returns when the first of them
// ends. A processor that waits in the poller counts in milliseconds.
func timerWait(due deadline.Instant) { time.Sleep(due.Sub(now())) }

// urgent is the frame: it waits until the next job is due, submits it, and continues. A goroutine feeds the backlog,
// because some pools block the caller of submit. The wait counts from the time when the job was due, because a frame
// that comes late is late for the player.
func urgent(s system, workers, backlog int, wait func(due deadline.Instant)) ([]report.Value, error) {
	p := s.twice(workers)
	defer p.close()
	steps := stepsFor(100 * time.Microsecond)
	var left, ran sync.WaitGroup
	var done, odd atomic.Int64
	left.Add(backlog)
	job := func() { odd.Add(burn(0, 1, steps)); done.Add(1); left.Done() }
	t0 := now()
	go func() {
		for range backlog {
			p.background(job)
		}
	}()
	drained := make(chan time.Duration, 1)
	go func() { left.Wait(); drained <- since(t0) }()
	var began []*time.Duration
	for due := t0; ; {
		due += deadline.Instant(period)
		wait(due)
		at := new(time.Duration)
		began = append(began, at)
		ran.Add(1)
		p.urgent(func() { *at = since(due); ran.Done() })
		select {
		case d := <-drained:
			ran.Wait()
			if done.Load() != int64(backlog) {
				return nil, errRuns
			}
			waits := make([]time.Duration, len(began))
			for i, b := range began {
				waits[i] = *b
			}
			return append(quantiles("start-", waits, 1, "max"),
				report.Value{Metric: "drain", V: words.Millis(d), Unit: "ms"}), nil
		default:
		}
	}
}

// idle measures a pool that has worked a little before.
func idle(s system, workers, ms int) ([]report.Value, error) {
	p := s.open(workers)
	defer p.close()
	if _, err := produce(p, 1, 1000); err != nil {
		return nil, err
	}
	time.Sleep(100 * time.Millisecond)
	d := time.Duration(ms) * time.Millisecond
	before, _ := cpuTime()
	time.Sleep(d)
	after, _ := cpuTime()
	return []report.Value{{Metric: "cpu", V: float64(after-before) / 1e3 / d.Seconds(), Unit: "µs/s"}}, nil
}
