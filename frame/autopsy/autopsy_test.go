package autopsy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/autopsy"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/internal/words"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// late is a frame that was late by d, n seconds after a time that no trace covers.
func late(n uint64, d time.Duration) record.Record {
	const r = 10 * time.Millisecond
	start := deadline.Instant(1000*time.Hour + time.Duration(n)*time.Second)
	return record.Record{Number: n, Start: start, Interval: r + d, Target: r}
}

func start(t *testing.T, o autopsy.Options) *autopsy.Box {
	t.Helper()
	b, err := autopsy.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// written waits until b has n reports: the writer is another goroutine.
func written(t *testing.T, b *autopsy.Box, n int) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprint(n, " reports"), func() bool { return len(b.Reports()) >= n })
}

// The latest frames keep their files. The others are counted.
func TestTheLatestFramesKeepTheirFiles(t *testing.T) {
	dir := t.TempDir()
	b := start(t, autopsy.Options{Dir: dir, Files: 2, Least: 5 * time.Millisecond})
	files := 0
	for _, r := range []struct {
		record.Record
		file bool
	}{
		{late(1, 900*time.Millisecond), false}, // the opening of the window
		{late(2, 900*time.Millisecond), false},
		{late(3, 4*time.Millisecond), false}, // less than Least
		{late(4, 30*time.Millisecond), true},
		{late(7, 37*time.Millisecond), false}, // too soon, and hardly later
		{late(9, 60*time.Millisecond), true},  // soon, but much later
		{late(20, 29*time.Millisecond), false},
		{late(21, 45*time.Millisecond), true},  // in place of frame 4
		{late(40, 45*time.Millisecond), false}, // as late as the least
		{late(51, 300*time.Millisecond), true}, // in place of frame 21
	} {
		b.Late(r.Record)
		if r.file {
			files++
			testkit.Eventually(t, "the file", func() bool { return exists(dir, r.Number) })
			written(t, b, min(files, 2))
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error("the second Close:", err)
	}
	reports := b.Reports()
	if len(reports) != 2 || reports[0].Frame != 9 || reports[1].Frame != 51 || words.Millis(reports[0].Interval) != 70 {
		t.Fatalf("%v", reports)
	}
	if reports[0].Without != 1 || reports[1].Without != 3 {
		t.Errorf("%d and %d frames without a file", reports[0].Without, reports[1].Without)
	}
	for _, d := range reports {
		data, err := os.ReadFile(d.File)
		if err != nil || !bytes.HasPrefix(data, []byte("go 1.")) || int64(len(data)) != d.Bytes {
			t.Errorf("%v: %.16q, %d bytes, error %v", d, data, len(data), err)
		}
		// The frames have made-up times, of which the trace knows nothing.
		want := fmt.Sprintf("frame %d, %.1f ms late: %.1f unknown",
			d.Frame, words.Millis(d.Interval-d.Target), words.Millis(d.Interval))
		if got := d.String(); !strings.HasPrefix(got, want) ||
			!strings.HasSuffix(got, " no file)") {
			t.Errorf("%q, want %q", d, want)
		}
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(names) != 2 || names[0] != reports[0].File || filepath.Base(names[1]) != "hitch-000051.trace" {
		t.Errorf("%q", names)
	}
}

func exists(dir string, frame uint64) bool {
	_, err := os.Stat(filepath.Join(dir, fmt.Sprintf("hitch-%06d.trace", frame)))
	return err == nil
}

// A file that is asked for comes without a late frame, and counts in no limit.
func TestAsk(t *testing.T) {
	dir := t.TempDir()
	b := start(t, autopsy.Options{Dir: dir, Files: 1})
	loop := frame.New(frame.Options{Recorder: record.Options{WarmUp: -1}})
	for range 4 {
		loop.Begin()
		loop.Slice()
		loop.End()
	}
	for n := range 2 {
		b.Ask()
		written(t, b, n+1)
	}
	if err := errors.Join(loop.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	b.Ask()
	all := b.Reports()
	if len(all) != 2 || filepath.Base(all[1].File) != "hitch-asked-2.trace" || all[0].Frame == 0 ||
		len(all[0].Parts) == 0 {
		t.Errorf("%+v", all)
	}
}

// Of a file that cannot be written the reason is told, and the account all the same: the trace is in memory.
func TestWhatCannotBeWrittenIsTold(t *testing.T) {
	for _, hears := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "gone")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		o := autopsy.Options{Dir: dir}
		var heard autopsy.Report
		if hears {
			o.OnHitch = func(r autopsy.Report) { heard = r }
		}
		b := start(t, o)
		os.Remove(dir)
		b.Late(late(7, 990*time.Millisecond))
		err := b.Close()
		d := b.Reports()
		if err == nil || len(d) != 1 || d[0].Err == "" || d[0].Bytes != 0 || !strings.Contains(err.Error(), "frame 7") {
			t.Fatalf("%v, %v", err, d)
		}
		want := "frame 7, 990.0 ms late: 1000.0 unknown"
		if got := d[0].String(); !strings.HasPrefix(got, want) || !strings.Contains(got, "(no file: ") {
			t.Errorf("%q, want %q", got, want)
		}
		if hears && heard.String() != d[0].String() {
			t.Errorf("heard %q", heard)
		}
	}
}

// A folder that is not there is told at once, and not after the first hitch.
func TestStartWantsAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	dirs := []string{filepath.Join(file, "none"), file}
	if runtime.GOOS == "linux" { // where even root writes nothing
		dirs = append(dirs, "/proc/self")
	}
	for _, dir := range dirs {
		b, err := autopsy.Start(autopsy.Options{Dir: dir})
		if b != nil || err == nil || !strings.HasPrefix(err.Error(), "autopsy: Options.Dir: ") ||
			!strings.Contains(err.Error(), dir) {
			t.Errorf("Start in %s: %v, error %v", dir, b, err)
		}
	}
}

// A box may be closed while the frames continue, and be none at all.
func TestLateWithoutABoxAtWork(t *testing.T) {
	b := start(t, autopsy.Options{Dir: t.TempDir()})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	var none *autopsy.Box
	for n := range uint64(3) {
		b.Late(late(n, time.Second))
		none.Late(late(n, time.Second))
	}
	if d, err := b.Reports(), b.Close(); len(d) > 0 || err != nil {
		t.Errorf("of a closed box: %v, %v", d, err)
	}
	if d, err := none.Reports(), none.Close(); len(d) > 0 || err != nil {
		t.Errorf("of no box: %v, %v", d, err)
	}
}

// While no frame is to be written down, being told of one allocates nothing.
func TestLateAllocatesNothing(t *testing.T) {
	b := start(t, autopsy.Options{Dir: t.TempDir(), Least: time.Second})
	defer b.Close()
	r := late(1, time.Millisecond)
	testkit.NoAllocs(t, func() { b.Late(r) })
}

func TestTheRuntimeHasOneRecorder(t *testing.T) {
	b := start(t, autopsy.Options{})
	defer b.Close()
	if c, err := autopsy.Start(autopsy.Options{}); err == nil || !strings.HasPrefix(err.Error(), "autopsy: ") {
		t.Errorf("%v, %v", c, err)
	}
}

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	testkit.Extremes(t, func(o autopsy.Options) error {
		o.Dir = t.TempDir()
		b, err := autopsy.Start(o)
		if err != nil {
			return err
		}
		b.Late(record.Record{Start: 1, Interval: time.Hour})
		b.Close()
		// A Least of hours is more than any frame takes.
		if len(b.Reports()) != 1 && o.Least < time.Hour {
			return errors.New("no report")
		}
		return nil
	})
}

// A section of the game's that sleeps is found in the trace of a loop, whatever else the machine does.
func TestARealFrame(t *testing.T) {
	heard := make(chan autopsy.Report, 1)
	b := start(t, autopsy.Options{Dir: t.TempDir(), OnHitch: func(r autopsy.Report) { heard <- r }})
	late := func(r record.Record) {
		if r.Number == 4 {
			b.Late(r)
		}
	}
	loop := frame.New(frame.Options{Recorder: record.Options{WarmUp: -1}, JumpAfter: -1})
	loop.Recorder().OnLate(late)
	for n := range 4 {
		loop.Begin()
		if n == 2 {
			r := trace.StartRegion(context.Background(), "frameslice.section load")
			time.Sleep(150 * time.Millisecond)
			r.End()
		}
		loop.Slice()
		loop.End()
	}
	if err := errors.Join(loop.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	r := <-heard
	again, err := readFile(r.File)
	if err != nil {
		t.Fatal(err)
	}
	if again.String() != r.String() || len(b.Reports()) != 1 || b.Reports()[0].String() != r.String() {
		t.Errorf("%v\n%v\n%v", r, again, b.Reports())
	}
	sum, slept := time.Duration(0), time.Duration(0)
	for _, p := range r.Parts {
		if sum += p.Time; p.Kind == "blocked" && p.In == "section load" {
			slept += p.Time
		}
	}
	if sum != r.Interval || slept < 149*time.Millisecond {
		t.Errorf("%v: together %v of %v, in the section %v", r, sum, r.Interval, slept)
	}
}

// Watch sees to the late frames of a recorder, which has the sentence then.
func TestWatch(t *testing.T) {
	heard := make(chan autopsy.Report, 8)
	loop := frame.New(frame.Options{Recorder: record.Options{WarmUp: -1}, JumpAfter: -1})
	b, err := autopsy.Watch(loop.Recorder(), autopsy.Options{
		Dir: t.TempDir(), Least: 50 * time.Millisecond, OnHitch: func(r autopsy.Report) { heard <- r },
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		loop.Begin()
		if n == 3 {
			time.Sleep(150 * time.Millisecond)
		}
		loop.Slice()
		loop.End()
	}
	if err := errors.Join(loop.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	r := <-heard
	if why := loop.Recorder().Explained(r.Frame); why == "" || !strings.HasSuffix(r.String(), " late: "+why) {
		t.Errorf("the recorder has %q of %q", why, r)
	}
	if report := loop.Report("").String(); !strings.Contains(report, r.Cause()) {
		t.Errorf("the sentence of frame %d is not in the report: %s\n%s", r.Frame, r.Cause(), report)
	}
	if _, err := autopsy.Watch(loop.Recorder(), autopsy.Options{Dir: "no such folder"}); err == nil {
		t.Error("no error about the folder")
	}
}

func readFile(name string) (autopsy.Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return autopsy.Report{}, err
	}
	defer f.Close()
	return autopsy.Read(f)
}

// No file makes the reader fall, and the parts of what it finds add up.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		f.Fatal(err)
	}
	for n := range 3 {
		trace.Log(context.Background(), "frameslice.frame", fmt.Sprint(n))
		trace.WithRegion(context.Background(), "frameslice.section x", func() { time.Sleep(time.Millisecond) })
	}
	trace.Log(context.Background(), "frameslice.late", "2 100000 900000 500000 250")
	trace.Stop()
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte("go 1.26 trace\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := autopsy.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		sum := time.Duration(0)
		for _, p := range r.Parts {
			sum += p.Time
		}
		if _ = r.String(); sum != r.Interval {
			t.Errorf("%v is together %v", r, sum)
		}
	})
}

// A hitch leaves a file, and its sentence stands in the report.
func ExampleWatch() {
	dir, err := os.MkdirTemp("", "autopsy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	loop := frame.New(frame.Options{Recorder: record.Options{WarmUp: -1}, JumpAfter: -1})
	box, err := autopsy.Watch(loop.Recorder(), autopsy.Options{Dir: dir})
	if err != nil {
		fmt.Println(err) // a nil box does nothing
	}
	defer box.Close()
	for range 3 {
		loop.Begin()
		time.Sleep(100 * time.Millisecond) // a hitch
		loop.Slice()
		loop.End()
	}
	_ = loop.Close()
	err = box.Close() // which waits for the sentences
	for _, d := range box.Reports() {
		fmt.Println(filepath.Base(d.File), err, loop.Recorder().Explained(d.Frame) == d.Cause())
	}
	// Output: hitch-000003.trace <nil> true
}
