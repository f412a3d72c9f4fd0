package autopsy

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// recorded opens a recording of a game: those with the name of a cause are from bench/autopsy. Those with a version of
// Go have a lock of 20 ms and a read of 10 ms in the late frame.
func recorded(t testing.TB, name string) io.Reader {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".trace.gz"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestRecorded(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("testdata", "sentences.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(want)) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), ": ")
		r, err := Read(recorded(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := r.String(); got != want {
			t.Errorf("%s: %q\n  want %q", name, got, want)
		}
		var told struct{ Cause string }
		if text, err := json.Marshal(r); err != nil || json.Unmarshal(text, &told) != nil || told.Cause != r.Cause() {
			t.Errorf("%s: the JSON has the cause %q, want %q", name, told.Cause, r.Cause())
		}
		sum := time.Duration(0)
		for _, p := range r.Parts {
			sum += p.Time
		}
		if sum != r.Interval {
			t.Errorf("%s: the parts of %v are together %v", name, r.Interval, sum)
		}
	}
}

// A recording that ends early, or in which a byte is wrong, gives an account that adds up, or one clear error.
func TestDamaged(t *testing.T) {
	whole, err := io.ReadAll(recorded(t, "go1.26"))
	if err != nil {
		t.Fatal(err)
	}
	try := func(data string) {
		r, err := Read(strings.NewReader(data))
		sum := time.Duration(0)
		for _, p := range r.Parts {
			sum += p.Time
		}
		switch {
		case err == nil && sum != r.Interval:
			t.Errorf("%v: together %v", r, sum)
		case err != nil && (!strings.HasPrefix(err.Error(), "autopsy: ") || strings.Contains(err.Error(), "\n")):
			t.Errorf("%q", err)
		}
	}
	for n := 0; n < len(whole); n += 1 + len(whole)/200 {
		try(string(whole[:n]))
		damaged := []byte(string(whole))
		damaged[n] ^= byte(1 + n)
		try(string(damaged))
	}
}

// Of what has no end, a part is read.
func TestTooLarge(t *testing.T) {
	b := &bounded{endless{}, 1000}
	if n, err := io.Copy(io.Discard, b); n != 1000 || !errors.Is(err, errTooLarge) {
		t.Errorf("%d bytes, error %v", n, err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestReadWhatIsNoTrace(t *testing.T) {
	for _, text := range []string{"", "no trace", "go 1.26 trace\x00\x00\x00", "go 1.26 trace\x00\x00\x00abcdefgh"} {
		if r, err := Read(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), "autopsy: ") {
			t.Errorf("of %q: %v, error %v", text, r, err)
		}
	}
}
