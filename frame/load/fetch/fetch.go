// Package fetch has sources of bytes for a load.Loader with two stages: HTTP for servers, and Files for a disk, an
// archive or embedded files.
//
//	pictures := load.NewFrom(loop, load.Options{Attempts: 4}, fetch.HTTP(nil), decode)
//	pictures.Load(ctx, "https://example.com/knight.png", commit)
//
// A source of your own is a function: see load.Source.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/frameslice/frameslice/frame/load"
)

// HTTP returns a source that gets the body of a URL. The Meter has its bytes, and Content-Length as the total. The
// default client (nil) is http.DefaultClient, which waits for a silent server without an end, and such a download
// keeps its place among load.Options.Fetches. So give a client with a Timeout where that may happen. In a browser,
// net/http calls the browser's fetch.
//
// A status outside of 200 to 299 is a *StatusError. A body that ends early is an error, too.
func HTTP(client *http.Client) load.Source[string] {
	if client == nil {
		client = http.DefaultClient
	}
	return func(ctx context.Context, url string, m *load.Meter) ([]byte, error) {
		ask, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err == nil && ask.URL.Host == "" {
			err = fmt.Errorf("fetch: %q has no host", url)
		}
		if err != nil {
			return nil, final{err}
		}
		answer, err := client.Do(ask)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		if answer.StatusCode < 200 || answer.StatusCode > 299 {
			return nil, &StatusError{URL: url, Code: answer.StatusCode, After: after(answer.Header, time.Now())}
		}
		bytes, err := read(ctx, answer.Body, answer.ContentLength, m)
		if err != nil {
			err = fmt.Errorf("fetch: %s: %w", url, err)
		}
		return bytes, err
	}
}

// A StatusError is an answer of a server without the bytes. It asks a Loader for another attempt after 408,
// 425, 429 and 500 to 599.
type StatusError struct {
	URL   string
	Code  int           // such as http.StatusNotFound
	After time.Duration // what the header Retry-After asks for, or 0
}

// Error returns "fetch: ", the URL, the code and its text.
func (e *StatusError) Error() string {
	return fmt.Sprintf("fetch: %s: %d %s", e.URL, e.Code, http.StatusText(e.Code))
}

// RetryAfter is for load.Source.
func (e *StatusError) RetryAfter() (pause time.Duration, again bool) {
	switch e.Code {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return e.After, true
	}
	return e.After, e.Code >= 500 && e.Code <= 599
}

// after returns what Retry-After asks for: seconds, or a date.
func after(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// Files returns a source that reads the file of a name in fsys: os.DirFS, an embed.FS, a zip.Reader. The Meter has the
// bytes read, and the file's size as the total.
func Files(fsys fs.FS) load.Source[string] {
	if fsys == nil {
		panic("fetch: Files of a nil FS")
	}
	return func(ctx context.Context, name string, m *load.Meter) ([]byte, error) {
		f, err := fsys.Open(name)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) {
				err = final{err}
			}
			return nil, err
		}
		defer f.Close()
		size := int64(-1)
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		return read(ctx, f, size, m)
	}
}

// final is an error that another attempt would meet again.
type final struct{ error }

func (e final) Unwrap() error { return e.error }

// RetryAfter is for load.Source.
func (final) RetryAfter() (pause time.Duration, again bool) { return 0, false }

// chunk is how much is read at once: so often the Meter changes, and so often the end of the context is seen.
const chunk = 64 << 10

// mostAtOnce bounds the memory that a size asks for before its bytes have come.
const mostAtOnce = 16 << 20

// read reads all. size is the number of bytes, or negative if it is not known.
func read(ctx context.Context, r io.Reader, size int64, m *load.Meter) ([]byte, error) {
	if size >= 0 {
		m.SetTotal(size)
	}
	bytes := make([]byte, 0, min(max(size, 0), mostAtOnce)+1) // one more for the read that finds the end
	for {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		if len(bytes) == cap(bytes) || size < 0 && cap(bytes)-len(bytes) < chunk/2 {
			bytes = slices.Grow(bytes, chunk)
		}
		n, err := r.Read(bytes[len(bytes):min(cap(bytes), len(bytes)+chunk)])
		bytes = bytes[:len(bytes)+n]
		if m.Add(int64(n)); err == io.EOF {
			return bytes, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
