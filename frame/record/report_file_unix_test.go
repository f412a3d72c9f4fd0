//go:build unix

package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe is written to, and stays a pipe.
func TestWriteFileToAPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(name, text("report")); !errors.Is(err, syscall.ENXIO) {
		t.Errorf("nobody reads: %v", err)
	}
	read := make(chan string)
	go func() {
		got, _ := os.ReadFile(name)
		read <- string(got)
	}()
	err := error(syscall.ENXIO)
	for errors.Is(err, syscall.ENXIO) { // until the reader is there
		err = WriteFile(name, text("report"))
	}
	if err != nil {
		t.Error(err)
	}
	if st, err := os.Lstat(name); err != nil || st.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe has become %v, %v", st, err)
	} else if got := <-read; got != "report" {
		t.Errorf("read %q", got)
	}
}
