module github.com/frameslice/frameslice/frame/ebitenhost

go 1.26.0

require (
	github.com/frameslice/frameslice v0.0.0
	github.com/frameslice/frameslice/frame/autopsy v0.0.0
	github.com/hajimehoshi/ebiten/v2 v2.8.8
)

require (
	github.com/ebitengine/gomobile v0.0.0-20240911145611-4856209ac325 // indirect
	github.com/ebitengine/hideconsole v1.0.0 // indirect
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/jezek/xgb v1.1.1 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/exp v0.0.0-20261113113407-e3970619a1a4 // indirect
	golang.org/x/image v0.47.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace (
	github.com/frameslice/frameslice => ../../
	github.com/frameslice/frameslice/frame/autopsy => ../autopsy
)
