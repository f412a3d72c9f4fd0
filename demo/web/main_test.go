package main

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is wrong with a flag is told before the build, which takes a minute, and writes nothing.
func TestFlagsAreLookedAtFirst(t *testing.T) {
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Skip(err)
	}
	defer taken.Close()
	page := filepath.Join(t.TempDir(), "index.html")
	if err := os.WriteFile(page, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, flags := range map[string][2]string{
		"-address " + taken.Addr().String(): {t.TempDir(), taken.Addr().String()},
		"-address nowhere:":                 {t.TempDir(), "nowhere:at:all"},
		"-dir is empty":                     {"", ""},
		"-dir " + filepath.Dir(page):        {filepath.Dir(page), ""},
	} {
		built := false
		err := run(flags[0], flags[1], 0, func(string) error { built = true; return nil })
		if built || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, built %v, want %q", err, built, want)
		}
	}
	if err := run(t.TempDir(), "", 12, nil); err == nil || !strings.HasPrefix(err.Error(), "-brotli 12") {
		t.Error(err)
	}
	failed := errors.New("build failed")
	if err := run(t.TempDir(), "", 0, func(string) error { return failed }); err != failed {
		t.Error(err)
	}
}
