module github.com/frameslice/frameslice/bench

go 1.26.0

require (
	github.com/alitto/pond/v2 v2.7.1
	github.com/frameslice/frameslice v0.0.0
	github.com/frameslice/frameslice/frame/autopsy v0.0.0
	github.com/gammazero/workerpool v1.3.0
	github.com/panjf2000/ants/v2 v2.12.1
	github.com/sourcegraph/conc v0.3.0
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.49.0
)

require (
	github.com/HdrHistogram/hdrhistogram-go v1.4.0
	github.com/gammazero/deque v1.2.2 // indirect
	go.uber.org/atomic v1.7.0 // indirect
	go.uber.org/multierr v1.9.0 // indirect
	golang.org/x/exp v0.0.0-20261113113407-e3970619a1a4 // indirect
)

replace (
	github.com/frameslice/frameslice => ../
	github.com/frameslice/frameslice/frame/autopsy => ../frame/autopsy
)
