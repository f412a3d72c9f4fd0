package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os/exec"
	"strings"
)

// pack returns the program with gzip, which takes a second or two.
func pack(program []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(program); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// squeeze is a program for Node, which has brotli. Go's library has none.
const squeeze = `
	const { readFileSync } = require("fs"), z = require("zlib"), [path, quality] = process.argv.slice(1)
	const data = readFileSync(path), is = z.constants
	console.log(z.brotliCompressSync(data, { params: {
		[is.BROTLI_PARAM_QUALITY]: Number(quality), [is.BROTLI_PARAM_SIZE_HINT]: data.length,
		[is.BROTLI_PARAM_LGWIN]: 24,
	} }).length)`

// brotli says how large the file is with brotli of that quality, or why nobody knows. It says nothing of quality 0.
func brotli(path string, quality int) string {
	if quality == 0 {
		return ""
	}
	if _, err := exec.LookPath("node"); err != nil {
		return ", brotli not measured: wants node"
	}
	size, err := exec.Command("node", "-e", squeeze, "--", path, fmt.Sprint(quality)).Output()
	if err != nil {
		return fmt.Sprintf(", brotli not measured: node: %v", err)
	}
	return fmt.Sprintf(", with brotli %s (quality %d)", strings.TrimSpace(string(size)), quality)
}
