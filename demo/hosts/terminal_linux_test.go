package hosts_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal starts the program in a terminal of its own.
func terminal(t *testing.T, name string, args ...string) (*program, *os.File, *locked) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	p := command(t, name, args...)
	p.Stdin, p.Stdout = slave, slave
	p.start()
	out := &locked{}
	go func() {
		for b := make([]byte, 1<<16); ; {
			n, err := master.Read(b)
			if err != nil {
				return
			}
			out.Write(b[:n])
		}
	}()
	return p, master, out
}

// inPart matches a progress bar that is filled in part, to any of its forty steps.
var inPart = regexp.MustCompile(`\[#+\.+\]`)

func TestTerminal(t *testing.T) {
	name := build(t, "terminal")
	p, keys, out := terminal(t, name, "-later", "6s")
	p.until("the whole list", func() bool { return strings.Contains(out.String(), "120 of 120") })
	if !inPart.MatchString(out.String()) {
		t.Error("the progress bar was never seen filled in part")
	}
	p.rests(0.02)
	p.until("the fractal", func() bool { return strings.Contains(out.String(), "drawn") })
	p.rests(0.02)
	before := len(out.String())
	fmt.Fprint(keys, "h") // wakes the loop
	p.until("the next fractal", func() bool { return strings.Contains(out.String()[before:], "drawing") })
	fmt.Fprint(keys, "q")
	whole(t, p.ends())

	p, keys, out = terminal(t, name, "-items", "5000", "-heavy")
	p.until("some items", func() bool { return some.MatchString(out.String()) })
	fmt.Fprint(keys, "q")
	cut(t, p.ends())
}
