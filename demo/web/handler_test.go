package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The program comes compressed to whoever can read that, with the length of what is sent, and plain to others.
func TestProgramIsSentCompressed(t *testing.T) {
	dir := t.TempDir()
	program := bytes.Repeat([]byte("frame"), 1000)
	for name, data := range map[string][]byte{"demo.wasm": program, "index.html": page(int64(len(program)))} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	packed, err := pack(program)
	if err != nil {
		t.Fatal(err)
	}
	h := handler(dir, packed)
	get := func(path, accept string) *http.Response {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	for accept, small := range map[string]bool{
		"gzip, deflate, br": true, "br;q=1.0, gzip;q=0.8": true, "gzip": true,
		"": false, "br": false, "gzip;q=0": false, "gzip; q=0.0": false, "xgzip": false,
	} {
		r := get("/demo.wasm", accept)
		if got := r.Header.Get("Content-Encoding") == "gzip"; got != small {
			t.Errorf("%q: compressed is %v", accept, got)
			continue
		}
		body, _ := io.ReadAll(r.Body)
		if n := r.Header.Get("Content-Length"); n != strconv.Itoa(len(body)) {
			t.Errorf("%q: Content-Length %s of %d bytes", accept, n, len(body))
		}
		if small {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			body, _ = io.ReadAll(z)
		}
		if !bytes.Equal(body, program) || r.Header.Get("Content-Type") != "application/wasm" {
			t.Errorf("%q: %d bytes of %s", accept, len(body), r.Header.Get("Content-Type"))
		}
	}
	body, _ := io.ReadAll(get("/", "gzip").Body)
	if !strings.Contains(string(body), "const size = "+strconv.Itoa(len(program))+" ") {
		t.Error("the page does not know the size of the program")
	}
}
