package display

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/frameslice/frameslice/demo/cli"
)

// Both are set once, by init. The cookie is only kept open: its descriptor is where the secret can be read.
var (
	virtual bool
	cookie  *os.File
)

// renderThreads tells Mesa's software renderer how many threads of its own to draw with; none is safe (doc.go).
const renderThreads = "LP_NUM_THREADS"

// Virtual reports whether Ebitengine runs on a display that this package has started. Nobody looks at it, and nothing
// paces it.
func Virtual() bool { return virtual }

func init() {
	// Ebitengine's windows are X11 ones, also under Wayland, whose compositors set DISPLAY for such programs.
	there := os.Getenv("DISPLAY")
	if there != "" && testBinary() {
		return
	}
	var o cli.Options
	if !testBinary() {
		var code int
		var done bool
		if o, code, done = cli.Window(os.Args[1:], os.Stdout, os.Stderr); done {
			os.Exit(code)
		}
	}
	if there != "" {
		if err := reachable(there); err != nil {
			fmt.Fprintf(os.Stderr, "demo: no X server answers at DISPLAY=%s: %v; without DISPLAY the demo starts one "+
				"of its own (DISPLAY= demo ...), and demo -headless needs none\n", there, err)
			os.Exit(cli.Usage)
		}
		return
	}
	name, err := start(o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "demo: no display: DISPLAY is not set, and %v; install Xvfb (Debian, Ubuntu: "+
			"apt-get install xvfb) or run without a window: demo -headless, or go run -tags headless ./demo "+
			"-headless\n", err)
		os.Exit(cli.Usage)
	}
	virtual = true
	os.Setenv("DISPLAY", name)
	if _, set := os.LookupEnv(renderThreads); !set {
		os.Setenv(renderThreads, "0")
	}
	if testBinary() {
		return
	}
	fmt.Fprintf(os.Stderr, "demo: no DISPLAY, so this runs on a virtual one (%s) that nobody sees; "+
		"-out FOLDER leaves a picture\n", name)
}

// testBinary reports whether this is the test of a package that imports this one. Its flags are not the demo's.
func testBinary() bool {
	return len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "-test.")
}

// patience is how long Xvfb may take to come up: it takes 0.1 s to 1 s.
const patience = 15 * time.Second

// start starts Xvfb with a screen on which the window of o fits, and returns the name of the display. The number of
// the display comes from our process's. Xvfb would pick the lowest free number, but another server may be leaving
// that number at this moment. Its last act is to remove the socket, which the new server has just made.
func start(o cli.Options) (name string, err error) {
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		return "", errors.New("there is no Xvfb in PATH")
	}
	for try := range 5 {
		name = fmt.Sprintf(":%d", 100+(os.Getpid()+try*7919)%30000)
		if err = startAs(path, name, o); err == nil {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s does not come up: %w", path, err)
}

// startAs starts one server and waits until it accepts connections.
func startAs(path, name string, o cli.Options) error {
	ready, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	var errs bytes.Buffer
	cmd := exec.Command(path, name, "-displayfd", "3", "-screen", "0",
		fmt.Sprintf("%dx%dx24", max(o.Width, 1280), max(o.Height, 720)), "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{tell} // fd 3: there the server writes its number when it is ready
	cmd.Stderr = &errs
	// The library that is loaded into the demo (demo/vsync) is not for the server.
	cmd.Env = append(os.Environ(), "LD_PRELOAD=")
	// Setpgid: Ctrl-C is for us alone.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
	if cookie == nil {
		cookie, _ = authority() // without one this machine's users may look in: no reason not to run
	}
	if cookie != nil {
		secret := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), cookie.Fd())
		cmd.Args = append(cmd.Args, "-auth", secret)
		os.Setenv("XAUTHORITY", secret)
	}
	err = cmd.Start()
	tell.Close()
	if err != nil {
		return err
	}
	ready.SetReadDeadline(time.Now().Add(patience))
	// To the end of the line: the server writes number and newline apart, and a closed pipe would kill it in between.
	line, err := bufio.NewReader(ready).ReadString('\n')
	if err == nil && ":"+strings.TrimSpace(line) == name {
		return nil
	}
	cmd.Process.Kill()
	cmd.Wait()
	return errors.New(lastLine(errs.String()))
}

// authority makes a secret that the server asks for and our own connections know, so that no other user of the
// machine can look in. The file has no name. Both sides reach it through a descriptor, so it must stay open.
func authority() (*os.File, error) {
	f, err := os.CreateTemp("", ".demo-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	field := func(v []byte) {
		binary.Write(&b, binary.BigEndian, uint16(len(v)))
		b.Write(v)
	}
	var secret [16]byte
	rand.Read(secret[:])
	binary.Write(&b, binary.BigEndian, uint16(0xFFFF)) // any family,
	field(nil)                                         // any address,
	field(nil)                                         // any display
	field([]byte("MIT-MAGIC-COOKIE-1"))
	field(secret[:])
	_, err = f.Write(b.Bytes())
	return f, err
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if s := lines[len(lines)-1]; s != "" {
		return s
	}
	return "no answer"
}
