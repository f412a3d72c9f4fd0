//go:build !js

package fetch_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/frame/load/fetch"
	"github.com/frameslice/frameslice/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// text loads texts, and returns the text, the error and the progress of each key in turn.
func text(t *testing.T, source load.Source[string], attempts int, key string) (got string, p load.Progress, err error) {
	t.Helper()
	l := frame.New(frame.Options{Interval: time.Millisecond})
	defer l.Close()
	ld := load.NewFrom(l, load.Options{Attempts: attempts}, source,
		func(_ context.Context, _ string, bytes []byte) (string, error) { return string(bytes), nil })
	r := ld.Load(bg, key, func(s string, e error) { got, err = s, e })
	testkit.Eventually(t, key, func() bool {
		l.Begin()
		l.Slice()
		l.End()
		return r.State() != load.Pending
	})
	return got, ld.Progress(), err
}

// serve answers with a status and a header until it has been asked n times, and then with the body.
func serve(t *testing.T, n int32, status int, header, body string) (url string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) <= n {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(status)
			return
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		s.Close()
	})
	return s.URL, asked
}

func TestHTTP(t *testing.T) {
	long := strings.Repeat("bytes ", 50_000)
	date := time.Now().Add(1500 * time.Millisecond).UTC().Format(http.TimeFormat) // in whole seconds
	for name, c := range map[string]struct {
		fails  int32
		status int
		header string
		least  time.Duration
		err    string // after the URL
	}{
		"at once":         {},
		"busy":            {fails: 1, status: 503},
		"too many":        {fails: 1, status: 429, header: "1", least: time.Second},
		"too many, dated": {fails: 1, status: 429, header: date},
		"nonsense":        {fails: 1, status: 500, header: "soon"},
		"gone":            {fails: 1, status: 404, err: ": 404 Not Found"},
		"always busy":     {fails: 9, status: 500, err: ": 500 Internal Server Error"},
		"in an hour":      {fails: 1, status: 503, header: "3600", err: ": 503 Service Unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, asked := serve(t, c.fails, c.status, c.header, long)
			begin := time.Now()
			got, p, err := text(t, fetch.HTTP(nil), 3, url)
			if c.err != "" {
				want := "fetch: " + url + c.err
				if e := (*fetch.StatusError)(nil); !errors.As(err, &e) || err.Error() != want || e.Code != c.status {
					t.Errorf("%v, want %q", err, want)
				}
				if want := min(c.fails, 3); asked.Load() != want || p.Failed != 1 || p.Bytes != 0 {
					t.Errorf("asked %d times, want %d: %+v", asked.Load(), want, p)
				}
				return
			}
			if err != nil || got != long || p.Bytes != int64(len(long)) || time.Since(begin) < c.least {
				t.Errorf("%d bytes, %v, %+v after %v", len(got), err, p, time.Since(begin))
			}
		})
	}
}

// A body that ends early, a server that is not there, and a bad URL are errors; the last one is final.
func TestHTTPFaults(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, "half")
	}))
	defer s.Close()
	_, p, err := text(t, fetch.HTTP(s.Client()), 2, s.URL)
	if err == nil || !strings.Contains(err.Error(), "unexpected EOF") || p.TotalBytes != 0 {
		t.Errorf("half a body: %v, %+v", err, p)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if _, _, err := text(t, fetch.HTTP(nil), 2, gone.URL); err == nil {
		t.Error("no error without a server")
	}
	begin := time.Now()
	if _, _, err := text(t, fetch.HTTP(nil), 9, "ht!tp://"); err == nil || time.Since(begin) > 3*time.Second {
		t.Errorf("a bad URL: %v after %v", err, time.Since(begin))
	}
}

// The end of the request ends the download.
func TestHTTPEndsWithTheRequest(t *testing.T) {
	began, ended := make(chan bool), make(chan bool)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		fmt.Fprint(w, "begin")
		w.(http.Flusher).Flush()
		close(began)
		<-r.Context().Done()
		close(ended)
	}))
	defer s.Close()
	l := frame.New(frame.Options{Interval: time.Millisecond})
	defer l.Close()
	ld := load.NewFrom(l, load.Options{}, fetch.HTTP(s.Client()),
		func(context.Context, string, []byte) (int, error) { return 0, nil })
	r := ld.Load(bg, s.URL, func(int, error) { t.Error("committed") })
	for n := 0; ; n++ {
		l.Begin()
		l.Slice()
		l.End()
		select {
		case <-began:
			r.Cancel()
			began = nil
		case <-ended:
			return
		case <-time.After(time.Millisecond):
			if n > 20_000 {
				t.Fatal("the download continues")
			}
		}
	}
}

func TestFiles(t *testing.T) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	f, err := w.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, strings.Repeat("x", 300_000))
	w.Close()
	archive, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/a", []byte(strings.Repeat("x", 300_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, fsys := range map[string]fs.FS{
		"a disk": os.DirFS(dir), "an archive": archive,
		"memory": fstest.MapFS{"a": {Data: []byte(strings.Repeat("x", 300_000))}},
	} {
		got, p, err := text(t, fetch.Files(fsys), 1, "a")
		if err != nil || len(got) != 300_000 || p.Bytes != 300_000 || p.TotalBytes != 300_000 {
			t.Errorf("%s: %d bytes, %v, %+v", name, len(got), err, p)
		}
		begin := time.Now()
		_, p, err = text(t, fetch.Files(fsys), 9, "b")
		if !errors.Is(err, fs.ErrNotExist) || p.Failed != 1 || time.Since(begin) > 3*time.Second {
			t.Errorf("%s: %v, %+v after %v", name, err, p, time.Since(begin))
		}
	}
	testkit.Panics(t, "fetch: Files of a nil FS", func() { fetch.Files(nil) })
}
