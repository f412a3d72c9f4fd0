//go:build !js

// Command downloadpage is the page of scripts/download-test.mjs: a game in a browser that downloads. The package built
// for js/wasm is the game (game_js.go). Built for any other system, it serves the folder that has the game. Each
// file under /slow/ comes after 200 ms.
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

const index = `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>downloads</title><link rel="icon" href="data:,">
<canvas id="canvas" width="320" height="20"></canvas>
<script src="wasm_exec.js"></script>
<script>
const go = new Go()
WebAssembly.instantiateStreaming(fetch("game.wasm"), go.importObject).then(game => go.run(game.instance))
</script></html>
`

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: downloadpage DIR")
		os.Exit(2)
	}
	server, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "downloadpage:", err)
		os.Exit(1)
	}
	files, pic := http.FileServer(http.Dir(os.Args[1])), picture(512)
	fmt.Printf("a picture has %d bytes, at http://%s/\n", len(pic), server.Addr())
	_ = (&http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Cross-Origin-Opener-Policy", "same-origin") // for a clock of 5 µs
			h.Set("Cross-Origin-Embedder-Policy", "require-corp")
			h.Set("Cache-Control", "no-store")
			switch {
			case r.URL.Path == "/":
				_, _ = w.Write([]byte(index))
			case strings.HasPrefix(r.URL.Path, "/slow/"):
				time.Sleep(200 * time.Millisecond)
				if strings.HasSuffix(r.URL.Path, "/png") {
					_, _ = w.Write(pic)
				} else {
					_, _ = w.Write([]byte("small"))
				}
			default:
				files.ServeHTTP(w, r)
			}
		})}).Serve(server)
}

// picture returns the PNG of a picture that compresses as a painted one does: smooth forms and a little grain.
func picture(size int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	r := rand.New(rand.NewPCG(1, 2))
	for y := range size {
		for x := range size {
			u, v := float64(x)/40, float64(y)/40
			form := math.Sin(u+math.Sin(v)) + math.Sin(v*1.7-math.Cos(u*0.6)) + math.Sin((u+v)*3)/3
			at := func(part float64) uint8 {
				return uint8(128 + 40*math.Sin(form+part) + 15*form + float64(r.IntN(4)))
			}
			img.SetNRGBA(x, y, color.NRGBA{R: at(0), G: at(1), B: at(2), A: 255})
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img) // to memory
	return b.Bytes()
}
