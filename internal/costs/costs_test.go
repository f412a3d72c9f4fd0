package costs_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/testkit"
)

func Example() {
	var t costs.Table[struct{}]
	k, _ := t.Get("decode", 0)
	k.Expect(3 * time.Millisecond)
	k.Count(2*time.Millisecond, 1)
	k.Count(time.Millisecond, 1)
	for _, c := range t.Report(nil) {
		fmt.Println(c.Kind, c.Runs, c.Total, c.Max, c.Expected)
	}
	// Output: decode 2 3ms 2ms 3ms
}

func ExampleEstimate() {
	var e costs.Estimate
	for range 9 {
		e.Observe(100 * time.Microsecond)
	}
	e.Observe(80 * time.Millisecond) // the garbage collector came in between
	fmt.Println("one outlier:", e.High() < time.Millisecond)

	for range 3 {
		e.Observe(4 * time.Millisecond) // the next level has larger maps
	}
	fmt.Println("three in a row:", e.High() >= 4*time.Millisecond)
	// Output:
	// one outlier: true
	// three in a row: true
}

type table = costs.Table[int]

// fill makes a table know n kinds.
func fill(t *table, n int) {
	for i := range n {
		t.Get(fmt.Sprint("kind ", i), 0)
	}
}

// known returns how many kinds the table knows.
func known(t *table) int { return len(slices.Collect(t.All())) }

// A kind is one label, or one function; it is found under its key, and its name is that of either.
func TestGet(t *testing.T) {
	var tab table
	pc := uintptr(0x1234560)
	if tab.Find(costs.KeyOf("a", 0)) != nil || known(&tab) != 0 || len(tab.Report(nil)) != 0 {
		t.Error("the zero Table knows something")
	}
	a, _ := tab.Get("a", pc) // the label counts
	f, _ := tab.Get("", pc)
	b, _ := tab.Get("b", 0)
	for _, c := range []struct {
		want  *costs.Kind[int]
		label string
		code  uintptr
	}{{a, "a", 0}, {a, "a", 77}, {f, "", pc}, {b, "b", pc}} {
		k, forgot := tab.Get(c.label, c.code)
		key := costs.KeyOf(c.label, c.code)
		if k != c.want || forgot || tab.Find(key) != k || k.Key != key {
			t.Errorf("%q, %#x: another kind", c.label, c.code)
		}
	}
	if a.Code != 0 || f.Code != pc || a.Name() != "a" || known(&tab) != 3 {
		t.Errorf("%+v, %+v, %d kinds", a, f, known(&tab))
	}
	for range tab.All() {
		break
	}
}

// A label need not outlive the call: a program may cut it out of a buffer.
func TestNames(t *testing.T) {
	var tab table
	k, _ := tab.Get("", reflect.ValueOf(codeOf).Pointer())
	if !strings.HasSuffix(k.Name(), "costs_test.codeOf") {
		t.Errorf("the function is called %q", k.Name())
	}
	if got := costs.NameOf("", 1); got != "" {
		t.Errorf("no function is called %q", got)
	}
}

// What is beyond the limit is known, and everything else is not, also not to who holds it.
func TestForgetting(t *testing.T) {
	var tab, other table
	fill(&tab, costs.Limit)
	old, forgot := tab.Get("kind 0", 0)
	if forgot || known(&tab) != costs.Limit || !tab.Knows(old) || other.Knows(old) {
		t.Fatalf("%d kinds, forgot %v", known(&tab), forgot)
	}
	old.Count(5, 1)
	if _, forgot := tab.Get("one more", 0); !forgot || known(&tab) != 1 || tab.Knows(old) {
		t.Errorf("%d kinds, forgot %v", known(&tab), forgot)
	}
	k, forgot := tab.Get("kind 0", 0)
	if k == old || forgot || len(tab.Report(nil)) != 0 {
		t.Error("a kind was not forgotten")
	}
}

func TestReport(t *testing.T) {
	var tab table
	fill(&tab, 5)
	for i, total := range []time.Duration{3, 9, 3, 0} {
		k, _ := tab.Get(fmt.Sprint("kind ", i), 0)
		k.Count(total, 0) // a turn
		k.Count(-1, 1)    // a clock that went back
		k.Expect(total)
		k.Expect(total + 1)
	}
	head := costs.Cost{Kind: "head"}
	want := []costs.Cost{
		head, {"kind 1", 1, 9, 9, 10}, {"kind 0", 1, 3, 3, 4}, {"kind 2", 1, 3, 3, 4}, {"kind 3", 1, 0, 0, 1},
	}
	if got := tab.Report([]costs.Cost{head}); !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	tab.Reset()
	if got := tab.Report(nil); len(got) != 0 {
		t.Errorf("after a reset %+v", got)
	}
}

func TestMerge(t *testing.T) {
	a := []costs.Cost{{"x", 2, 5, 4, 3}, {"y", 1, 1, 1, 1}}
	b := []costs.Cost{{"y", 3, 9, 8, 0}, {"x", 1, 2, 2, 6}, {"z", 1, 2, 2, 2}}
	want := []costs.Cost{{"y", 4, 10, 8, 1}, {"x", 3, 7, 4, 6}, {"z", 1, 2, 2, 2}}
	if got := costs.Merge(a, b); !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// Goroutines that meet a kind at the same time get the same one, as long as nothing is forgotten (CT1), and continue if
// all is forgotten meanwhile (CT2). No run is lost.
func TestManyGoroutines(t *testing.T) {
	const goroutines, kinds = 8, 3 * costs.Limit / 4
	for _, flood := range []bool{false, true} {
		var tab table
		var wg sync.WaitGroup
		var mu sync.Mutex
		seen := map[*costs.Kind[int]]bool{}
		for g := range goroutines {
			wg.Go(func() {
				for i := range kinds {
					k, _ := tab.Get(fmt.Sprint("kind ", i), 0)
					k.Count(time.Duration(i), 1)
					if flood {
						tab.Get(fmt.Sprint(g, " of ", i), 0)
						continue
					}
					mu.Lock()
					seen[k] = true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if flood {
			if n := known(&tab); n > costs.Limit+goroutines {
				t.Errorf("%d kinds", n)
			}
			continue
		}
		if len(seen) != kinds || known(&tab) != kinds {
			t.Errorf("%d kinds, and %d are known, of %d", len(seen), known(&tab), kinds)
		}
		for _, c := range tab.Report(nil) {
			if c.Runs != goroutines || c.Total != goroutines*c.Max {
				t.Fatalf("%+v", c)
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	var tab table
	fill(&tab, 100)
	testkit.NoAllocs(t, func() {
		k, _ := tab.Get("kind 7", 0)
		k.Expect(k.Expected() + 1)
		k.Count(1, 1)
		for k := range tab.All() {
			k.Extra++
		}
	})
}

func codeOf() {}
