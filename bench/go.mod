module github.com/frameslice/frameslice/bench

go 1.26.0

require github.com/frameslice/frameslice v0.0.0

replace github.com/frameslice/frameslice => ../
