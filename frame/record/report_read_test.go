package record

import (
	"strings"
	"testing"
)

// endlessText is text without an end; it counts what has been read.
type endlessText struct {
	before string
	read   int
}

func (e *endlessText) Read(p []byte) (int, error) {
	n := copy(p, e.before)
	e.before = e.before[n:]
	for i := range p[n:] {
		p[n+i] = ' '
	}
	e.read += len(p)
	return len(p), nil
}

// An endless text is no report, and ReadReport stops at its limit.
func TestReadReportOfSomethingEndless(t *testing.T) {
	for _, before := range []string{"", `{"target_ns": 16666667`, `{"target_ns": 16666667}`, `{"target_ns": "`} {
		e := &endlessText{before: before}
		if r, err := ReadReport(e); err == nil || r != nil || !strings.Contains(err.Error(), "16 MiB") {
			t.Errorf("after %q: %v", before, err)
		}
		if e.read > 32<<20 {
			t.Errorf("after %q: %d bytes have been read", before, e.read)
		}
	}
}

// The wrong file must not pass for a run without a missed frame.
func TestReadReportOfSomethingElse(t *testing.T) {
	var two strings.Builder
	if err := NewReport("x", recorded(golden2(), 600), Environment{}).writeJSON(&two); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadReport(strings.NewReader(two.String() + " \n")); err != nil {
		t.Error(err)
	}
	one := two.String()
	for _, text := range []string{`{"name":"x"}`, `null`, `{}`, `[]`, ``, one[:100], one + one} {
		if r, err := ReadReport(strings.NewReader(text)); err == nil || r != nil {
			t.Errorf("%.100s: %v, %v", text, r, err)
		}
	}
}
