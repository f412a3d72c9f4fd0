package runfile

import (
	"slices"
	"strings"
	"testing"
)

// A log is known by its lines, whatever stands above them.
func TestKnowsALogByItsLines(t *testing.T) {
	log := string(saved(t)[".hlog"])
	line := log[strings.LastIndex(strings.TrimSpace(log), "\n")+1:]
	_, untagged, _ := strings.Cut(line, ",")
	for name, text := range map[string]string{
		"as it is": log, "a comment": "#Logging op latencies for Cassandra Stress\n" + log, "no header": untagged,
		"a tag": line, "blank lines": "\n\n" + line, "a comment and no header": "# of a run\n" + untagged,
		"other text": "Running 30s test, 2 threads, \"mine\n  2 threads and 100 connections\n" + log,
		"legend": `"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"` + "\n" +
			untagged,
	} {
		run, err := read(strings.NewReader(text), "a")
		if err != nil || run.Format != "HdrHistogram log" || len(run.Intervals) != 4 {
			t.Errorf("%s: %+v, %v", name, run, err)
		}
	}
	for cut := 1; cut < len(untagged); cut += 7 { // the program was killed within the second line
		run, err := read(strings.NewReader(log+line[:cut]), "a")
		if err != nil || len(run.Intervals) < 4 {
			t.Fatalf("cut after %d bytes: %+v, %v", cut, run, err)
		}
		if line[:cut] != "#" && len(run.Intervals) == 4 && !slices.ContainsFunc(run.Notes,
			func(n string) bool { return strings.Contains(n, "cut off") }) {
			t.Fatalf("cut after %d bytes: %q", cut, run.Notes)
		}
	}
	if _, err := read(strings.NewReader(log+line[:len(line)/2]+"\n"+line), "a"); err == nil {
		t.Error("a broken line in the middle is read")
	}
}

// A table of percentiles may be a CSV, stand below other text, and have text below.
func TestFindsATableOfPercentiles(t *testing.T) {
	table := func(comma string) string {
		return strings.ReplaceAll("\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"\n"+
			"16.667,0.0,1,1.0\n16.667,0.5,2,2.0\n41.5,1.0,3,Infinity\n", ",", comma)
	}
	const below = "----------\n  60018 requests in 30.00s, 19.81MB read\nRequests/sec:   2000.28\n"
	for name, text := range map[string]string{
		"CSV": table(","), "semicolons": table(";"), "without quotes": strings.ReplaceAll(table(","), `"`, ""),
		"below": "Running 30s test @ http://x\n  2 threads, and 100 connections, and more\n\n" +
			"  Detailed Percentile spectrum:\n" +
			percentiles + below,
		"CSV between": "results, of today:\n" + table(",") + below,
		"cut off":     percentiles[:strings.Index(percentiles, "inf")] + "inf\n 99",
	} {
		run, err := read(strings.NewReader(text), "a")
		if err != nil || run.Format != "HdrHistogram percentiles" || !slices.Equal(run.Intervals, frames) {
			t.Errorf("%s: %+v, %v", name, run, err)
		}
	}
	run, err := read(strings.NewReader(percentiles[:strings.Index(percentiles, "1.000000")]), "a")
	if err != nil || len(run.Intervals) != 2 || !strings.Contains(run.Notes[0], "cut off") {
		t.Errorf("cut off within a row: %+v, %v", run, err)
	}
}
