package sim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hajimehoshi/ebiten/v2/examples/resources/images"
)

// sprites makes a world that loads assets and little else.
func sprites(o Options) *World {
	o.Seed, o.Boids, o.Agents, o.Detail = 3, -1, -1, 1
	return world(o)
}

func TestEveryBuiltinAssetDecodes(t *testing.T) {
	w := sprites(Options{})
	w.Step(tick, Inline{})
	if w.Assets.InFlight != 0 || w.Assets.Loaded != uint64(w.Assets.Known) || w.Assets.Known < 80 {
		t.Errorf("%+v", w.Assets)
	}
	if list := w.Problems.List(); len(list) != 0 {
		t.Errorf("problems: %v", list)
	}
	if got := len(w.Atlas.Names()); got != w.Assets.Known {
		t.Errorf("%d sprites of %d assets", got, w.Assets.Known)
	}
	drain(w)
	for _, name := range w.Atlas.Names() {
		s, ok := w.Atlas.Sprite(name)
		if !ok || !s.Ready || s.Placeholder || s.Rect.Empty() {
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

// hugePNG is a file of some bytes that says that it holds 9,000 x 9,000 pixels.
func hugePNG() []byte {
	chunk := []byte("IHDR\x00\x00\x23\x28\x00\x00\x23\x28\x08\x06\x00\x00\x00")
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
}

func TestCorruptImagesBecomeNamedPlaceholders(t *testing.T) {
	good := pngOf(t, 40, 30)
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 0x55
	folder := fstest.MapFS{
		"good.png":      {Data: good},
		"GOOD2.JPG":     {Data: images.Gophers_jpg},
		"truncated.png": {Data: good[:len(good)/2]},
		"flipped.png":   {Data: flipped},
		"empty.jpeg":    {},
		"text.png":      {Data: []byte("this is not a picture")},
		"huge.png":      {Data: hugePNG()},
		"notes.txt":     {Data: []byte("left alone")},
		"sub/deep.png":  {Data: []byte("left alone, too")},
	}
	w := sprites(Options{NoAssets: true})
	if err := w.LoadDir(folder, Inline{}); err != nil {
		t.Fatal(err)
	}
	bad := map[string]bool{
		"truncated.png": true, "flipped.png": true, "empty.jpeg": true, "text.png": true, "huge.png": true,
	}
	for name := range folder {
		s, ok := w.Atlas.Sprite("dir/" + name)
		if want := name != "notes.txt" && name != "sub/deep.png"; ok != want {
			t.Errorf("%s: in the atlas: %t, want %t", name, ok, want)
		}
		if ok && s.Placeholder != bad[name] {
			t.Errorf("%s: placeholder %t, want %t", name, s.Placeholder, bad[name])
		}
	}
	if got := len(w.Problems.List()); got != len(bad) || w.Problems.Total() != len(bad) {
		t.Errorf("%d problems, want %d: %v", got, len(bad), w.Problems.List())
	}
	for _, p := range w.Problems.List() {
		if !bad[strings.TrimPrefix(p.Name, "dir/")] || p.Err == nil || !strings.Contains(p.Error(), p.Name) {
			t.Errorf("problem %v names no corrupt file", p)
		}
		if p.Name == "dir/huge.png" && !errors.Is(p, errTooLarge) {
			t.Errorf("%v, want %v", p, errTooLarge)
		}
	}
	cross := w.Atlas.sprites["dir/text.png"].pixel
	a, b := cross.RGBAAt(1, 20), cross.RGBAAt(32, 32)
	if a != (color.RGBA{255, 0, 255, 255}) || b.G != 255 {
		t.Errorf("the placeholder is %v and %v, want magenta under a white cross", a, b)
	}
	w.Reload(Inline{})
	if got := len(w.Problems.List()); got != len(bad) || w.Problems.Total() != 2*len(bad) {
		t.Errorf("after a reload: %d problems listed, %d in all", got, w.Problems.Total())
	}
}

func TestAnUnreadableFolderIsAnError(t *testing.T) {
	w := sprites(Options{NoAssets: true})
	for name, dir := range map[string]fs.FS{
		"missing": failingFS{},
		"empty":   fstest.MapFS{},
		"no image": fstest.MapFS{
			"a.txt":        {Data: []byte("x")},
			"folder.png/a": {Data: []byte("x")},
		},
	} {
		if err := w.LoadDir(dir, Inline{}); err == nil || !strings.HasPrefix(err.Error(), "sim: assets: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	w = sprites(Options{NoAssets: true, Assets: failingFS{}})
	w.Step(tick, Inline{})
	if list := w.Problems.List(); len(list) != 1 || !errors.Is(list[0], fs.ErrPermission) {
		t.Errorf("problems %v", list)
	}
}

type failingFS struct{}

func (failingFS) Open(string) (fs.File, error) { return nil, fs.ErrPermission }

func TestAnUnreadableFileIsAPlaceholder(t *testing.T) {
	w := sprites(Options{NoAssets: true})
	dir := fstest.MapFS{"gone.png": {Data: pngOf(t, 4, 4)}, "stays.png": {Data: pngOf(t, 4, 4)}}
	r := &later{}
	if err := w.LoadDir(dir, r); err != nil {
		t.Fatal(err)
	}
	delete(dir, "gone.png")
	r.settle()
	s, _ := w.Atlas.Sprite("dir/gone.png")
	if !s.Placeholder || !errors.Is(w.Problems.List()[0], fs.ErrNotExist) {
		t.Errorf("%+v, %v", s, w.Problems.List())
	}
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
	f := newTypefaces()
	lines := []label{{"Alderford", 15, false}, {"谷の里", 15, false}, {"SLICE", 16, true}, {"", 12, false}}
	for _, l := range lines {
		p, err := f.draw(l)
		if err != nil {
			t.Fatal(err)
		}
		bright := 0
		for i := 0; i < len(p.pixel.Pix); i += 4 {
			if p.pixel.Pix[i] > 200 {
				bright++
			}
		}
		if want := 8 * len([]rune(l.text)); bright < want {
			t.Errorf("%q: %d bright pixels, want at least %d", l.text, bright, want)
		}
	}
	long, err := f.draw(label{strings.Repeat("wide ", 400), 20, false})
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
		if err := a.put("s"+itoa(i), p, false); err != nil {
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
	if err := a.put("too large", newPicture(AtlasSize, 10), false); !errors.Is(err, ErrAtlasFull) {
		t.Errorf("too large: %v", err)
	}
}

func TestASmallerImageTakesThePlaceOfTheLarger(t *testing.T) {
	var u Uploads
	a := newAtlas(&u)
	for _, w := range []int{60, 20, 60, 90} {
		if err := a.put("it", newPicture(w, 40), false); err != nil {
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

func FuzzDecode(f *testing.F) {
	f.Add(pngOf(f, 9, 5))
	f.Add(images.Gophers_jpg)
	f.Add(hugePNG())
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
		if n := cfg.Width * cfg.Height; err == nil && n > 1<<20 && n <= maxPixels {
			t.Skip("valid, but takes the time of a thousand others")
		}
		p, err := decode(data, 32, nil)
		if err == nil && (p.mips[0].Dx() > 32 || p.mips[0].Dy() > 32 || p.mips[0].Empty()) {
			t.Errorf("a picture of %v", p.mips[0])
		}
	})
}

// A browser has only the pictures of shown, so those of the walkers must be among them.
func TestWalkersAreShown(t *testing.T) {
	for _, a := range []Agent{{}, {VX: 10}, {VX: -10}} {
		if !slices.ContainsFunc(shown(), func(s source) bool { return s.name == a.Sprite() }) {
			t.Errorf("%s is not shown", a.Sprite())
		}
	}
}
