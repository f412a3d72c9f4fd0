package live_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/live"
	"github.com/frameslice/frameslice/scheduler"
)

var (
	helpLine   = regexp.MustCompile(`^# HELP ([a-z_]+) (\S.*\.)$`)
	typeLine   = regexp.MustCompile(`^# TYPE ([a-z_]+) (counter|gauge|histogram)$`)
	sampleLine = regexp.MustCompile(`^([a-z_]+)(?:\{([a-z_]+)="([^"\\\n]*)"\})? (\S+)$`)
)

// parse reads text in Prometheus's format 0.0.4, strictly. The keys are names with labels as they stand there.
func parse(text string) (map[string]float64, error) {
	samples, seen := map[string]float64{}, map[string]bool{}
	if !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("the last line has no end")
	}
	name, kind, help := "", "", ""
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if m := helpLine.FindStringSubmatch(line); m != nil {
			if seen[m[1]] {
				return nil, fmt.Errorf("line %d: the family %s comes again", n, m[1])
			}
			name, kind, help = "", "", m[1]
			seen[help] = true
			continue
		}
		if m := typeLine.FindStringSubmatch(line); m != nil {
			if m[1] != help {
				return nil, fmt.Errorf("line %d: the type of %s after the help of %s", n, m[1], help)
			}
			name, kind = m[1], m[2]
			if strings.HasSuffix(name, "_total") != (kind == "counter") {
				return nil, fmt.Errorf("line %d: the %s %s", n, kind, name)
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("line %d: %q", n, line)
		}
		of := m[1] == name
		if kind == "histogram" {
			of = m[1] == name+"_sum" || m[1] == name+"_count" || m[1] == name+"_bucket"
		}
		if kind == "" || !of || kind == "histogram" && (m[1] == name+"_bucket") != (m[2] == "le") {
			return nil, fmt.Errorf("line %d: %q is in the family %s", n, line, name)
		}
		v, err := strconv.ParseFloat(m[4], 64)
		key := strings.TrimSuffix(line, " "+m[4])
		if _, twice := samples[key]; err != nil || twice || kind == "counter" && v < 0 {
			return nil, fmt.Errorf("line %d: %q: twice %v, %v", n, line, twice, err)
		}
		samples[key] = v
	}
	return samples, nil
}

// The text is in Prometheus's format, and the figures are the loop's.
func TestMetrics(t *testing.T) {
	inBubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop, h http.Handler) {
		ask := func() map[string]float64 {
			w := request(h, "/metrics", home, localhost)
			if kind := w.Header().Get("Content-Type"); kind != "text/plain; version=0.0.4; charset=utf-8" {
				t.Errorf("the type is %q", kind)
			}
			got, err := parse(w.Body.String())
			if err != nil {
				t.Fatalf("%v in\n%s", err, w.Body)
			}
			return got
		}
		if got := ask(); got["frameslice_answered"] != 0 || got["frameslice_frames_total"] != 0 {
			t.Errorf("before the first frame: %v", got)
		}
		l.Go(deadline.Low, func(co *scheduler.Co) { co.Sleep(time.Hour) })
		l.After(deadline.Idle, time.Hour, func() {})
		for n := range 100 {
			time.Sleep(time.Second / 60)
			if n == 50 {
				time.Sleep(time.Second / 30)
			}
			l.Pool().Go(deadline.Immediate, func() {})
			frameOf(l)
		}
		l.Pool().Go(deadline.Low, func() {})
		got := play(l, ask)
		if n := got["frameslice_frames_total"]; n != 100 && n != 101 || got["frameslice_frame_seconds_count"] != n-1 {
			t.Errorf("%v frames, %v intervals", n, got["frameslice_frame_seconds_count"])
		}
		for name, want := range map[string]float64{
			"frameslice_answered":                            1,
			"frameslice_missed_refreshes_total":              2,
			"frameslice_target_seconds":                      0.016666666,
			"frameslice_jobs_panicked_total":                 0,
			"frameslice_workers":                             0,
			`frameslice_tasks_delayed{priority="low"}`:       1,
			`frameslice_tasks_delayed{priority="idle"}`:      1,
			`frameslice_tasks_waiting{priority="immediate"}`: 0,
			"frameslice_coroutines":                          1,
		} {
			if v, ok := got[name]; !ok || v < want-1e-5 || v > want+1e-5 {
				t.Errorf("%s is %v (%v), want %v", name, v, ok, want)
			}
		}
		n, sum := got["frameslice_frame_seconds_count"], got["frameslice_frame_seconds_sum"]
		if top := got["frameslice_frame_seconds_max"]; top < 0.049 || top > 0.051 || sum < n/60.1 || sum > (n+3)/59.9 {
			t.Errorf("max %v s, sum %v s of %v", top, sum, n)
		}
		for le, want := range map[string]float64{
			"0.016": 0, "0.017": n - 1, "0.04": n - 1, "0.07": n, "1": n, "+Inf": n,
		} {
			if v := got[`frameslice_frame_seconds_bucket{le="`+le+`"}`]; v != want {
				t.Errorf("%v frames took at most %s s, want %v", v, le, want)
			}
		}
		if v := got["frameslice_input_latency_seconds_count"]; v < n {
			t.Errorf("%v latencies", v)
		}
		var v map[string]float64
		err := json.Unmarshal([]byte(live.Var(l).String()), &v)
		if err != nil || v["counted"] < 99 || v["missed"] != 2 || len(v) != 22 {
			t.Errorf("the variable is %v: %v", v, err)
		}
	})
}

// The parser of this test is strict.
func TestParserOfMetrics(t *testing.T) {
	const head = "# HELP a A thing.\n# TYPE a gauge\n"
	for text, ok := range map[string]bool{
		head + "a 1\n":                         true,
		head + "a{b=\"c\"} 1\na{b=\"d\"} 2\n":  true,
		head + "a 1":                           false,
		head + "a 1\na 2\n":                    false,
		head + "b 1\n":                         false,
		head + "a{b=\"c} 1\n":                  false,
		head + "a x\n":                         false,
		head + "\na 1\n":                       false,
		"a 1\n":                                false,
		"# TYPE a gauge\na 1\n":                false,
		"# HELP a A.\n# TYPE a counter\na 1\n": false,
		head + "a 1\n" + head + "a 2\n":        false,
		"# HELP s S.\n# TYPE s histogram\ns_bucket{le=\"1\"} 1\ns_sum 1\ns_count 1\n": true,
		"# HELP s S.\n# TYPE s histogram\ns 1\n":                                      false,
	} {
		if _, err := parse(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
