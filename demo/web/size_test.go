package main

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Brotli is measured where there is Node. The size is less than with gzip.
func TestBrotli(t *testing.T) {
	text, err := os.ReadFile("index.html")
	if err != nil {
		t.Fatal(err)
	}
	packed, err := pack(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err == nil {
		said, size := brotli("index.html", 11), 0
		if _, err := fmt.Sscanf(said, ", with brotli %d (quality 11)", &size); err != nil {
			t.Errorf("%q: %v", said, err)
		}
		if size <= 0 || size >= len(packed) {
			t.Errorf("brotli %d, gzip %d", size, len(packed))
		}
	}
	t.Setenv("PATH", t.TempDir())
	if got, want := brotli("index.html", 5), ", brotli not measured: wants node"; got != want {
		t.Errorf("without node: %q", got)
	}
	if got := brotli("index.html", 0); got != "" {
		t.Errorf("quality 0: %q", got)
	}
}
