package testkit

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	patience = 30 * time.Second // for one use, in which nothing should take a second
	most     = 512 << 20        // bytes that one use may allocate
)

// Ints are the extremes of an int.
var Ints = []int{math.MinInt, -1, 0, 1, math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt}

// Extremes sets each number in a struct of type O to each extreme, one at a time. Numbers of structs and arrays within
// O count, but not those in fields named in except. use makes something with those options, uses it a little,
// and returns an error if something is wrong. use may panic with a text that names the field. It must not hang, and not
// allocate without measure.
func Extremes[O any](t *testing.T, use func(o O) error, except ...string) {
	t.Helper()
	var base O
	n := 0
	walk(reflect.ValueOf(&base).Elem(), "", except, func(v reflect.Value, name string) {
		t.Helper()
		zero := reflect.Zero(v.Type())
		for _, x := range extremes(v) {
			v.Set(x)
			o := base
			what := fmt.Sprintf("%T.%s = %v", base, name, x)
			if !once(t, what, name, func() error { return use(o) }) {
				return
			}
			n++
		}
		v.Set(zero)
	})
	if n == 0 {
		t.Errorf("%T has no number", base)
	}
}

// Argument tries a function of a number: see Extremes. name is in the text of a panic.
func Argument(t *testing.T, name string, use func(n int) error) {
	t.Helper()
	for _, n := range Ints {
		if !once(t, fmt.Sprintf("%s(%d)", name, n), name, func() error { return use(n) }) {
			return
		}
	}
}

// once returns false if the use hangs.
func once(t *testing.T, what, name string, use func() error) bool {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan string, 1)
	go func() {
		fault := ""
		defer func() {
			field := name[strings.LastIndex(name, ".")+1:]
			if v := recover(); v != nil && !strings.Contains(fmt.Sprint(v), field) {
				fault = fmt.Sprint("a panic without its name: ", v)
			}
			done <- fault
		}()
		if err := use(); err != nil {
			fault = err.Error()
		}
	}()
	select {
	case fault := <-done:
		if fault != "" {
			t.Errorf("%s: %s", what, fault)
		}
	case <-time.After(patience):
		t.Errorf("%s: hangs", what)
		return false
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > most {
		t.Errorf("%s: allocates %d MiB", what, n>>20)
	}
	return true
}

func walk(v reflect.Value, name string, except []string, f func(v reflect.Value, name string)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			skip := !field.IsExported()
			for _, e := range except {
				skip = skip || e == field.Name
			}
			if !skip {
				walk(v.Field(i), strings.TrimPrefix(name+"."+field.Name, "."), except, f)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			walk(v.Index(i), name, except, f)
		}
	default:
		if v.CanInt() || v.CanUint() || v.CanFloat() {
			f(v, name)
		}
	}
}

// extremes returns the extremes of v's type.
func extremes(v reflect.Value) (all []reflect.Value) {
	add := func(x any) { all = append(all, reflect.ValueOf(x).Convert(v.Type())) }
	switch bits := v.Type().Bits(); {
	case v.CanFloat():
		for _, x := range []float64{math.Inf(-1), -math.MaxFloat64, -1, 0, math.SmallestNonzeroFloat64, 1,
			math.MaxFloat64, math.Inf(1), math.NaN()} {
			add(x)
		}
	case v.CanInt():
		top := int64(math.MaxInt64) >> (64 - bits)
		for _, x := range []int64{-top - 1, -1, 0, 1, top / 2, top/2 + 1, top} {
			add(x)
		}
	default:
		top := uint64(math.MaxUint64) >> (64 - bits)
		for _, x := range []uint64{0, 1, top / 2, top/2 + 1, top} {
			add(x)
		}
	}
	return all
}
