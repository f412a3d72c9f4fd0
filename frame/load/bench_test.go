package load_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/workers"
)

// Requests for one key cost the same each, however many share its decode, committed or canceled.
func BenchmarkRequestsForOneKey(b *testing.B) {
	for _, end := range []string{"commit", "cancel"} {
		for _, n := range []int{10, 100, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", end, n), func(b *testing.B) {
				l := frame.New(frame.Options{
					Budget:  deadline.Budget{Interval: time.Second, Reserve: -1},
					Workers: workers.Options{Workers: -1}, // the slice decodes
				})
				defer l.Close()
				ld := load.New(l, load.Options{},
					func(context.Context, int, *load.Meter) (int, error) { return 1, nil })
				commits, want := 0, 0
				commit := func(int, error) { commits++ }
				requests := make([]*load.Request, n)
				b.ReportAllocs()
				for b.Loop() {
					for i := range requests {
						requests[i] = ld.Load(bg, 0, commit)
					}
					if end == "cancel" {
						l.Post(deadline.Immediate, func() {
							for _, r := range requests {
								r.Cancel()
							}
						})
					} else {
						want += n
					}
					for ld.Progress().Fraction() < 1 {
						l.Begin()
						l.Slice()
						l.End()
					}
				}
				if commits != want {
					b.Fatalf("%d commits, want %d", commits, want)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/request")
			})
		}
	}
}
