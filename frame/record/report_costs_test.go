package record

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// readBack returns rep as its readers have it.
func readBack(t *testing.T, rep *Report) *Report {
	t.Helper()
	var buf bytes.Buffer
	got := new(Report)
	if err := rep.writeJSON(&buf); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(buf.Bytes(), got); err != nil {
		t.Fatal(err)
	}
	return got
}

// wantText checks that the report's text has these lines in a row.
func wantText(t *testing.T, rep *Report, want string) {
	t.Helper()
	if got := rep.Text(); !strings.Contains(got, strings.TrimPrefix(want, "\n")) {
		t.Errorf("text\n%swant in it:%s", got, want)
	}
}

func TestReportHasTheCostsOfKinds(t *testing.T) {
	rep := NewReport("costs", recorded(Intervals{r, r, r}, 10), Environment{})
	if s := rep.Text(); strings.Contains(s, "by kind") || strings.Contains(s, "jobs' wait") {
		t.Fatalf("there are costs that nobody added: %s", s)
	}
	costs := []scheduler.Cost{
		{Kind: "commit", Runs: 2000, Total: 600 * ms, Max: 5 * ms, Expected: ms},
		{Kind: "a label of more characters than there is room for", Runs: 1, Total: 5, Max: 5},
		{Kind: "example.com/some/long/path/game.(*level).decorate", Runs: 1, Total: 4, Max: 4},
	}
	for i := range 20 {
		costs = append(costs, scheduler.Cost{Kind: strings.Repeat("k", i+1), Runs: 1, Total: time.Duration(3)})
	}
	var in workers.Profile
	for range 3 {
		in.Lanes[1].Delay.Record(7 * ms)
	}
	in.Wake.Record(2 * ms)
	in.Late = 1
	in.Kinds = []workers.Cost{{Kind: "decode", Runs: 3, Total: 9 * ms, Max: 4 * ms, Expected: 3 * ms}}
	rep.AddWork(&scheduler.Times{Kinds: costs}, &in)
	wantText(t, rep, `
  tasks by kind, milliseconds             runs     total      mean       max  expected
  commit                                 2,000   600.000     0.300     5.000     1.000
  …characters than there is room for         1     0.000     0.000     0.000         -
  game.(*level).decorate                     1     0.000     0.000     0.000         -
`)
	wantText(t, rep, "  and 11 further kinds\n")
	wantText(t, rep, `
  jobs' wait for a start, ms              mean       p50       p90       p99     p99.9       max
  user-blocking, 3 jobs                  7.000     7.000     7.000     7.000     7.000     7.000
  wake-up of a worker, 1 late            2.000     2.000     2.000     2.000     2.000     2.000

  jobs by kind, milliseconds              runs     total      mean       max  expected
  decode                                     3     9.000     3.000     4.000     3.000
`)
	got := readBack(t, rep)
	if !reflect.DeepEqual(got.TaskCosts, rep.TaskCosts) || !reflect.DeepEqual(got.JobCosts, rep.JobCosts) ||
		!reflect.DeepEqual(got.Jobs, rep.Jobs) || got.Wake != rep.Wake || got.WokenLate != 1 || len(got.Jobs) != 1 {
		t.Errorf("read back %+v %+v %+v %+v", got.TaskCosts, got.JobCosts, got.Jobs, got.Wake)
	}
}

func TestReportHasTheTimesOfTasks(t *testing.T) {
	rep := NewReport("tasks", recorded(Intervals{r, r, r, r}, 10), Environment{})
	synctest.Test(t, func(*testing.T) {
		s := scheduler.New(scheduler.Options{Timeouts: deadline.Timeouts{Low: ms}})
		defer s.Close()
		bridge.Of(s).KeepTimes()
		for range 4 {
			s.Post(deadline.Low, func() { time.Sleep(2 * ms) })
		}
		s.Post(deadline.Immediate, func() { time.Sleep(3 * ms) })
		s.RunUntil(deadline.Deadline{})
		times := new(scheduler.Times)
		s.ReadTimes(times)
		rep.AddWork(times, nil)
	})
	i := strings.Index(rep.Text(), "  tasks, ms")
	const want = `
  tasks, ms         runs | delay p50      p99      max | early p50 late p99      max |  run p99      max | error p99
  immediate            1 |     0.000    0.000    0.000 |     0.000    0.000    0.000 |    3.000    3.000 |     0.000
  low                  4 |     5.112    9.000    9.000 |     0.000    8.000    8.000 |    2.000    2.000 |     0.000
`
	if got := "\n" + rep.Text()[max(i, 0):]; !strings.HasPrefix(got, want) {
		t.Errorf("text:%swant:%s", got, want)
	}
	if l := readBack(t, rep).Tasks; len(l) != 2 || l[1].Priority != "low" || l[1].Wait.N != 4 || l[1].Wait.Max != 9*ms {
		t.Errorf("JSON: %+v", l)
	}
}
