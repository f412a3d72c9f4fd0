package sim

import "image"

// Target names the texture memory that an Upload is for.
type Target uint8

const (
	TargetChunk Target = iota // a terrain chunk: Slot is 0 to Terrain.Slots-1, each ChunkSize x ChunkSize
	TargetAtlas               // an atlas page: Slot is the page's number, each AtlasSize x AtlasSize
)

// Upload is one piece of pixels on its way to the graphics card: whole rows of premultiplied RGBA, as Ebitengine's
// WritePixels wants them.
type Upload struct {
	Target Target
	Slot   int
	Rect   image.Rectangle // where in the texture
	Pix    []byte          // 4*Rect.Dx()*Rect.Dy() bytes, valid until the next call of a method of the World
	Last   bool            // the image is complete with this piece
}

// Uploads is the queue between Commit and the graphics card, first in, first out. A Commit puts an image into the
// queue, and the front takes it out in pieces as large as its slice allows. Nothing is copied on the way. A texture
// waits once, with its newest content, so the length is bounded. Frame goroutine only.
type Uploads struct {
	queue []uploadItem
	head  int
}

// uploadSource is what waits in the queue: a chunk or a sprite.
type uploadSource interface {
	// rows returns the place, and the pixels, of n rows from row y of the image; n <= size().Y - y.
	rows(y, n int) (Target, int, image.Rectangle, []byte)
	size() image.Point
	uploaded()
}

type uploadItem struct {
	src uploadSource // nil: cancelled
	row int
}

// Len returns how many images wait.
func (u *Uploads) Len() int {
	n := 0
	for _, it := range u.queue[u.head:] {
		if it.src != nil {
			n++
		}
	}
	return n
}

// Next takes the next piece of at most maxBytes, but at least one row of pixels, out of the queue. The upload costs the
// front time by len(Pix). 64 KiB is one terrain chunk.
func (u *Uploads) Next(maxBytes int) (Upload, bool) {
	for u.head < len(u.queue) {
		it := &u.queue[u.head]
		if it.src == nil {
			u.pop()
			continue
		}
		size := it.src.size()
		n := min(max(maxBytes/(4*size.X), 1), size.Y-it.row)
		var up Upload
		up.Target, up.Slot, up.Rect, up.Pix = it.src.rows(it.row, n)
		it.row += n
		if up.Last = it.row == size.Y; up.Last {
			src := it.src
			u.pop()
			src.uploaded()
		}
		return up, true
	}
	return Upload{}, false
}

func (u *Uploads) pop() {
	u.queue[u.head] = uploadItem{}
	u.head++
	if u.head == len(u.queue) {
		u.queue, u.head = u.queue[:0], 0
	} else if u.head >= 256 {
		n := copy(u.queue, u.queue[u.head:])
		clear(u.queue[n:])
		u.queue, u.head = u.queue[:n], 0
	}
}

// push queues src, from its first row, in the place that it has if it waits already.
func (u *Uploads) push(src uploadSource) {
	if it := u.find(src); it != nil {
		it.row = 0
		return
	}
	u.queue = append(u.queue, uploadItem{src: src})
}

// cancel takes src out of the queue, if it waits.
func (u *Uploads) cancel(src uploadSource) {
	if it := u.find(src); it != nil {
		*it = uploadItem{}
	}
}

func (u *Uploads) find(src uploadSource) *uploadItem {
	for i := u.head; i < len(u.queue); i++ {
		if it := &u.queue[i]; it.src == src {
			return it
		}
	}
	return nil
}
