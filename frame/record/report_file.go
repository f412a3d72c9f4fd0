package record

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

// WriteFile writes a file whole or not at all, also if the machine loses power. write fills a temporary file in the
// same folder, which then takes the name. Where the system cannot sync a folder, as on Windows, a loss of power soon
// after may bring the old file back.
//
// The folder must exist. The mode of an old file stays. WriteFile follows symbolic links, and writes to devices and
// pipes; a pipe that nobody reads is an error. If anything fails, the old file stays, and the error names the file and
// wraps the cause.
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

func writeFile(name string, write func(io.Writer) error) error {
	old, err := os.Stat(name)
	if err == nil && !old.Mode().IsRegular() {
		return writeTo(name, old.Mode(), write)
	}
	if name, err = follow(name); err != nil {
		return err
	}
	perm := fs.FileMode(0o666)
	if old != nil {
		perm = old.Mode().Perm() // from the start, so that nobody else reads the new text
	}
	f, err := createBeside(name, perm)
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
	if old != nil {
		if err := os.Chmod(f.Name(), old.Mode().Perm()); err != nil {
			return cause(err)
		}
	}
	if err := fill(f, write); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return cause(err)
	}
	if err := f.Close(); err != nil {
		return cause(err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return cause(err)
	}
	done = true
	syncFolder(filepath.Dir(name))
	return nil
}

// follow returns where a name leads to: past its symbolic links, the last of which may lead to nothing.
func follow(name string) (string, error) {
	for range 255 {
		st, err := os.Lstat(name)
		if err != nil || st.Mode()&fs.ModeSymlink == 0 {
			return name, nil // an error will come back when the file is created
		}
		target, err := os.Readlink(name)
		if err != nil {
			return "", cause(err)
		}
		dir, base := filepath.Split(target)
		if !filepath.IsAbs(target) {
			folder, _ := filepath.Split(name)
			dir = folder + dir // no Join: the folder above a link is not the folder above its target
		}
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return "", cause(err)
		}
		name = filepath.Join(dir, base)
	}
	return "", errors.New("too many links")
}

// writeTo writes to a device or a pipe.
func writeTo(name string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|noWait, 0)
	if err != nil && mode&fs.ModeNamedPipe != 0 && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("nobody reads the pipe: %w", cause(err))
	}
	if err != nil {
		return cause(err)
	}
	defer f.Close()
	if err := fill(f, write); err != nil {
		return err
	}
	return cause(f.Close())
}

// fill writes to f.
func fill(f *os.File, write func(io.Writer) error) error {
	buf := bufio.NewWriterSize(f, 64<<10)
	if err := write(buf); err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok && pe.Path == f.Name() {
			return pe.Err // write has filled buf, which went to f
		}
		return err
	}
	return cause(buf.Flush())
}

// createBeside creates a new file with a short name in name's folder. Unlike os.CreateTemp it leaves the permissions to
// the umask, because the file is going to be name.
func createBeside(name string, perm fs.FileMode) (*os.File, error) {
	for range 100 {
		temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%08x.tmp", rand.Uint32()))
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm|0o200)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fs.ErrExist
}

// syncFolder makes the system store which files a folder has. It returns no error: not every system can sync a folder,
// and after a loss of power the name leads to the old file or the new one.
func syncFolder(name string) {
	if dir, err := os.Open(name); err == nil {
		_ = dir.Sync()
		dir.Close()
	}
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
