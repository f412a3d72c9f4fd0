package fault_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/testkit"
)

// boom is a function with a name to look for in stacks.
//
//go:noinline
func boom(v any) { panic(v) }

func catch(label string, v any) (err *fault.PanicError) {
	defer func() { err = fault.Capture(label, recover()) }()
	boom(v)
	return nil
}

// nasty panics when it is printed, with a value that panics when it is printed.
type nasty struct{ depth int }

func (n nasty) Error() string {
	if n.depth > 3 {
		return "bottom"
	}
	panic(nasty{n.depth + 1})
}

type badString struct{}

func (badString) String() string { panic("no string") }

type badError struct{}

func (*badError) Error() string { panic(io.EOF) }

func TestErrorText(t *testing.T) {
	var nilError *badError
	for _, c := range []struct {
		label string
		value any
		want  string
	}{
		{"nav", "out of mesh", "nav: panic: out of mesh"},
		{"", "out of mesh", "panic: out of mesh"},
		{"nav", io.EOF, "nav: panic: EOF"},
		{"nav", 7, "nav: panic: 7"},
		{"nav", fmt.Errorf("load: %w", io.EOF), "nav: panic: load: EOF"},
		{"nav", []int(nil), "nav: panic: []"},
	} {
		if got := catch(c.label, c.value).Error(); got != c.want {
			t.Errorf("Error() of %q, %v = %q, want %q", c.label, c.value, got, c.want)
		}
	}
	for _, v := range []any{badString{}, &badError{}, nilError, nasty{}, &nasty{}} {
		if got := catch("nav", v).Error(); !strings.HasPrefix(got, "nav: panic: ") {
			t.Errorf("Error() of a %T = %q, want the prefix %q", v, got, "nav: panic: ")
		}
	}
	got, want := catch("nav", nasty{}).Error(), "fault_test.nasty that panics when printed"
	if !strings.Contains(got, want) {
		t.Errorf("Error() of a value which cannot be printed = %q, want it to say %q", got, want)
	}
}

func TestNilPanicError(t *testing.T) {
	var p *fault.PanicError
	if got := p.Error(); got != "<nil>" {
		t.Errorf("Error of nil = %q, want <nil>", got)
	}
	if p.Unwrap() != nil {
		t.Error("Unwrap of nil is not nil")
	}
}

func TestStackNamesTheCulprit(t *testing.T) {
	p := catch("nav", "x")
	if !strings.Contains(string(p.Stack), "fault_test.boom") {
		t.Errorf("the stack does not name the function that panicked:\n%s", p.Stack)
	}
}

func TestUnwrap(t *testing.T) {
	p := catch("nav", fmt.Errorf("load: %w", io.ErrUnexpectedEOF))
	if !errors.Is(p, io.ErrUnexpectedEOF) {
		t.Error("errors.Is does not see the error that was panicked with")
	}
	if catch("nav", "text").Unwrap() != nil {
		t.Error("Unwrap of a panic with a string is not nil")
	}
	var target *fault.PanicError
	if err := fmt.Errorf("outer: %w", p); !errors.As(err, &target) || target != p {
		t.Error("errors.As does not find the PanicError")
	}
	var re runtime.Error
	if q := catch("nav", any(divide(1, 0))); !errors.As(q, &re) {
		t.Errorf("errors.As does not find the runtime.Error in %v", q)
	}
}

// divide returns the runtime error of a/b.
func divide(a, b int) error { return testkit.Recovered(func() { _ = a / b }).(error) }

func TestCaptureOfNothing(t *testing.T) {
	if p := fault.Capture("nav", nil); p != nil {
		t.Errorf("Capture(nil) = %v, want nil", p)
	}
}

func TestCaptureKeepsTheFirstStack(t *testing.T) {
	p := catch("inner", "x")
	if q := catch("outer", p); q != p {
		t.Errorf("Capture of a *PanicError = %v, want the same one, %v", q, p)
	}
	if q := catch("outer", (*fault.PanicError)(nil)); q == nil || q.Error() != "outer: panic: <nil>" {
		t.Errorf("Capture of a nil *PanicError = %v, want a panic of its own", q)
	}
}

func TestPanicNil(t *testing.T) {
	p := catch("nav", nil) // since Go 1.21 a *runtime.PanicNilError
	var pn *runtime.PanicNilError
	if !errors.As(p, &pn) {
		t.Errorf("panic(nil) gives %v, want a *runtime.PanicNilError", p)
	}
}

func TestErrGoexit(t *testing.T) {
	if got, want := fault.ErrGoexit.Error(), "frameslice: runtime.Goexit called"; got != want {
		t.Errorf("ErrGoexit = %q, want %q", got, want)
	}
}
