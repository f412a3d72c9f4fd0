# The two commands of the README, and what developers type. `make` alone lists them.

# The first part of the path of every package, of those in the other modules of go.work, too: ./... ends where they begin.
MODULE = $(shell GOWORK=off go list -m)

.DEFAULT_GOAL := help
.PHONY: help demo web web-test web-downloads web-compare test check quick model mutants compare zoo window gate hosts fuzz soak wine arm64 machines bench bench-scheduler bench-loads autopsy framevet microbench clean

help: ## this list
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## run the game: in a window, or without a display for half a minute under Xvfb (picture, histogram, report, table)
	@sh scripts/demo.sh

web: ## the game in a browser: builds it into out/web and serves it at localhost:8080
	@go run ./demo/web $(ARGS)

web-test: ## the pages of live and framestat, and the game with mouse, keys and fingers, in headless Chromium (five minutes)
	@sh scripts/web.sh test

web-downloads: ## downloads beside frames in headless Chromium (two minutes, on a quiet machine)
	@sh scripts/web.sh downloads

web-compare: ## the comparison in headless Chromium, at two sizes (three minutes)
	@sh scripts/web.sh compare

test: ## what to run before a commit: format, vet, all unit tests, a short comparison (five minutes at first)
	@sh scripts/test.sh

check: ## the rest of what CI runs: race detector, 32 bits, wasm, other systems, a window (40 minutes)
	@sh scripts/check.sh

quick: ## the unit tests alone (half a minute)
	@go test -short -shuffle=on $(MODULE)/...

compare: ## the comparison without a window: 2 ms and 20 ms jobs
	@sh scripts/compare.sh

zoo: ## our loop and its rivals beside hosts of all kinds in virtual time: a table and a heat map in out/zoo (five minutes)
	@go test ./internal/zoo -count=1 -run '^TestZoo$$' -all -out $(CURDIR)/out/zoo -timeout 60m $(ARGS)

window: ## the comparison in a real window under Xvfb, with a swap that blocks at 60 Hz
	@sh scripts/window.sh

gate: ## how often the gate of frame/frametest errs: 10 gates of one build, 3 of each fault, 20 minutes (RUNS=300 PLANTED=60 QUIET=3 NOISY=5: hours, 16 processors)
	@sh scripts/gate.sh

hosts: ## the programs in Gio, Fyne, SDL, a terminal and a server: tests in windows under Xvfb, frame times (10 minutes; 20 the first time)
	@sh scripts/hosts.sh

model: ## 100,000 random scripts for each policy against the naive references of the scheduler (CHECKS=n for others)
	@sh scripts/model.sh

mutants: ## the explorer's mutants: each fault that is patched into a protocol must be found (a quarter of an hour)
	@EXPLORE_MUTANTS=1 go test -vet=off -count=1 -timeout 45m -run '^TestProtocol' ./internal/... ./frame ./frame/load ./frame/record ./scheduler ./scheduler/flow ./workers ./workers/par

fuzz: ## each fuzz target for a minute
	@sh scripts/fuzz.sh

soak: ## the pool for a quarter of an hour: 10,000 pools, 10 million wake-ups beside a hog (PROBES=, POOLS=), odd settings
	@sh scripts/soak.sh

wine: ## the unit tests and the comparison of the Windows build, under Wine (10 minutes)
	@sh scripts/emulate.sh windows

arm64: ## the same of the linux/arm64 build, under QEMU (sh scripts/emulate.sh arm, riscv64: those)
	@sh scripts/emulate.sh arm64

machines: ## where the pool puts its workers on emulated machines of 1 to 10 processors, all short tests on one of 8 (5 minutes)
	@sh scripts/machines.sh

bench: ## the pool beside goroutines, the Go pools, oneTBB, OpenMP and rayon, in one table (10 minutes)
	@cd bench && go run ./pools $(ARGS)

bench-scheduler: ## the scheduler beside React's on Node, in one table (a minute)
	@cd bench && go run ./tasks $(ARGS)

bench-loads: ## the loader and the cache beside goroutines, in one table (five minutes)
	@cd bench && go run ./loads $(ARGS)

autopsy: ## ten known causes of late frames: how often package autopsy names the right one, and what it costs (20 minutes, Linux)
	@cd bench && CGO_ENABLED=0 go build -o ../out/autopsy ./autopsy
	@out/autopsy $(ARGS)

framevet: ## what cmd/framevet finds: planted faults, and findings in the programs here (GAMES=folder: and in games below it)
	@bash scripts/framevet.sh

microbench: ## the benchmarks beside the code
	@go test -run '^$$' -bench . -benchmem ./deadline/... ./internal/... ./scheduler/... ./workers/... $(MODULE)/frame/...

clean: ## remove what demo, test and bench leave in out/ and bench/build/
	@rm -rf out bench/build
