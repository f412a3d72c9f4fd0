package workers_test

import (
	"bytes"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// labelsNow returns the labels of all goroutines, as the goroutine profile has them.
func labelsNow(t *testing.T) string {
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJobsHaveLabelsOnRequest(t *testing.T) {
	needsWorkers(t)
	for _, on := range []bool{true, false} {
		p := workers.New(workers.Options{Workers: 1, Labels: on})
		var inJob, inWait string
		j := workers.Job{Label: "decode", Func: func(*workers.Worker) { inJob = labelsNow(t) }}
		p.Submit(&j)
		<-workers.Submit(p, deadline.Normal, func() (int, error) { return 0, nil }).Done()
		if err := j.Wait(background); err != nil {
			t.Fatal(err)
		}
		eventually(t, "no label is left", func() bool { return !strings.Contains(labelsNow(t), `"job":`) })
		p.Submit(&workers.Job{Label: "in the way", Func: func(w *workers.Worker) {
			k := workers.Job{Label: "nested", Func: func(*workers.Worker) { inWait = labelsNow(t) }}
			w.Submit(&k)
			_ = k.Wait(background)
		}})
		mustClose(t, p)
		for got, label := range map[string]string{inJob: `"job":"decode"`, inWait: `"job":"nested"`} {
			if strings.Contains(got, label) != on {
				t.Errorf("Labels %v: %s is there: %v", on, label, !on)
			}
		}
	}
}

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
