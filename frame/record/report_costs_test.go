package record

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// readBack returns rep as its readers have it.
func readBack(t *testing.T, rep *Report) *Report {
	t.Helper()
	var buf bytes.Buffer
	if err := rep.WriteJSON(&buf); err != nil {
		t.Fatal(err)
	}
	got, err := ReadReport(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// wantText checks that the report's text has these lines in a row.
func wantText(t *testing.T, rep *Report, want string) {
	t.Helper()
	if got := rep.String(); !strings.Contains(got, strings.TrimPrefix(want, "\n")) {
		t.Errorf("text\n%swant in it:%s", got, want)
	}
}

func TestReportHasTheCostsOfKinds(t *testing.T) {
	rep := NewReport("costs", recorded(Intervals{r, r, r}, 10), Environment{})
	if s := rep.String(); strings.Contains(s, "by kind") || strings.Contains(s, "jobs' wait") {
		t.Fatalf("there are costs that nobody added: %s", s)
	}
	rep.AddCosts([]scheduler.Cost{
		{Kind: "commit", Runs: 2000, Total: 600 * ms, Max: 5 * ms, Expected: ms},
		{Kind: "a label of more characters than there is room for", Runs: 1, Total: 5, Max: 5},
		{Kind: "example.com/some/long/path/game.(*level).decorate", Runs: 1, Total: 4, Max: 4},
	})
	var in workers.Insight
	in.Lanes[1].Run, in.Lanes[1].Guests, in.Lanes[1].Stolen = 1, 2, 1
	in.Lanes[1].Delay.Record(7 * ms)
	in.Wake.Record(2 * ms)
	in.Late = 1
	in.Kinds = []workers.Cost{{Kind: "decode", Runs: 3, Total: 9 * ms, Max: 4 * ms, Expected: 3 * ms}}
	rep.AddInsight(&in)
	wantText(t, rep, `
  tasks by kind, milliseconds             runs     total      mean       max  expected
  commit                                 2,000   600.000     0.300     5.000     1.000
  …characters than there is room for         1     0.000     0.000     0.000         -
  game.(*level).decorate                     1     0.000     0.000     0.000         -
`)
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
	if c := (KindCost{
		Kind: "decode", Runs: 3, Time: 9 * ms, Mean: 3 * ms, Max: 4 * ms, Expected: 3 * ms,
	}); rep.JobCosts[0] != c {
		t.Errorf("%+v, want %+v", rep.JobCosts[0], c)
	}
	j := rep.Jobs[0]
	if want := (JobTimes{Priority: "user-blocking", Run: 1, Stolen: 1, Guests: 2, Delay: j.Delay}); j != want {
		t.Errorf("%+v", j)
	}
}

// The text has the dearest kinds, JSON all of them.
func TestTextTellsOfTheDearestKinds(t *testing.T) {
	rep := NewReport("many", recorded(Intervals{r, r, r}, 10), Environment{})
	var costs []scheduler.Cost
	for i := range 30 {
		costs = append(costs, scheduler.Cost{Kind: strings.Repeat("k", i+1), Runs: 1, Total: time.Duration(30 - i)})
	}
	rep.AddCosts(costs)
	wantText(t, rep, "  and 18 further kinds\n")
	if n := len(readBack(t, rep).TaskCosts); n != 30 {
		t.Errorf("%d in JSON", n)
	}
}
