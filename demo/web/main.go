// Command web builds the demo for a browser and shows it there: it makes a folder that any web server, or itch.io, can
// serve, and serves it on this machine until Ctrl-C.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed index.html
var index []byte

func main() {
	dir := flag.String("dir", filepath.Join("out", "web"), "the folder to make")
	address := flag.String("address", "localhost:8080", "where to serve it; empty = nowhere")
	quality := flag.Int("brotli", 5, "1 to 11: at which quality brotli is measured, which takes Node; 0 = not at all")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "web: %q is none of its flags; see -help\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(*dir, *address, *quality, build); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}

// run makes the folder, tells the size of the program, and serves the folder. It checks the flags before it builds or
// writes anything.
func run(dir, address string, quality int, build func(dir string) error) error {
	if err := ours(dir); err != nil {
		return err
	}
	if quality < 0 || quality > 11 {
		return fmt.Errorf("-brotli %d: want 0 to 11", quality)
	}
	var l net.Listener
	if address != "" {
		var err error
		if l, err = net.Listen("tcp", address); err != nil {
			return fmt.Errorf("-address %s: %w", address, err)
		}
		defer l.Close()
	}
	if err := build(dir); err != nil {
		return err
	}
	path := filepath.Join(dir, "demo.wasm")
	program, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	packed, err := pack(program)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, with gzip %d%s\n", path, len(program), len(packed), brotli(path, quality))
	if l == nil {
		return nil
	}
	return serve(handler(dir, packed), l)
}

// ours returns an error if there is a page in the folder that is not from here.
func ours(dir string) error {
	if dir == "" {
		return errors.New("-dir is empty")
	}
	_, page := os.Stat(filepath.Join(dir, "index.html"))
	_, program := os.Stat(filepath.Join(dir, "demo.wasm"))
	if page == nil && program != nil {
		return fmt.Errorf("-dir %s: there is an index.html of something else: name another folder", dir)
	}
	return nil
}

// build makes the folder: the program, what the Go distribution has to start it with, and the page.
func build(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	fmt.Println("building the demo for js/wasm (the first time takes a minute)")
	b := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, "demo.wasm"),
		"github.com/frameslice/frameslice/demo")
	b.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	b.Stdout, b.Stderr = os.Stdout, os.Stderr
	if err := b.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	program, err := os.Stat(filepath.Join(dir, "demo.wasm"))
	if err != nil {
		return err
	}
	start, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "wasm_exec.js"), start, 0o666),
		os.WriteFile(filepath.Join(dir, "index.html"), page(program.Size()), 0o666),
	)
}

// page is the page for a program of so many bytes. An answer that is compressed does not tell the page that number,
// which its progress is measured by.
func page(size int64) []byte {
	return bytes.Replace(index, []byte("const size = 0 "), fmt.Appendf(nil, "const size = %d ", size), 1)
}

func serve(h http.Handler, l net.Listener) error {
	fmt.Printf("the demo is at http://%s/ until Ctrl-C; flags go behind a ?, as in http://%s/?-load&0.2\n",
		l.Addr(), l.Addr())
	s := http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	return s.Serve(l)
}
