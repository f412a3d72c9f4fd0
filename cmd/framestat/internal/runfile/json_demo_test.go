package runfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// demoJSON is of two modes of the demo. One has an account of its late frame.
const demoJSON = `{"settings":{"interval_ms":16.666666,"load":1.3},"env":{"go_version":"go1.26"},
	"modes":[{"mode":"idle","frames":3,"intervals_ns":[16667000,16667000,41500000],"says":"no work",
			"env":{"go_version":"go1.26","os":"linux","arch":"amd64","gomaxprocs":2,"num_cpu":2}},
		{"mode":"frameslice","jobs_per_s":600,"jobs_offered_per_s":1144,"intervals_ns":[16667000,41500000,16667000]},
		{"mode":"pool","frames":0}],
	"traces":[{"frame":7,"interval_ns":41500000,"target_ns":16666666,"cause":"40.0 own work","parts":[
		{"kind":"work","in":"the frame","time_ns":40000000},{"kind":"unknown","time_ns":1500000}]}]}`

func TestReadsTheDemosModes(t *testing.T) {
	runs, err := Read(strings.NewReader(demoJSON), "a")
	if err != nil || len(runs) != 2 || runs[0].Name != "idle" || !slices.Equal(runs[0].Intervals, frames) ||
		runs[0].Target != 16666666 || len(runs[0].Facts) < 4 || runs[1].Name != "frameslice" {
		t.Fatalf("%+v, %v", runs, err)
	}
	if why := runs[1].Why(1, time.Second/60); why != "40.0 own work" {
		t.Errorf("%q", why)
	}
	runs, err = Read(strings.NewReader(demoJSON), "a", "frameslice")
	if err != nil || len(runs) != 1 || runs[0].Name != "frameslice" {
		t.Errorf("%+v, %v", runs, err)
	}
	_, err = Read(strings.NewReader(demoJSON), "a", "pool")
	if err == nil || err.Error() != "a: no frames of a mode, among idle, frameslice, pool" {
		t.Error(err)
	}
}

func TestReadsDisplayTimesOfCapFrameX(t *testing.T) {
	text := `{"Info":{"GameName":"Game"},"Runs":[{"CaptureData":{"MsBetweenPresents":[0,16.667,16.667,41.5],
		"MsBetweenDisplayChange":[16.6,"NaN",null,33.3],"CpuActive":[1,2,3,40],"PcLatency":["NaN"]}}]}`
	run, err := read(strings.NewReader(text), "a")
	if err != nil || !slices.Equal(run.Intervals, frames) ||
		!slices.Equal(run.Displayed, record.Intervals{33300 * time.Microsecond}) {
		t.Fatalf("%+v, %v", run, err)
	}
	if why := run.Why(2, frames[0]); why != "CPU busy 40.0 ms" {
		t.Errorf("%q", why)
	}
	_, err = read(strings.NewReader(strings.ReplaceAll(text, "[0,16.667", `[{},16.667`)), "a")
	if err == nil || err.Error() != `a: "{}" is no number` {
		t.Error(err)
	}
}

// A log may have histograms of several things, each with its tag, and of several intervals.
func TestReadsTagsOfALog(t *testing.T) {
	log := string(saved(t)[".hlog"])
	at := strings.LastIndex(strings.TrimSpace(log), "\n") + 1
	line := log[at:]
	_, untagged, _ := strings.Cut(line, ",")
	log = log[:at] + line + "Tag=other," + untagged + line + untagged
	runs, err := Read(strings.NewReader(log), "a")
	if err != nil || len(runs) != 3 || runs[0].Name != "mine" || len(runs[0].Intervals) != 8 ||
		runs[1].Name != "other" || len(runs[1].Intervals) != 4 || runs[2].Name != "" {
		t.Fatalf("%+v, %v", runs, err)
	}
	runs, err = Read(strings.NewReader(log), "a", "other")
	if err != nil || len(runs) != 1 || runs[0].Name != "other" {
		t.Errorf("%+v, %v", runs, err)
	}
}

// A generated frame has no present of its own, and is the display's all the same.
func TestCapFrameXKeepsGeneratedFrames(t *testing.T) {
	for _, none := range []string{"0.0", `"NaN"`, "null"} {
		var presents, shown []string
		for i := range 600 {
			p, d := none, "8.3333"
			if i%2 == 0 {
				p = "16.6667"
			}
			if i == 301 {
				d = "66.6667"
			}
			presents, shown = append(presents, p), append(shown, d)
		}
		text := fmt.Sprintf(`{"Runs":[{"CaptureData":{"MsBetweenPresents":[%s],"MsBetweenDisplayChange":[%s]}}]}`,
			strings.Join(presents, ","), strings.Join(shown, ","))
		run, err := read(strings.NewReader(text), "a")
		if err != nil || len(run.Intervals) != 300 || len(run.Displayed) != 600 ||
			run.Displayed[301] != 66_666_700*time.Nanosecond || len(run.Notes) != 1 ||
			!strings.HasPrefix(run.Notes[0], "300 frames were generated") {
			t.Errorf("%s: %v, %v", none, runNotes(run), err)
		}
	}
	text := `{"Runs":[{"CaptureData":{"MsBetweenPresents":[0,16.667,50000,16.667],
		"TimeInSeconds":[1,1.0167,1.0333,1.05]}}]}`
	run, err := read(strings.NewReader(text), "a")
	if err != nil || len(run.Notes) != 1 || !strings.HasPrefix(run.Notes[0], "the times in the rows contradict 1 of") {
		t.Errorf("%v, %v", runNotes(run), err)
	}
}
