package fault

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// What the compiler does not know to be nothing.
var (
	nought  int
	nowhere *int
	nilMap  map[string]int
)

//go:noinline
func explode() { panic("boom") }

//go:noinline
func dereference() { *nowhere = 1 }

//go:noinline
func beyond() { _ = make([]int, 1)[len(os.Args)] }

//go:noinline
func zero() { _ = 1 / nought }

//go:noinline
func closeTwice() { c := make(chan int); close(c); close(c) }

//go:noinline
func inNilMap() { nilMap["a"] = 1 }

//go:noinline
func leave() { runtime.Goexit() }

//go:noinline
func raiseAgain() {
	defer func() { panic(recover()) }()
	panic("first")
}

// caught is how work is caught.
func caught(label string, f func()) (pe *PanicError) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			v := recover()
			if v == nil {
				v = ErrGoexit
			}
			pe = Capture(label, v)
		}()
		f()
	}()
	<-ended
	return pe
}

// A stack begins with who panicked, whatever raised the panic.
func TestAStackBeginsWithWhoPanicked(t *testing.T) {
	for want, f := range map[string]func(){
		"explode": explode, "dereference": dereference, "beyond": beyond, "zero": zero, "closeTwice": closeTwice,
		"inNilMap": inNilMap, "leave": leave, "raiseAgain.func1": raiseAgain,
	} {
		stack := string(caught("", f).Stack)
		lines := strings.Split(stack, "\n")
		who := ours() + "internal/fault." + want + "("
		if !strings.HasPrefix(lines[0], "goroutine ") || !strings.HasPrefix(lines[1], who) ||
			!strings.Contains(lines[2], "/stack_test.go:") {
			t.Errorf("%s:\n%s", want, stack)
		}
		if !strings.Contains(stack, "fault.caught.func1()") || !strings.Contains(stack, "created by ") {
			t.Errorf("%s, who called it is gone:\n%s", want, stack)
		}
	}
	if stack := string(caught("", raiseAgain).Stack); !strings.Contains(stack, "fault.raiseAgain()") {
		t.Errorf("the first panic is gone:\n%s", stack)
	}
}

// What does not look as it should is left whole.
func TestAStackThatIsNotKnownStaysWhole(t *testing.T) {
	const (
		head  = "goroutine 7 [running]:\n"
		stack = "runtime/debug.Stack()\n\t/go/stack.go:26 +0x5e\n"
		raise = "panic({0x7f?, 0x8e?})\n\t/go/panic.go:860 +0x13a\n"
		own   = "runtime.sigpanic()\n\t/go/signal.go:9 +0x1\n"
		user  = "main.update(...)\n\t/game/main.go:12\n"
		maker = "created by main.main in goroutine 1\n\t/game/main.go:3 +0x4\n"
	)
	catch := ours() + "workers.(*T[...]).f({0x0?, 0x1}, 0x2)\n\t/w/f.go:5 +0x6c\n"
	for in, want := range map[string]string{
		head + stack + catch + catch + raise + own + user + maker: head + user + maker,
		head + stack + raise + user:                               head + user,
		head + stack + catch + raise + user + catch + raise:       head + user + catch + raise,
		head + stack + catch + raise + own:                        "",
		head + stack + catch + raise + maker:                      "",
		head + stack + catch + user + raise + user:                "",
		head + stack + catch + maker:                              "",
		head + catch + raise + user:                               "",
		head + stack + "odd line\n" + raise + user:                "",
		head + stack + "(\n\t/a.go:1\n" + raise + user:            "",
		head + stack + catch + "panic({0x7f?, 0x8e?})\n" + user:   "",
		"": "", head: "", "\n": "", head + "runtime/debug.Stack()": "",
	} {
		if want == "" {
			want = in
		}
		if got := string(trim([]byte(in))); got != want {
			t.Errorf("of\n%s\nis left\n%s\nwant\n%s", in, got, want)
		}
	}
}
