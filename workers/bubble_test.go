package workers_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/workers"
)

// inABubble has every field of Options with values that are not the default one.
var inABubble = map[string][]workers.Options{
	"Workers":    {{Workers: 1}, {Workers: 3}},
	"Background": {{Background: 1}, {Background: -1}},
	"RaiseProcs": {{Background: 1, RaiseProcs: true}, {Pin: workers.PinThread, RaiseProcs: true}},
	"Pin":        {{Pin: workers.PinThread}, {Pin: workers.PinCPU}},
	"OnPanic":    {{OnPanic: func(*workers.PanicError) {}}},
	"Profile":    {{Profile: -1}},
	"IO":         {{IO: 1}},
	"Runs":       {{Profile: 10}},
}

// Whatever the options, a pool that is made within a bubble lets time pass there, while it has work and while not.
func TestEveryOptionLetsVirtualTimePass(t *testing.T) {
	needsWorkers(t)
	all := map[string]workers.Options{"none": {}}
	for f := range reflect.TypeFor[workers.Options]().Fields() {
		if f.IsExported() && len(inABubble[f.Name]) == 0 {
			t.Errorf("what becomes of Options.%s within a bubble?", f.Name)
		}
		for i, o := range inABubble[f.Name] {
			all[fmt.Sprint(f.Name, i)] = o
		}
	}
	for name, o := range all {
		t.Run(name, func(t *testing.T) {
			if o.Workers == 0 {
				o.Workers = 2 // also on one P
			}
			synctest.Test(t, func(t *testing.T) {
				p := workers.New(o)
				start := time.Now()
				sleeps := func(context.Context) (time.Duration, error) {
					time.Sleep(time.Second)
					return time.Since(start), nil
				}
				for _, prio := range []deadline.Priority{deadline.UserBlocking, deadline.Normal} {
					start = time.Now()
					took, err := workers.Submit(p, prio, sleeps).Wait(t.Context())
					if took != time.Second || err != nil {
						t.Errorf("%v: after %v, %v, want 1 s", prio, took, err)
					}
					time.Sleep(time.Hour) // everybody sleeps
				}
				var s workers.Stats
				if p.Stats(&s); !s.Virtual || p.Parks() != park.Chan {
					t.Errorf("virtual: %v; parks in a %v", s.Virtual, p.Parks())
				}
				for _, w := range s.PerWorker {
					if w.Class != "ordinary" {
						t.Errorf("a worker of class %s, for whom the whole bubble would wait", w.Class)
					}
				}
				mustClose(t, p)
			})
		})
	}
}
