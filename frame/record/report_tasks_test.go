package record

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"

	"github.com/frameslice/frameslice/scheduler"
)

func TestReportHasTheTimesOfTasks(t *testing.T) {
	rep := NewReport("tasks", recorded(Intervals{r, r, r, r}, 10), Environment{})
	var buf bytes.Buffer
	if err := rep.WriteJSON(&buf); err != nil || strings.Contains(buf.String(), `"scheduler"`) {
		t.Fatalf("%v, %s: there are times that nobody added", err, buf.String())
	}
	synctest.Test(t, func(*testing.T) {
		s := scheduler.New(scheduler.Options{Times: true, Timeouts: deadline.Timeouts{Low: ms}})
		defer s.Close()
		for range 4 {
			s.Post(deadline.Low, func() { time.Sleep(2 * ms) })
		}
		s.Post(deadline.Immediate, func() { time.Sleep(3 * ms) })
		s.RunUntil(deadline.Deadline{})
		times := new(scheduler.Times)
		s.ReadTimes(times)
		rep.AddTimes(times)
	})
	i := strings.Index(rep.String(), "  tasks, ms")
	const want = `
  tasks, ms         runs | delay p50      p99      max | early p50 late p99      max |  run p99      max | error p99
  immediate            1 |     0.000    0.000    0.000 |     0.000    0.000    0.000 |    3.000    3.000 |     0.000
  low                  4 |     5.112    9.000    9.000 |     0.000    8.000    8.000 |    2.000    2.000 |     0.000
`
	if got := "\n" + rep.String()[max(i, 0):]; !strings.HasPrefix(got, want) {
		t.Errorf("text:%swant:%s", got, want)
	}
	buf.Reset()
	if err := rep.WriteJSON(&buf); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Scheduler []TaskTimes `json:"scheduler"`
		Run       RunReport   `json:"run"`
	}
	if err := json.Unmarshal(buf.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	l := read.Scheduler
	if len(l) != 2 || l[1].Priority != "low" || l[1].Wait.N != 4 || l[1].Wait.Max != 9*ms ||
		read.Run.N != rep.Run.N {
		t.Errorf("JSON: %+v", read)
	}
}
