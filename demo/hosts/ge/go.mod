module github.com/frameslice/frameslice/demo/hosts/ge

go 1.26.0

require (
	github.com/frameslice/frameslice v0.0.0
	github.com/hajimehoshi/ebiten/v2 v2.8.8
	github.com/quasilyte/ge v0.0.0-20240401194036-d365e4a24b88
)

require (
	github.com/ebitengine/gomobile v0.0.0-20240911145611-4856209ac325 // indirect
	github.com/ebitengine/hideconsole v1.0.0 // indirect
	github.com/ebitengine/oto/v3 v3.3.3 // indirect
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/jezek/xgb v1.1.1 // indirect
	github.com/jfreymuth/oggvorbis v1.0.5 // indirect
	github.com/jfreymuth/vorbis v1.0.2 // indirect
	github.com/quasilyte/ebitengine-resource v0.5.1-0.20230301215552-afd21c3065ff // indirect
	github.com/quasilyte/gmath v0.0.0-20221217210116-fba37a2e15c7 // indirect
	golang.org/x/exp v0.0.0-20261113113407-e3970619a1a4 // indirect
	golang.org/x/image v0.47.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/frameslice/frameslice => ../../../
