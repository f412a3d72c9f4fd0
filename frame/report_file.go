package frame

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// WriteFile writes a file whole or not at all: write fills a temporary file in the same folder, which then
// takes the name, so that a reader of name sees the old file or the new one. If anything fails, the old
// file stands, nothing is left behind, and the error names the file and the cause; errors.Is sees the
// cause. The folder must exist. A link at name is replaced, not followed. Any goroutine; never the frame
// goroutine, as it waits for the disk.
func WriteFile(name string, write func(io.Writer) error) error {
	if write == nil {
		panic("frame: WriteFile with a nil function")
	}
	if err := writeFile(name, write); err != nil {
		return fmt.Errorf("frame: write %s: %w", name, err)
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := createBeside(name)
	if err != nil {
		return cause(err)
	}
	done := false
	defer func() {
		if !done { // also after a panic of write
			f.Close()
			os.Remove(f.Name())
		}
	}()
	buf := bufio.NewWriterSize(f, 64<<10)
	if err := write(buf); err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok && pe.Path == f.Name() {
			return pe.Err // of a buffer that was full, in the middle
		}
		return err
	}
	if err := buf.Flush(); err != nil {
		return cause(err)
	}
	if err := f.Close(); err != nil {
		return cause(err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return cause(err)
	}
	done = true
	return nil
}

// createBeside creates a new file in name's folder. Unlike os.CreateTemp it leaves the permissions to the
// umask, as for any file, because the file is going to be name.
func createBeside(name string) (*os.File, error) {
	dir, base := filepath.Split(name)
	for range 100 {
		temp := fmt.Sprintf("%s.%s.%08x.tmp", dir, base, rand.Uint32())
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fs.ErrExist
}

// cause strips the name of the temporary file off an error.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}

// Save writes the report in every format it has into dir, which must exist: base.txt, base.json, base.csv (the
// records), base.hgrm and base.hlog (the intervals' histogram, for HdrHistogram's plotters and tools) and
// base.trace.json (for Perfetto and Chrome). The last four need Snapshot and are left out without it. Each
// file is written whole or not at all; the first error ends it.
func (r *Report) Save(dir, base string) error {
	if base == "" {
		return errors.New("frame: Save without a base for the names of the files")
	}
	type file struct {
		ext   string
		write func(io.Writer) error
	}
	files := []file{{".txt", r.WriteText}, {".json", r.WriteJSON}}
	if s := r.Snapshot; s != nil {
		files = append(files, file{".csv", s.WriteCSV}, file{".hgrm", s.Interval.WriteHGRM},
			file{".hlog", func(w io.Writer) error { return s.Interval.WriteHLog(w, r.Name) }},
			file{".trace.json", s.WriteTrace})
	}
	for _, f := range files {
		if err := WriteFile(filepath.Join(dir, base+f.ext), f.write); err != nil {
			return err
		}
	}
	return nil
}
