module github.com/frameslice/frameslice

go 1.26.0

require (
	go.uber.org/goleak v1.3.0
	golang.org/x/image v0.47.0
	golang.org/x/sys v0.49.0
	pgregory.net/rapid v1.3.0
)

require golang.org/x/text v0.43.0 // indirect
