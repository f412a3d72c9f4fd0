package main

import (
	"net/http"
	"strconv"
	"strings"
)

// handler serves the folder. The program is sent as packed, a third of its size, to browsers that read gzip.
//
// The two headers of each answer isolate the page from pages of other sites. Browsers give an isolated page a clock of
// 5 µs, and any other page one of 100 µs.
func handler(dir string, packed []byte) http.Handler {
	files := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Embedder-Policy", "require-corp")
		h.Set("Cache-Control", "no-cache")
		if r.URL.Path != "/demo.wasm" {
			files.ServeHTTP(w, r)
			return
		}
		h.Set("Vary", "Accept-Encoding")
		if !takesGzip(r.Header.Get("Accept-Encoding")) || r.Header.Get("Range") != "" {
			files.ServeHTTP(w, r)
			return
		}
		h.Set("Content-Type", "application/wasm")
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.Itoa(len(packed)))
		if r.Method != http.MethodHead {
			w.Write(packed)
		}
	})
}

// takesGzip reports whether a browser that sends this Accept-Encoding can read gzip.
func takesGzip(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		name, how, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(name) != "gzip" {
			continue
		}
		q, weighs := strings.CutPrefix(strings.TrimSpace(how), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		return !weighs || err != nil || weight > 0
	}
	return false
}
