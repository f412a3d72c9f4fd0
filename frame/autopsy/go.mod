module github.com/frameslice/frameslice/frame/autopsy

go 1.26.0

require (
	github.com/frameslice/frameslice v0.0.0
	golang.org/x/exp v0.0.0-20261113113407-e3970619a1a4
)

require (
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/frameslice/frameslice => ../../
