package sim

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// sprites makes a world that loads assets and little else.
func sprites(o Options) *World {
	o.Seed, o.Boids, o.Agents, o.Detail = 3, -1, -1, 1
	return world(o)
}

func TestEveryBuiltinAssetDecodes(t *testing.T) {
	w := sprites(Options{})
	w.Step(tick, Inline{})
	if w.Assets.InFlight != 0 || w.Assets.Loaded != uint64(w.Assets.Known) || w.Assets.Known < 40 {
		t.Errorf("%+v", w.Assets)
	}
	if len(w.Problems) != 0 {
		t.Errorf("problems: %v", w.Problems)
	}
	if got := len(w.Atlas.Names()); got != w.Assets.Known {
		t.Errorf("%d sprites of %d assets", got, w.Assets.Known)
	}
	drain(w)
	for _, name := range w.Atlas.Names() {
		s, ok := w.Atlas.Sprite(name)
		if !ok || !s.Ready || s.Rect.Empty() {
			t.Errorf("%s: %+v", name, s)
		}
		if s.Mips[0] != s.Rect || s.Mip(1).Dy() > s.Rect.Dy() {
			t.Errorf("%s: mips %v", name, s.Mips)
		}
	}
	pages := w.Atlas.Pages
	w.Reload(Inline{})
	if w.Atlas.Pages != pages || w.Assets.Loaded != 2*uint64(w.Assets.Known) {
		t.Errorf("after reloading: %d pages, %d before; %+v", w.Atlas.Pages, pages, w.Assets)
	}
}

func TestAnAssetIsAskedForOnceAtATime(t *testing.T) {
	w := sprites(Options{})
	r := &later{}
	w.Reload(r)
	n := len(r.jobs)
	w.Reload(r)
	if len(r.jobs) != n || w.Assets.InFlight != n {
		t.Errorf("%d jobs, then %d", n, len(r.jobs))
	}
	r.settle()
	if w.Assets.InFlight != 0 {
		t.Errorf("%d still in flight", w.Assets.InFlight)
	}
}

// pngOf returns a picture of a size as a file.
func pngOf(t testing.TB, w, h int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(i*7 + i/5)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecodeScalesAndKeepsTheAspect(t *testing.T) {
	for _, c := range []struct{ w, h, fit, wantW, wantH int }{
		{40, 30, 64, 40, 30}, {400, 300, 64, 64, 48}, {1000, 1, 64, 64, 1}, {1, 1, 64, 1, 1}, {64, 64, 64, 64, 64},
	} {
		p, err := decode(pngOf(t, c.w, c.h), c.fit, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.mips[0].Size(); got != image.Pt(c.wantW, c.wantH) {
			t.Errorf("%dx%d into %d: %v, want %dx%d", c.w, c.h, c.fit, got, c.wantW, c.wantH)
		}
		for i, m := range p.mips {
			if !m.In(p.pixel.Rect) {
				t.Errorf("mip %d at %v is outside %v", i, m, p.pixel.Rect)
			}
			for j, n := range p.mips[:i] {
				if m.Overlaps(n) {
					t.Errorf("mips %d and %d overlap", i, j)
				}
			}
		}
	}
}

func TestMipsKeepTheMeanColour(t *testing.T) {
	p, err := decode(pngOf(t, 64, 64), 64, nil)
	if err != nil {
		t.Fatal(err)
	}
	mean := func(r image.Rectangle) (sum [4]float64) {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				for k := range sum {
					sum[k] += float64(p.pixel.Pix[p.pixel.PixOffset(x, y)+k]) / float64(r.Dx()*r.Dy())
				}
			}
		}
		return sum
	}
	want := mean(p.mips[0])
	for i, m := range p.mips {
		for k, v := range mean(m) {
			if d := v - want[k]; d < -2 || d > 2 {
				t.Errorf("mip %d: channel %d has mean %.1f, want %.1f", i, k, v, want[k])
			}
		}
	}
}

func TestTextsInTwoScriptsAreDrawn(t *testing.T) {
	f := newTypeface()
	for _, text := range []string{"Alderford", "谷の里", ""} {
		p, err := f.draw(text)
		if err != nil {
			t.Fatal(err)
		}
		bright := 0
		for i := 0; i < len(p.pixel.Pix); i += 4 {
			if p.pixel.Pix[i] > 200 {
				bright++
			}
		}
		if want := 8 * len([]rune(text)); bright < want {
			t.Errorf("%q: %d bright pixels, want at least %d", text, bright, want)
		}
	}
	long, err := f.draw(strings.Repeat("wide ", 400))
	if err != nil || long.pixel.Rect.Dx() > AtlasSize-1 {
		t.Errorf("a long line is %v, %v", long.pixel.Rect, err)
	}
}

func TestAtlasPlacesDoNotOverlap(t *testing.T) {
	var u Uploads
	a := newAtlas(&u)
	full := 0
	for i := range 900 {
		h := hash2(1, int32(i), 0)
		p := newPicture(8+int(h%150), 8+int(h>>8%200))
		if err := a.put(fmt.Sprint("s", i), p); err != nil {
			if !errors.Is(err, ErrAtlasFull) {
				t.Fatal(err)
			}
			full++
		}
	}
	if full == 0 || full > 600 || a.Pages != AtlasPages {
		t.Errorf("%d of 900 did not fit on %d pages", full, a.Pages)
	}
	var list []*atlasEntry
	for _, e := range a.sprites {
		if !e.place.In(image.Rect(0, 0, AtlasSize, AtlasSize)) {
			t.Fatalf("%v is off the page", e.place)
		}
		for _, o := range list {
			if o.Page == e.Page && o.place.Overlaps(e.place) {
				t.Fatalf("%v and %v overlap", o.place, e.place)
			}
		}
		list = append(list, e)
	}
	if err := a.put("too large", newPicture(AtlasSize, 10)); !errors.Is(err, ErrAtlasFull) {
		t.Errorf("too large: %v", err)
	}
}

func TestASmallerImageTakesThePlaceOfTheLarger(t *testing.T) {
	var u Uploads
	a := newAtlas(&u)
	for _, w := range []int{60, 20, 60, 90} {
		if err := a.put("it", newPicture(w, 40)); err != nil {
			t.Fatal(err)
		}
		if s, _ := a.Sprite("it"); s.Rect.Dx() != w || u.Len() != 1 {
			t.Errorf("width %d: %v, %d uploads", w, s.Rect, u.Len())
		}
	}
	if len(a.shelves) != 1 || a.shelves[0].x != 60+30+1+90+45+1 {
		t.Errorf("shelves %+v", a.shelves)
	}
}

func TestNoPartOfTheEngineIsLinked(t *testing.T) {
	goCommand, err := exec.LookPath("go") // go test sees to it that its own is found
	if err != nil {
		t.Skipf("started by something else than go test: %v", err)
	}
	out, err := exec.Command(goCommand, "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	const engine = "github.com/hajimehoshi/ebiten/v2"
	const resources = engine + "/examples/resources/"
	for _, pkg := range strings.Fields(string(out)) {
		if strings.HasPrefix(pkg, engine) && !strings.HasPrefix(pkg, resources) || strings.Contains(pkg, "purego") {
			t.Errorf("links %s", pkg)
		}
	}
}

// A picture that cannot be read is named once, and nothing else is lost.
func TestAPictureThatCannotBeReadIsAProblem(t *testing.T) {
	w := sprites(Options{NoAssets: true})
	w.Assets.add(asset{name: "bad", data: pngOf(t, 40, 30)[:100], fit: 64})
	w.Assets.add(asset{name: "good", data: pngOf(t, 40, 30), fit: 64})
	for range 2 {
		w.Reload(Inline{})
	}
	_, bad := w.Atlas.Sprite("bad")
	_, good := w.Atlas.Sprite("good")
	if len(w.Problems) != 1 || w.Problems[0].Name != "bad" || bad || !good || w.Assets.InFlight != 0 {
		t.Errorf("problems %v, in the atlas: %t, %t", w.Problems, bad, good)
	}
}

func TestWalkersAreShown(t *testing.T) {
	for _, a := range []Agent{{}, {VX: 10}, {VX: -10}} {
		if !slices.ContainsFunc(pictures(), func(s asset) bool { return s.name == a.Sprite() }) {
			t.Errorf("there is no picture %s", a.Sprite())
		}
	}
}
