package workers

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/frameslice/frameslice/deadline"
)

// A quota that is set later keeps workers from staying awake, also if their number is fixed.
func TestAFixedNumberOfWorkersHeedsAQuotaThatIsSetLater(t *testing.T) {
	if !threads {
		t.Skip("no workers here")
	}
	p := New(Options{Workers: 2})
	defer p.Close(context.Background())
	p.site.files = fstest.MapFS{
		"proc/self/cgroup":        {Data: []byte("0::/x\n")},
		"proc/self/mountinfo":     {Data: []byte("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")},
		"sys/fs/cgroup/x/cpu.max": {Data: []byte("150000 100000\n")},
	}
	p.follow.seen.Store(-1) // as if GOMAXPROCS had changed, which Go does by itself
	p.follow.next.Store(0)
	p.followProcs(deadline.Now())
	wait(t, "the quota is read", func() bool { return p.site.whole.Load() == 1 })
	wait(t, "nobody may stay awake", func() bool { return p.crews[ordinary].heat.places.Load() == 0 })
	if n := p.crews[ordinary].want.Load(); n != 2 {
		t.Errorf("%d workers", n)
	}
}
