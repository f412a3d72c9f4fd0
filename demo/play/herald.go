package play

import (
	"fmt"
	"os"
	"strings"

	"github.com/frameslice/frameslice/demo/sim"
)

// Herald tells what went wrong and was got over, each by its name, once. The zero value is ready. Frame
// goroutine only.
type Herald struct {
	seen int
	told map[string]bool

	Folder string // of the images that are not built in, as the user typed it; "" = as package sim names it
}

// News is one problem in words.
type News struct {
	Line  string // for a terminal, without an end of line
	Short string // for the overlay
}

// News returns what is new since the last call: nothing, and no allocation, if nothing is.
func (h *Herald) News(w *sim.World) []News {
	if w.Problems.Total() == h.seen {
		return nil
	}
	h.seen = w.Problems.Total()
	if h.told == nil {
		h.told = map[string]bool{}
	}
	var out []News
	for _, p := range w.Problems.List() {
		if h.told[p.Name] {
			continue
		}
		h.told[p.Name] = true
		short := strings.TrimPrefix(p.Name, sim.FromFolder)
		n := News{fmt.Sprintf("demo: %s: %v", h.path(p.Name), p.Err), short + ": " + p.Err.Error()}
		if s, ok := w.Atlas.Sprite(p.Name); ok && s.Placeholder {
			n.Line += " (shown as a placeholder)"
			n.Short = short + " cannot be read: shown as a placeholder"
		}
		out = append(out, n)
	}
	return out
}

// path returns what the user calls the thing of that name: of a file in Folder, a path that can be pasted.
func (h *Herald) path(name string) string {
	file, ok := strings.CutPrefix(name, sim.FromFolder)
	if !ok || h.Folder == "" {
		return name
	}
	if os.IsPathSeparator(h.Folder[len(h.Folder)-1]) {
		return h.Folder + file
	}
	return h.Folder + string(os.PathSeparator) + file
}
