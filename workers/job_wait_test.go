package workers_test

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

// Wait runs the job itself within a job, where no worker can begin that job, and sleeps outside.
func BenchmarkWait(b *testing.B) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(background)
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	j := &workers.Job{Func: func(*workers.Worker) {}}
	wait := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Submit(j)
			if err := j.Wait(ctx); err != nil {
				b.Error(err)
			}
		}
	}
	b.Run("outside", wait)
	b.Run("in a job", func(b *testing.B) {
		outer := &workers.Job{Func: func(*workers.Worker) { wait(b) }}
		p.Submit(outer)
		_ = outer.Wait(ctx)
	})
}
