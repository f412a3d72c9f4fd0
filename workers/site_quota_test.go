package workers

import (
	"context"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/procs"
	"github.com/frameslice/frameslice/internal/quota"
)

// A quota that is set later keeps workers from staying awake, also if their number is fixed.
func TestAFixedNumberOfWorkersHeedsAQuotaThatIsSetLater(t *testing.T) {
	if !threads {
		t.Skip("no workers here")
	}
	p := New(Options{Workers: 2})
	defer p.Close(context.Background())
	p.quota.Files = fstest.MapFS{
		"proc/self/cgroup":        {Data: []byte("0::/x\n")},
		"proc/self/mountinfo":     {Data: []byte("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")},
		"sys/fs/cgroup/x/cpu.max": {Data: []byte("150000 100000\n")},
	}
	p.follow.seen.Store(-1) // as if GOMAXPROCS had changed, which Go does by itself
	p.follow.next.Store(0)
	p.followProcs(deadline.Now())
	wait(t, "the quota is read", func() bool { return p.quota.Whole() == 1 })
	wait(t, "nobody may stay awake", func() bool { return p.classes[ordinary].sleep.Places() == 0 })
	if n := p.classes[ordinary].want.Load(); n != 2 {
		t.Errorf("%d workers", n)
	}
}

// A quota that changes without GOMAXPROCS, which is two on either side of it, is followed all the same.
func TestAQuotaIsFollowedWhereGOMAXPROCSDoesNotTell(t *testing.T) {
	if !threads || runtime.NumCPU() < 2 {
		t.Skip("never a worker here")
	}
	old := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(old)
	p := New(Options{})
	defer p.Close(context.Background())
	for _, c := range []struct {
		limit   string
		whole   int
		workers int32
	}{{"200000 100000\n", 2, 1}, {"50000 100000\n", 1, 0}, {"max 100000\n", 0, 1}} {
		p.quota.Files = fstest.MapFS{
			"proc/self/cgroup":        {Data: []byte("0::/x\n")},
			"proc/self/mountinfo":     {Data: []byte("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")},
			"sys/fs/cgroup/x/cpu.max": {Data: []byte(c.limit)},
		}
		p.quota.Expire()
		p.follow.next.Store(0)
		p.BeginFrame()
		p.EndFrame()
		wait(t, c.limit, func() bool {
			return p.quota.Whole() == c.whole && p.classes[ordinary].want.Load() == c.workers
		})
		if p.quota.Due(deadline.Now().Add(quota.Every / 2)) {
			t.Error("read again too early")
		}
	}
}

// However many workers the options ask for, under a quota none of them stays awake; also when it comes later.
func TestExplicitWorkersDoNotStayAwakeUnderAQuota(t *testing.T) {
	if !threads {
		t.Skip("no threads")
	}
	granting := func(max string) fstest.MapFS {
		return fstest.MapFS{
			"proc/self/cgroup":        {Data: []byte("0::/x\n")},
			"proc/self/mountinfo":     {Data: []byte("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")},
			"sys/fs/cgroup/x/cpu.max": {Data: []byte(max)},
		}
	}
	p := &Pool{opt: Options{Workers: 2}}
	c := &p.classes[ordinary]
	c.base.Store(2)
	p.quota.Files = granting("150000 100000\n")
	p.survey()
	p.setPlaces()
	if n := c.sleep.Places(); n != 0 || p.granted() != 1 {
		t.Errorf("%d places, %d processors granted", n, p.granted())
	}
	p.quota.Files = granting("max 100000\n")
	p.adapt()
	without := c.sleep.Places()
	p.quota.Files = granting("300000 100000\n")
	p.adapt()
	if n := c.sleep.Places(); n != 0 || without != max(min(procs.Others(), runtime.NumCPU())-1, 0) {
		t.Errorf("%d places without a quota, %d when it has come", without, n)
	}
}
