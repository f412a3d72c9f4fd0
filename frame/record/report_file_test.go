package record

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/internal/testkit"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func TestWriteFileReplacesWhole(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.txt")
	for _, s := range []string{"first, and longer", "second"} {
		if err := WriteFile(name, text(s)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != s {
			t.Errorf("got %q, %v; want %q", got, err, s)
		}
	}
	if got := names(t, filepath.Dir(name)); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
}

func TestWriteFileThatFailsLeavesTheOldFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.txt")
	if err := WriteFile(name, text("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	check := func() {
		t.Helper()
		if got, _ := os.ReadFile(name); string(got) != "old" {
			t.Errorf("got %q, want the old file", got)
		}
		if got := names(t, filepath.Dir(name)); len(got) != 1 {
			t.Errorf("left behind: %v", got)
		}
	}
	err := WriteFile(name, func(w io.Writer) error {
		if _, err := io.WriteString(w, strings.Repeat("half", 100_000)); err != nil {
			return err
		}
		return full
	})
	if !errors.Is(err, full) || err.Error() != "record: write "+name+": disk full" {
		t.Errorf("got %v, want one error that names the file and the cause", err)
	}
	check()
	writes := func() { _ = WriteFile(name, func(io.Writer) error { panic("writer") }) }
	if got := testkit.PanicOf(writes); got != "writer" {
		t.Errorf("the writer's panic has become %q", got)
	}
	check()
}

func TestWriteFileToAnUnwritablePath(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "dir", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"missing/report.txt", "file/report.txt", "dir"} {
		name := filepath.Join(dir, filepath.FromSlash(c))
		err := WriteFile(name, text("x"))
		if err == nil || !strings.HasPrefix(err.Error(), "record: write "+name+": ") ||
			strings.Count(err.Error(), dir) != 1 ||
			strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%s: got %v, want one error that names the file and no other", c, err)
		}
	}
	if err := WriteFile(filepath.Join(dir, "missing", "x"), text("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist within", err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"dir", "file"}) {
		t.Errorf("left behind: %v", got)
	}
}

// The new file is where the old one was, behind a link too, and who could not read the old one can't read the new one.
func TestWriteFileKeepsModeAndLink(t *testing.T) {
	dir := t.TempDir()
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o400, 0o755} {
		name := filepath.Join(dir, "file")
		if err := errors.Join(os.WriteFile(name, []byte("old"), 0o600), os.Chmod(name, mode)); err != nil {
			t.Fatal(err)
		}
		want, err := os.Stat(name) // not every system has all modes
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(name, text("new")); err != nil {
			t.Errorf("%v: %v", mode, err)
		}
		if got, err := os.Stat(name); err != nil || got.Mode() != want.Mode() {
			t.Errorf("a file of mode %v has become %v, %v", want.Mode(), got.Mode(), err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		return // links and devices are other things there
	}
	other := t.TempDir()
	link, device := filepath.Join(dir, "link"), filepath.Join(dir, "null")
	target := filepath.Join(other, "file")
	if err := errors.Join(os.WriteFile(target, nil, 0o600), os.Symlink(target, link),
		os.Symlink(os.DevNull, device)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{link, device} {
		if err := WriteFile(name, text("new")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if st, err := os.Lstat(name); err != nil || st.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v, %v", name, st.Mode(), err)
		}
	}
	if got, err := os.ReadFile(target); string(got) != "new" || err != nil {
		t.Errorf("behind the link is %q, %v", got, err)
	}
	if st, err := os.Stat(os.DevNull); err != nil || st.Mode().IsRegular() {
		t.Errorf("%s is %v, %v", os.DevNull, st.Mode(), err)
	}
}

// A name as long as the system takes is taken.
func TestWriteFileTakesLongNames(t *testing.T) {
	dir := t.TempDir()
	for n := 200; n <= 255; n += 11 {
		name := filepath.Join(dir, strings.Repeat("n", n))
		want := os.WriteFile(name, nil, 0o600)
		if err := WriteFile(name, text("x")); (err == nil) != (want == nil) {
			t.Errorf("%d bytes: %v, and os.WriteFile: %v", n, err, want)
		}
	}
}
