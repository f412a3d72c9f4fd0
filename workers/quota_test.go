package workers

import (
	"context"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// usual is the kernel's period if nobody has set another one.
const usual = 100 * time.Millisecond

// quotaFiles are what the system tells of a quota.
func quotaFiles(limit string) fstest.MapFS {
	return fstest.MapFS{
		"proc/self/cgroup":        {Data: []byte("0::/x\n")},
		"proc/self/mountinfo":     {Data: []byte("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")},
		"sys/fs/cgroup/x/cpu.max": {Data: []byte(limit)},
	}
}

// In every period, wherever it begins, jobs and frames together use no more than the quota, and jobs get much of what
// the frames leave. Where the frames need all, one job begins in a second.
func TestJobsAndFramesStayWithinTheQuota(t *testing.T) {
	const step = 100 * time.Microsecond
	for _, c := range []struct {
		grant
		frame, job time.Duration
		least      int // jobs in 10 s
	}{
		{grant{0.5, usual}, 4 * time.Millisecond, 2 * time.Millisecond, 600},
		{grant{0.5, usual}, 4 * time.Millisecond, 500 * time.Microsecond, 2400},
		{grant{0.3, usual}, 2 * time.Millisecond, time.Millisecond, 700},
		{grant{0.9, usual}, 8 * time.Millisecond, 8 * time.Millisecond, 200},
		{grant{0.25, usual}, 4 * time.Millisecond, 2 * time.Millisecond, 9},
		{grant{0.5, usual / 2}, 4 * time.Millisecond, 2 * time.Millisecond, 500},
		{grant{0.5, 4 * usual}, 4 * time.Millisecond, 15 * time.Millisecond, 80},
	} {
		var a allowance
		var busy []time.Duration // processor time used before each step
		var used, frameLeft, jobLeft time.Duration
		next, began := deadline.Instant(1), 0
		for i := range int(10 * time.Second / step) {
			now := deadline.Instant(1).Add(time.Duration(i) * step)
			busy = append(busy, used)
			if i%167 == 0 {
				frameLeft += c.frame
			}
			if jobLeft <= 0 && now >= next {
				a.refill(&c.grant, now, used)
				wait := a.look(&c.grant, now, c.job)
				if next = now.Add(wait); wait == 0 {
					a.charge(&c.grant, c.job)
					began++
					jobLeft = c.job
				}
			}
			switch { // one processor: a frame interrupts a job
			case frameLeft > 0:
				frameLeft -= step
				used += step
			case jobLeft > 0:
				jobLeft -= step
				used += step
			}
		}
		if began < c.least {
			t.Errorf("%+v: %d jobs began", c, began)
		}
		if c.least < 10 {
			if began > 12 {
				t.Errorf("%+v: %d jobs began, though the frames need all", c, began)
			}
			continue
		}
		period := int(c.period / step)
		for i := period; i < len(busy); i++ {
			if d := busy[i] - busy[i-period]; d > c.whole() {
				t.Fatalf("%+v: %v used in a period that ends at step %d", c, d, i)
			}
		}
	}
}

// Jobs that begin at the same time, before the processor time shows any of them, share the burst.
func TestJobsThatBeginTogetherShareTheBurst(t *testing.T) {
	const job = 2 * time.Millisecond
	var a allowance
	now := deadline.Instant(1)
	half := &grant{0.5, usual}
	a.refill(half, now, 0) // a burst of 5 ms
	began := 0
	for a.look(half, now, job) == 0 {
		a.charge(half, job)
		if began++; began > 2 {
			break
		}
	}
	if began != 2 {
		t.Errorf("%d jobs of %v began", began, job)
	}
	now = now.Add(20 * time.Millisecond)
	if a.refill(half, now, 2*job); a.look(half, now, job) != 0 {
		t.Error("denied when the jobs had ended, and the time was saved up")
	}
}

// saved gives a pool a quota of half a processor, of which it has saved up so much.
func saved(t *testing.T, p *Pool, left time.Duration) {
	t.Helper()
	used, err := osthread.ProcessTime()
	if err != nil {
		t.Skip("no processor time here")
	}
	p.restrict(0.5, usual)
	a := &p.allowance
	a.Lock()
	defer a.Unlock()
	a.at, a.used, a.left, a.ahead, a.denied = deadline.Now(), used, left, 0, 0
	a.begun.Store(0)
}

// poor makes a pool one whose quota is used up, so that a job has to wait for 0.1 s at least.
func poor(t *testing.T, p *Pool) {
	t.Helper()
	saved(t, p, -usual/2)
}

// RunUntil asks whether the quota allows a job before RunUntil has the job. A job that does not begin is not charged. A
// job that yields at once is not charged the rest of the slice.
func TestRunUntilChargesWhatItBegins(t *testing.T) {
	const slice, jobs = 50 * time.Millisecond, 3
	for _, yields := range []bool{false, true} {
		least := time.Hour // of five tries: the processor time of other tests counts too
		for range 5 {
			p := New(Options{Workers: -1})
			ran := 0
			var set [jobs]Job
			for i := range set {
				set[i] = Job{Cost: 100 * time.Microsecond, Func: func(w *Worker) {
					if yields {
						w.Yield()
					}
					ran++
				}}
				p.Submit(&set[i])
			}
			if yields {
				p.RunUntil(deadline.In(slice)) // up to their Yield
			} else {
				p.passed.Store(int64(deadline.Now())) // as if something did not fit
			}
			p.BeginFrame()
			saved(t, p, usual/20)
			p.BeginFrame()
			from := deadline.Now()
			for ran < jobs {
				p.RunUntil(deadline.In(slice))
				time.Sleep(time.Millisecond) // saves up
			}
			least = min(least, deadline.Now().Sub(from))
			p.restrict(0, 0)
			_ = p.Close(context.Background())
			if least < slice/2 {
				break
			}
		}
		if least >= slice/2 {
			t.Errorf("yields %v: %d jobs took %v", yields, jobs, least)
		}
	}
}

// On workers of both classes a job waits for the quota while there are frames.
func TestWorkersSaveForTheFrame(t *testing.T) {
	if !threads {
		t.Skip("no workers here")
	}
	for _, prio := range []deadline.Priority{deadline.UserBlocking, deadline.Normal} {
		for _, frames := range []bool{true, false} {
			least := time.Hour // of five tries: the machine may be slow
			for range 5 {
				p := New(Options{Workers: 1, Background: 1})
				if frames {
					poor(t, p)
					p.BeginFrame()
					p.EndFrame()
				} else {
					poor(t, p)
				}
				from := deadline.Now()
				began := make(chan deadline.Instant, 1)
				p.Go(prio, func() { began <- deadline.Now() })
				least = min(least, (<-began).Sub(from))
				_ = p.Close(context.Background())
				if least < 100*time.Millisecond {
					break
				}
			}
			if waited := least >= 100*time.Millisecond; waited != frames {
				t.Errorf("%v, frames %v: the job began after %v", prio, frames, least)
			}
		}
	}
}

// RunUntil with a deadline begins no job that the quota does not allow, and takes up none that has yielded. Without a
// deadline it runs all.
func TestRunUntilSavesForTheFrame(t *testing.T) {
	p := New(Options{Workers: -1})
	defer p.Close(context.Background())
	ran := 0
	j := Job{Cost: time.Microsecond, Func: func(w *Worker) {
		ran++
		w.Yield()
		ran++
	}}
	slice := func() { p.RunUntil(deadline.In(5 * time.Millisecond)) }
	p.BeginFrame()
	poor(t, p)
	p.BeginFrame()
	p.Submit(&j)
	if slice(); ran != 0 {
		t.Fatal("the job began")
	}
	p.restrict(0, 0)
	for ran == 0 {
		slice()
	}
	if ran == 1 {
		poor(t, p)
		if slice(); ran != 1 {
			t.Error("the job went on")
		}
	}
	if p.RunUntil(deadline.Deadline{}); ran != 2 {
		t.Errorf("%d parts ran", ran)
	}
}

// Only a quota below one processor counts, for as long as there is one, and the notes tell of the quota.
func TestOnlyAQuotaBelowOneProcessorPacesJobs(t *testing.T) {
	if _, err := osthread.ProcessTime(); err != nil || !threads {
		t.Skip("no processor time here")
	}
	var p Pool
	for _, c := range []struct {
		limit string
		want  grant
	}{
		{"100000 100000\n", grant{}}, {"50000 100000\n", grant{0.5, usual}}, {"150000 100000\n", grant{}},
		{"4000 20000\n", grant{0.2, usual / 5}}, {"max 100000\n", grant{}},
	} {
		p.site.files = quotaFiles(c.limit)
		p.readQuota()
		var got grant
		if g := p.allowance.grant.Load(); g != nil {
			got = *g
		}
		if got != c.want {
			t.Errorf("%q: got %v", c.limit, got)
		}
	}
	want := []string{
		"quota: 0.50 processors: jobs leave the frames their share",
		"quota: 0.20 processors: jobs leave the frames their share",
	}
	if !slices.Equal(p.notes.text, want) {
		t.Errorf("got the notes %q", p.notes.text)
	}
}
