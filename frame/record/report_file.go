package record

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// WriteFile writes a file whole or not at all, also if the machine loses power. write fills a temporary file in the
// same folder, which then takes the name. Where the system cannot sync a folder, as on Windows, a loss of power soon
// after may bring the old file back.
//
// The folder must exist. The mode of an old file stays, and so does a symbolic link to it. WriteFile writes to devices
// and pipes as they are. If anything fails, the old file stays, and the error names the file and wraps the cause.
//
// WriteFile waits some milliseconds for the disk: do not call it on the frame goroutine.
func WriteFile(name string, write func(io.Writer) error) error {
	if write == nil {
		panic("record: WriteFile with a nil function")
	}
	if err := writeFile(name, write); err != nil {
		return fmt.Errorf("record: write %s: %w", name, err)
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) (err error) {
	temp := ""
	defer func() { err = cause(err, name, temp) }()
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	old, err := os.Stat(name)
	if err == nil && !old.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		return cmp.Or(fill(f, write), f.Close())
	}
	perm := fs.FileMode(0o666) // unlike os.CreateTemp's: the umask says who may read the file
	if err == nil {
		perm = old.Mode().Perm() // from the start, so that nobody else reads the new text
	}
	temp = filepath.Join(filepath.Dir(name), fmt.Sprintf(".%08x.tmp", rand.Uint32()))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm|0o200)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // also after a panic of write
			f.Close()
			os.Remove(temp)
		}
	}()
	if old != nil {
		if err := os.Chmod(temp, perm); err != nil {
			return err
		}
	}
	if err := fill(f, write); err != nil {
		return err
	}
	if err := cmp.Or(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, name); err != nil {
		return err
	}
	done = true
	if dir, err := os.Open(filepath.Dir(name)); err == nil {
		_ = dir.Sync() // not every system can: after a loss of power the name leads to the old file or the new one
		dir.Close()
	}
	return nil
}

func fill(f *os.File, write func(io.Writer) error) error {
	buf := bufio.NewWriterSize(f, 64<<10)
	if err := write(buf); err != nil {
		return err
	}
	return buf.Flush()
}

// cause strips the names of our files off an error: WriteFile's own has the one that matters.
func cause(err error, names ...string) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe) && slices.Contains(names, pe.Path):
		return pe.Err
	case errors.As(err, &le) && slices.Contains(names, le.Old):
		return le.Err
	}
	return err
}

// Save writes the report into the folder dir, which must exist: base.txt, .json, .csv (a line for each record, for
// CapFrameX and readers of PresentMon's files), .hgrm and .hlog (for HdrHistogram's tools) and .trace.json. The last
// four need Snapshot. Each file is written as by WriteFile. Save ends with the first error.
func (r *Report) Save(dir, base string) error {
	if base == "" {
		return errors.New("record: Save without a base for the names of the files")
	}
	type file struct {
		ext   string
		write func(io.Writer) error
	}
	files := []file{{".txt", r.writeText}, {".json", r.writeJSON}}
	if s := r.Snapshot; s != nil {
		files = append(files, file{".csv", r.writeCSV}, file{".hgrm", s.Interval.WriteHGRM},
			file{".hlog", func(w io.Writer) error { return s.Interval.WriteHLog(w, r.Name) }},
			file{".trace.json", r.writeTrace})
	}
	for _, f := range files {
		if err := WriteFile(filepath.Join(dir, base+f.ext), f.write); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) writeText(w io.Writer) error {
	_, err := io.WriteString(w, r.Text())
	return err
}
