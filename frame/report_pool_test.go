package frame_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/workers"
)

func TestReportHasThePoolsFigures(t *testing.T) {
	rep := frame.NewReport("pool", recorded(frame.Intervals{r, r, r, r}, 10), frame.Environment{})
	if rep.Pool != nil || strings.Contains(rep.String(), "pool:") {
		t.Fatal("there are figures that nobody added")
	}
	n := rep.Run.Frames // two of them are warm-up, whose jobs are counted, too
	before := &workers.Stats{Run: 10, Stolen: 1, RanByCaller: 2, Parked: 3, Woken: 4}
	after := &workers.Stats{Workers: 3, Background: 2, Run: 2010, Stolen: 5, RanByCaller: 4, Parked: 13, Woken: 12}
	rep.AddPool(before, after)
	const want = `
  pool: 3 workers, 2 background               total  per frame
  jobs run by workers                         2,000    500.000
  of them stolen                                  4      1.000
  jobs run by callers                             2      0.500
  parks                                          10      2.500
  wakes                                           8      2.000
`
	i := strings.Index(rep.String(), "  pool:")
	if got := "\n" + rep.String()[max(i, 0):]; n != 4 || rep.Run.N != 2 || !strings.HasPrefix(got, want) {
		t.Errorf("%d frames, text:%swant:%s", n, got, want)
	}
	var buf bytes.Buffer
	if err := rep.WriteJSON(&buf); err != nil {
		t.Fatal(err)
	}
	const rates = `"per_frame":{"run":500,"stolen":1,"ran_by_caller":0.5,"parked":2.5,"woken":2}`
	if json := strings.NewReplacer(" ", "", "\n", "").Replace(buf.String()); !strings.Contains(json, rates) {
		t.Errorf("JSON without %s", rates)
	}
	if got, err := frame.ReadReport(&buf); err != nil || !reflect.DeepEqual(got.Pool, rep.Pool) {
		t.Errorf("%v, read back %+v, want %+v", err, got.Pool, rep.Pool)
	}
	none := frame.NewReport("none", recorded(nil, 10), frame.Environment{})
	none.AddPool(before, after)
	if want := (frame.PoolReport{
		Workers: 3, Background: 2, Run: 2000, Stolen: 4, RanByCaller: 2, Parked: 10, Woken: 8,
		PerFrame: frame.PoolRates{},
	}); *none.Pool != want {
		t.Errorf("of no frames: %+v", none.Pool)
	}
}

// What the pool did while the frames were measured.
func ExampleReport_AddPool() {
	loop := frame.New(frame.Options{Workers: workers.Options{Workers: -1}}) // the slice runs the jobs
	defer loop.Close()
	var before, after workers.Stats
	loop.Pool().Stats(&before)
	frames, ran := 0, 0
	_ = loop.Run(context.Background(), func() error {
		if ran == 3 { // a frame that is late has no time for its job
			return frame.ErrStop
		}
		if frames++; frames <= 3 {
			loop.Pool().Go(deadline.Normal, func() { ran++ })
		}
		return nil
	})
	loop.Pool().Stats(&after)
	report := frame.NewReport("mine", loop.Recorder().Snapshot(), frame.ReadEnvironment("timer"))
	report.AddPool(&before, &after)
	fmt.Println(report.Pool.RanByCaller, "jobs in slices")
	// Output: 3 jobs in slices
}
