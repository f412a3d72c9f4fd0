package deadline_test

import (
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
)

func TestNowMovesInSmallSteps(t *testing.T) {
	least := time.Hour
	for range 1000 {
		begin := deadline.Now()
		step := time.Duration(0)
		for step == 0 {
			step = deadline.Now().Sub(begin)
		}
		least = min(least, step)
	}
	if least > 20*time.Microsecond { // time.Now: 500 or more
		t.Errorf("the smallest of 1,000 steps is %v", least)
	}
}

func TestNowGoesAsFastAsTime(t *testing.T) {
	begin, real := deadline.Now(), time.Now()
	time.Sleep(300 * time.Millisecond)
	d, want := deadline.Now().Sub(begin), time.Since(real)
	// Between the two readings of a pair the goroutine may stand still, and time.Now is late by a step.
	if d < want-50*time.Millisecond || d > want+time.Second {
		t.Errorf("%v have passed, by time.Now %v", d, want)
	}
}

func TestNowOnManyGoroutines(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			last := deadline.Now()
			for range 20_000 {
				now := deadline.Now()
				if now < last || now.Sub(last) > time.Minute {
					t.Errorf("%v after %v", now, last)
					return
				}
				last = now
			}
		})
	}
	wg.Wait()
	testkit.NoAllocs(t, func() { deadline.Now() })
}
