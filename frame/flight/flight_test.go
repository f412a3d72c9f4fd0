package flight_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/flight"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/extreme"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// late is a frame that was late by d, n seconds after the beginning.
func late(n uint64, d time.Duration) record.Record {
	const r = 10 * time.Millisecond
	start := deadline.Instant(n) * deadline.Instant(time.Second)
	return record.Record{Number: n, Start: start, Interval: r + d, Target: r}
}

func start(t *testing.T, o flight.Options) *flight.Box {
	t.Helper()
	b, err := flight.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// written waits until b has n dumps: the writer is another goroutine.
func written(t *testing.T, b *flight.Box, n int) {
	t.Helper()
	for begin := time.Now(); len(b.Dumps()) < n; time.Sleep(time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("%d of %d dumps after a minute", len(b.Dumps()), n)
		}
	}
}

func TestALateFrameLeavesATrace(t *testing.T) {
	dir := t.TempDir()
	b := start(t, flight.Options{Dir: dir, Files: 2, Least: 5 * time.Millisecond})
	for _, r := range []record.Record{
		late(1, 4*time.Millisecond),   // too little
		late(2, 30*time.Millisecond),  // the first
		late(5, 900*time.Millisecond), // too soon after it
		late(13, 20*time.Millisecond), // the second
		late(90, time.Second),         // one too many
	} {
		b.Late(r)
		if r.Number == 2 || r.Number == 13 {
			written(t, b, 1+int(r.Number)/13)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error("the second Close:", err)
	}
	dumps := b.Dumps()
	if len(dumps) != 2 || dumps[0].Frame != 2 || dumps[1].Frame != 13 || dumps[0].Interval != 40*time.Millisecond {
		t.Fatalf("%v", dumps)
	}
	for _, d := range dumps {
		data, err := os.ReadFile(d.File)
		if err != nil || !bytes.HasPrefix(data, []byte("go 1.")) || int64(len(data)) != d.Bytes {
			t.Errorf("%v: %.16q, %d bytes, error %v", d, data, len(data), err)
		}
		if !strings.Contains(d.String(), d.File) {
			t.Errorf("%q does not say where", d)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 2 || files[0] != dumps[0].File || filepath.Base(files[1]) != "hitch-000013.trace" {
		t.Errorf("%q", files)
	}
}

// Of a file that cannot be written the reason is told.
func TestWhatCannotBeWrittenIsTold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	b := start(t, flight.Options{Dir: dir})
	os.Remove(dir)
	b.Late(late(7, time.Second))
	err := b.Close()
	if d := b.Dumps(); err == nil || len(d) != 1 || d[0].Err == "" || d[0].Bytes != 0 ||
		!strings.Contains(d[0].String(), "no trace") || !strings.Contains(err.Error(), "frame 7") {
		t.Errorf("%v, %v", err, d)
	}
}

// A folder that is not there is told at once, and not after the first hitch.
func TestStartWantsAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(file, "none"), file} {
		b, err := flight.Start(flight.Options{Dir: dir})
		if b != nil || err == nil || !strings.HasPrefix(err.Error(), "flight: Options.Dir: ") ||
			!strings.Contains(err.Error(), dir) {
			t.Errorf("Start in %s: %v, error %v", dir, b, err)
		}
	}
}

// A box may be closed while the frames go on, and be none at all.
func TestLateWithoutABoxAtWork(t *testing.T) {
	b := start(t, flight.Options{Dir: t.TempDir()})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	var none *flight.Box
	for n := range uint64(3) {
		b.Late(late(n, time.Second))
		none.Late(late(n, time.Second))
	}
	if d, err := b.Dumps(), b.Close(); len(d) > 0 || err != nil {
		t.Errorf("of a closed box: %v, %v", d, err)
	}
	if d, err := none.Dumps(), none.Close(); len(d) > 0 || err != nil {
		t.Errorf("of no box: %v, %v", d, err)
	}
}

// While no frame is to be written down, being told of one allocates nothing.
func TestLateAllocatesNothing(t *testing.T) {
	b := start(t, flight.Options{Dir: t.TempDir(), Least: time.Second})
	defer b.Close()
	r := late(1, time.Millisecond)
	if n := testing.AllocsPerRun(1000, func() { b.Late(r) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTheRuntimeHasOneRecorder(t *testing.T) {
	b := start(t, flight.Options{})
	defer b.Close()
	if c, err := flight.Start(flight.Options{}); err == nil || !strings.HasPrefix(err.Error(), "flight: ") {
		t.Errorf("%v, %v", c, err)
	}
}

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	extreme.Try(t, func(o flight.Options) error {
		o.Dir = t.TempDir()
		b, err := flight.Start(o)
		if err != nil {
			return err
		}
		b.Late(record.Record{Start: 1, Interval: time.Hour})
		b.Close()
		// A Least of hours is more than any frame takes.
		if len(b.Dumps()) != 1 && o.Least < time.Hour {
			return errors.New("no dump")
		}
		return nil
	})
}

// A trace of what went on when a frame was late.
func ExampleStart() {
	dir, err := os.MkdirTemp("", "flight")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	box, err := flight.Start(flight.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	loop := frame.New(frame.Options{Recorder: record.Options{WarmUp: -1, OnLate: box.Late}, JumpAfter: -1})
	for range 3 {
		loop.Begin()
		time.Sleep(100 * time.Millisecond) // a hitch
		loop.Slice()
		loop.End()
	}
	_ = loop.Close()
	err = box.Close()
	for _, d := range box.Dumps() {
		fmt.Println(filepath.Base(d.File), err)
	}
	// Output: hitch-000002.trace <nil>
}
