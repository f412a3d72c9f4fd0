package sim

import (
	"image"
	"math/rand/v2"
	"testing"
)

// paper is an uploadSource that checks what it is asked for.
type paper struct {
	t    *testing.T
	w, h int
	next int // row expected
	done int
}

func (p *paper) size() image.Point { return image.Pt(p.w, p.h) }

func (p *paper) rows(y, n int) (Target, int, image.Rectangle, []byte) {
	if y != p.next || n < 1 || y+n > p.h {
		p.t.Errorf("asked for rows %d to %d, want from %d of %d", y, y+n, p.next, p.h)
	}
	p.next = y + n
	return TargetAtlas, 2, image.Rect(0, y, p.w, y+n), make([]byte, 4*p.w*n)
}

func (p *paper) uploaded() {
	if p.next != p.h {
		p.t.Errorf("uploaded after %d of %d rows", p.next, p.h)
	}
	p.done++
}

func TestUploadsGiveEachRowOnce(t *testing.T) {
	var u Uploads
	a, b := &paper{t: t, w: 10, h: 7}, &paper{t: t, w: 300, h: 3}
	u.push(a)
	u.push(b)
	if u.Len() != 2 {
		t.Errorf("%d images", u.Len())
	}
	var rows []int
	for {
		up, ok := u.Next(100) // two rows of a; less than a row of b
		if !ok {
			break
		}
		if len(up.Pix) != 4*up.Rect.Dx()*up.Rect.Dy() || up.Target != TargetAtlas || up.Slot != 2 {
			t.Errorf("%v with %d bytes", up.Rect, len(up.Pix))
		}
		rows = append(rows, up.Rect.Dy())
		if last := len(rows) == 4 || len(rows) == 7; up.Last != last {
			t.Errorf("piece %d: last %t", len(rows), up.Last)
		}
	}
	if len(rows) != 7 || a.done != 1 || b.done != 1 || u.Len() != 0 {
		t.Errorf("pieces of %v rows, %d images left", rows, u.Len())
	}
}

func TestUploadsMatchAModel(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		var u Uploads
		var model []*paper // in the order of the queue
		var all []*paper
		for range 12 {
			all = append(all, &paper{t: t, w: 1 + rnd.IntN(40), h: 1 + rnd.IntN(40)})
		}
		find := func(p *paper) int {
			for i, m := range model {
				if m == p {
					return i
				}
			}
			return -1
		}
		for range 4000 {
			p := all[rnd.IntN(len(all))]
			switch i := find(p); rnd.IntN(4) {
			case 0:
				u.push(p)
				p.next = 0
				if i < 0 {
					model = append(model, p)
				}
			case 1:
				if u.cancel(p); i >= 0 {
					model = append(model[:i], model[i+1:]...)
				}
			default:
				up, ok := u.Next(1 + rnd.IntN(3000))
				if ok != (len(model) > 0) {
					t.Fatalf("seed %d: next %t with %d waiting", seed, ok, len(model))
				}
				if ok && up.Rect.Dx() != model[0].w {
					t.Fatalf("seed %d: out of order", seed)
				}
				if ok && up.Last {
					model = model[1:]
				}
			}
			if u.Len() != len(model) {
				t.Fatalf("seed %d: %d images, want %d", seed, u.Len(), len(model))
			}
		}
	}
}
