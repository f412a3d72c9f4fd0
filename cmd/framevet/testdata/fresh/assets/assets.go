// Package assets reads files for the games beside it.
package assets

import (
	"bytes"
	"image"
	_ "image/png"
	"os"
	"path/filepath"

	"github.com/hajimehoshi/ebiten/v2"
)

// Read returns the bytes of an asset.
func Read(name string) []byte {
	b, err := os.ReadFile(filepath.Join("assets", name))
	if err != nil {
		return nil
	}
	return b
}

// Picture decodes a picture.
func Picture(b []byte) *ebiten.Image {
	m, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		return ebiten.NewImage(1, 1)
	}
	return ebiten.NewImageFromImage(m)
}

// Path searches a way through a map, node by node.
func Path(cells []int, from, to int) []int {
	var open, path []int
	open = append(open, from)
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		path = append(path, at)
		if at == to {
			break
		}
		for d := range 4 {
			if next := at + d; next < len(cells) && cells[next] == 0 {
				open = append(open, next)
			}
		}
	}
	return path
}
