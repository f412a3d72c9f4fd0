package workers_test

import (
	"bytes"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

func TestJobsAreRegionsOfATrace(t *testing.T) {
	needsWorkers(t)
	if trace.IsEnabled() {
		t.Skip("go test -trace takes one, and there can be no other")
	}
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		t.Fatal(err)
	}
	p := workers.New(workers.Options{Workers: 1})
	for _, f := range []func(){func() {}, func() { panic("no") }} {
		for _, label := range []string{"decode a picture", "find a path"} {
			j := workers.Job{Label: label, Func: func(*workers.Worker) { f() }}
			p.Submit(&j)
			<-workers.Submit(p, deadline.Normal, func() (int, error) { return 0, nil }).Done()
			_ = j.Wait(background)
		}
	}
	mustClose(t, p)
	none := workers.New(workers.Options{Workers: -1})
	none.Submit(&workers.Job{Label: "in the slice", Func: func(*workers.Worker) {}})
	none.Submit(&workers.Job{Label: "in the slice", Func: func(*workers.Worker) {}})
	mustClose(t, none)
	trace.Stop()
	for _, label := range []string{"decode a picture", "find a path"} {
		if !strings.Contains(b.String(), label) {
			t.Errorf("the trace has no region %q", label)
		}
	}
}
