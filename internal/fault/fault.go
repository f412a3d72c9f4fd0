// Package fault turns a panic into a value that can travel: from a worker to the goroutine that waits, from a
// coroutine to the frame goroutine, from either to a handler. The packages which run foreign code re-export
// its names as aliases, so that there is one type for users to match, whoever caught the panic.
package fault

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrGoexit is the result of work that ended by runtime.Goexit, which testing.T.FailNow calls too: it neither
// returned nor panicked.
var ErrGoexit = errors.New("frameslice: runtime.Goexit called")

// PanicError is a panic of somebody's function, caught where it ran.
type PanicError struct {
	// Value is what was passed to panic.
	Value any

	// Stack is the stack of the goroutine that panicked, as formatted by runtime/debug.Stack, from the function that
	// panicked on. A scheduler that keeps where work was submitted adds that place at the end.
	Stack []byte

	// Label names the work that panicked. It may be empty.
	Label string
}

// Capture returns the panic value v, as got from recover, as an error with the label of the work that
// panicked. Call it in the deferred function that recovered: only there does the stack still hold the frames
// that panicked.
//
// It returns nil if v is nil, which recover returns if there was no panic. A *PanicError (caught elsewhere
// and raised again in a waiter) is returned as it is: its stack is the one that explains the fault.
//
// It takes some microseconds and allocates, mostly for the stack.
func Capture(label string, v any) *PanicError {
	if v == nil {
		return nil
	}
	if p, ok := v.(*PanicError); ok && p != nil {
		return p
	}
	return &PanicError{Value: v, Stack: trim(debug.Stack()), Label: label}
}

// Error returns "label: panic: value", without "label: " if the label is empty. The stack is not part of it:
// print Stack. Error does not panic, even if formatting the value does.
func (p *PanicError) Error() string {
	if p == nil {
		return "<nil>"
	}
	text := "panic: " + describe(p.Value)
	if p.Label != "" {
		text = p.Label + ": " + text
	}
	return text
}

// Unwrap returns the value if it is an error, so that errors.Is and errors.As see through the panic.
func (p *PanicError) Unwrap() error {
	if p == nil {
		return nil
	}
	err, _ := p.Value.(error)
	return err
}

// describe formats v. fmt survives a panic in v's Error or String method, but not a second panic in the same methods of
// that panic's value.
func describe(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("(%T that panics when printed)", v)
		}
	}()
	return fmt.Sprint(v)
}
