package sim

import (
	"errors"
	"image"
	"slices"
)

const (
	AtlasSize  = 1024 // pixels per side of a page
	AtlasPages = 8    // at most
	mipLevels  = 4    // besides the full size
)

// ErrAtlasFull is the problem of an image for which no page has room.
var ErrAtlasFull = errors.New("sim: atlas full")

// Sprite is a place in the atlas: an image with its smaller versions.
type Sprite struct {
	Page  int
	Rect  image.Rectangle                // on the page: the full size
	Mips  [mipLevels + 1]image.Rectangle // on the page; [0] is Rect, each next one half; may be empty
	Ready bool                           // all its pixels have been taken out of Uploads
}

// Mip returns the smallest version that is at least height pixels high.
func (s *Sprite) Mip(height float32) image.Rectangle {
	best := s.Mips[0]
	for _, m := range s.Mips[1:] {
		if m.Empty() || float32(m.Dy()) < height {
			break
		}
		best = m
	}
	return best
}

// Atlas gives decoded images a place on pages of AtlasSize x AtlasSize. It plans only: the pixels go through Uploads,
// straight from the memory of the image. Sprites of about the same height stand in a row, a shelf. That is near the
// best packing for a few hundred sprites, and finding a place is short enough for a Commit. An image that is loaded
// again takes its old place if it fits there. Places are never given back. Frame goroutine only.
type Atlas struct {
	Pages int // pages in use

	uploads *Uploads
	sprites map[string]*atlasEntry
	names   []string // sorted
	shelves []shelf
	bottom  [AtlasPages]int // of each page
}

type shelf struct{ page, y, height, x int }

// atlasEntry is an uploadSource: the image with all its mips, side by side, as one rectangle of pixels.
type atlasEntry struct {
	Sprite
	place image.Rectangle // on the page; at least as large as the image
	pixel *image.RGBA
}

func newAtlas(u *Uploads) *Atlas { return &Atlas{uploads: u, sprites: map[string]*atlasEntry{}} }

// Sprite finds a sprite by its name.
func (a *Atlas) Sprite(name string) (Sprite, bool) {
	if e := a.sprites[name]; e != nil {
		return e.Sprite, true
	}
	return Sprite{}, false
}

// Names returns all names, sorted. The caller must not write to it.
func (a *Atlas) Names() []string { return a.names }

// put gives pic a place under a name and queues its pixels.
func (a *Atlas) put(name string, pic *picture) error {
	size := pic.pixel.Rect.Size()
	e := a.sprites[name]
	if e == nil || size.X > e.place.Dx() || size.Y > e.place.Dy() {
		page, at, ok := a.allocate(size)
		if !ok {
			return ErrAtlasFull
		}
		if e == nil {
			e = &atlasEntry{}
			a.sprites[name] = e
			i, _ := slices.BinarySearch(a.names, name)
			a.names = slices.Insert(a.names, i, name)
		}
		e.Page, e.place = page, image.Rectangle{at, at.Add(size)}
	}
	e.pixel, e.Ready = pic.pixel, false
	for i, m := range pic.mips {
		e.Mips[i] = m
		if !m.Empty() {
			e.Mips[i] = m.Add(e.place.Min)
		}
	}
	e.Rect = e.Mips[0]
	a.uploads.push(e)
	return nil
}

// allocate finds a place, with a gutter of one pixel to the right and below.
func (a *Atlas) allocate(size image.Point) (page int, at image.Point, ok bool) {
	w, h := size.X+1, size.Y+1
	if w > AtlasSize || h > AtlasSize {
		return 0, image.Point{}, false
	}
	best := -1
	for i, s := range a.shelves {
		fits := s.height >= h && s.height <= h+h/4+4 && s.x+w <= AtlasSize
		if fits && (best < 0 || s.height < a.shelves[best].height) {
			best = i
		}
	}
	if best < 0 {
		for page := range AtlasPages {
			if a.bottom[page]+h <= AtlasSize {
				a.shelves = append(a.shelves, shelf{page: page, y: a.bottom[page], height: h})
				a.bottom[page] += h
				a.Pages = max(a.Pages, page+1)
				best = len(a.shelves) - 1
				break
			}
		}
	}
	if best < 0 {
		return 0, image.Point{}, false
	}
	s := &a.shelves[best]
	at = image.Pt(s.x, s.y)
	s.x += w
	return s.page, at, true
}

func (e *atlasEntry) size() image.Point { return e.pixel.Rect.Size() }

func (e *atlasEntry) rows(y, n int) (Target, int, image.Rectangle, []byte) {
	at := image.Pt(e.place.Min.X, e.place.Min.Y+y)
	return TargetAtlas, e.Page, image.Rectangle{at, at.Add(image.Pt(e.pixel.Rect.Dx(), n))},
		e.pixel.Pix[y*e.pixel.Stride : (y+n)*e.pixel.Stride]
}

func (e *atlasEntry) uploaded() { e.Ready = true }
