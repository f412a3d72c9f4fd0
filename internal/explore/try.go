package explore

import (
	"errors"
	"testing"
)

// Try explores a protocol, which must hold, and each of its mutants, which must fail. For a mutant, a search that is
// cut short is no failure.
func Try[V any, S comparable](t testing.TB, sound V, mutants []V, model func(V) Model[S]) {
	t.Helper()
	TryIn(t, sound, mutants, func(v V, _ struct{}) Model[S] { return model(v) }, struct{}{})
}

// TryIn is Try where a protocol has several cases: it must hold in all, and a mutant must fail in one at least.
func TryIn[V, C any, S comparable](t testing.TB, sound V, mutants []V, model func(V, C) Model[S], cases ...C) {
	t.Helper()
	for i, c := range cases {
		stats, err := Run(model(sound, c))
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		t.Logf("case %d: %+v", i, stats)
	}
	for _, m := range mutants {
		found := false
		for i := 0; i < len(cases) && !found; i++ {
			_, err := Run(model(m, cases[i]))
			found = err != nil && !errors.Is(err, ErrTooLarge)
		}
		if !found {
			t.Errorf("the mutant %#v was not found out", m)
		}
	}
}

// Span returns the variants from first to last.
func Span[V ~int](first, last V) []V {
	all := make([]V, 0, last-first+1)
	for v := first; v <= last; v++ {
		all = append(all, v)
	}
	return all
}
