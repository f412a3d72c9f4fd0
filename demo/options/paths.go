package options

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// checkPaths checks before the run that its files can be written, so that no report is lost after minutes of measuring.
func (o *Options) checkPaths() error {
	outputs := []struct{ flag, path string }{
		{"-json", o.JSON}, {"-csv", o.CSV}, {"-png", o.PNG}, {"-hgrm", o.Hgrm}, {"-shot", o.Shot},
	}
	for i, out := range outputs {
		if out.path == "" || runtime.GOOS == "js" { // a browser downloads a screenshot
			continue
		}
		if err := writable(out.path); err != nil {
			return fmt.Errorf("%s %s: %w", out.flag, out.path, err)
		}
		for _, other := range outputs[:i] {
			if other.path != "" && filepath.Clean(other.path) == filepath.Clean(out.path) {
				return fmt.Errorf("%s and %s name the same file %s", other.flag, out.flag, out.path)
			}
		}
	}
	for _, out := range [...]struct{ flag, folder string }{{"-record", o.Record}, {"-flight", o.Flight}} {
		if out.folder == "" {
			continue
		}
		if err := writable(filepath.Join(out.folder, "frames.json")); err != nil {
			return fmt.Errorf("%s %s: %w", out.flag, out.folder, err)
		}
	}
	return nil
}

// writable reports why a file of that name could not be put in place. It makes a temporary file in the same folder,
// as the outputs do, and removes it at once. Mode bits do not tell of read-only file systems, access lists and root.
func writable(path string) error {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to // which is what is replaced
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return errors.New("is a folder")
		}
		return nil // a device, a pipe: nothing is put in its place
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("no folder %s", dir)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	f, err := os.CreateTemp(dir, ".demo-*")
	if err != nil {
		return fmt.Errorf("cannot write in %s: %w", dir, err)
	}
	f.Close()
	return os.Remove(f.Name())
}
