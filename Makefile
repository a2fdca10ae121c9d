# `make help` lists the commands: the text behind `##` in the line of each target, under the headings that begin with `##`.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# With this flag, an import of an undeclared dependency fails the build. KAIRAN_SWIFT_FLAGS adds further flags.
SWIFT_FLAGS := --explicit-target-dependency-import-check error $(KAIRAN_SWIFT_FLAGS)
SWIFT_BUILD := swift build $(SWIFT_FLAGS)
SWIFT_TEST := swift test $(SWIFT_FLAGS)
# Release programs contain Swift's library, so that they run on machines without Swift. Their debug information does not name the path of
# the tree, and their relocation tables are read-only after start. Each function is a section, so that the linker leaves out unused ones.
RELEASE_BUILD := KAIRAN_PROGRAMS=1 $(SWIFT_BUILD) --configuration release --static-swift-stdlib --disable-local-rpath \
	-Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcc -fdata-sections \
	-Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=.
FORMAT := swift format
FORMATTED := Package.swift Sources Tests \
	Examples/Package.swift Examples/Chat Examples/Notes Examples/Photos \
	Fuzz/Package.swift Fuzz/Targets \
	Benchmarks/Package.swift Benchmarks/Targets \
	Benchmarks/BareRoute/Package.swift Benchmarks/BareRoute/BareRoute.swift \
	Benchmarks/Relay/Package.swift Benchmarks/Relay/ParcelBench \
	Mutation/Package.swift Mutation/Sources Mutation/Tests

# Reports a stage that cannot run here, which is a failure where STRICT is set.
NOT_RUN = STRICT="$(STRICT)" scripts/not-run

PREFIX ?= /usr
DESTDIR ?=

help: ## this list
	@awk -F ':.*## ' '/^## -+ / { gsub(/^## -+ /, ""); printf "\n%s\n", $$0 } \
		/^[a-z-]+:.*## / { printf "  make %-22s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

## ------------------------------------------------------------------ building and running

setup: ## installs missing Debian packages (with sudo when not root)
	@scripts/setup

build: setup ## builds kairand and kairan for debugging, in .build/debug
	$(SWIFT_BUILD) --product kairand
	$(SWIFT_BUILD) --product kairan

release: ## builds them for use, in .build/release
	@scripts/setup --programs
	@$(MAKE) programs

# One build makes all programs, so that common code is compiled once. kairan is a link to kairand.
programs: ## the same as release, without a look at missing Debian packages
	scripts/icu-data .build-icu/icu-data.o
# The package manager does not know that object file, and would not link the programs again when it changes.
	@bin=$$($(RELEASE_BUILD) --show-bin-path); \
	for program in kairand kairand-relay-cluster kairan-mount; do \
	    if [ .build-icu/icu-data.o -nt "$$bin/$$program" ]; then rm -f "$$bin/$$program"; fi; \
	done
	$(RELEASE_BUILD)
	@ln -sf kairand "$$($(RELEASE_BUILD) --show-bin-path)/kairan"

run: release ## runs one daemon of your own, in the foreground
	@scripts/run

demo: release ## shows four machines that pair, sync, and resolve a conflict after a partition (STAY=1: leave them running)
	@scripts/demo

bench: release ## prints one table of speed: daemons beside SQLite, TCP, libsodium and other servers (BENCH='--quick --markdown')
	@scripts/bench $(BENCH)

bench-core: ## measures the protocol core, beside libsodium in the same run
	swift run --package-path Benchmarks --configuration release core-bench

bench-assets: release ## measures contents of assets, beside rsync, scp and plain files (MEBIBYTES=1024 FILES=10000)
	@scripts/bench-assets --mebibytes $(or $(MEBIBYTES),1024) --files $(or $(FILES),10000)

bench-relay: setup release ## measures a relay's storage of parcels, beside SQLite, NATS and mosquitto (COUNT=10000)
	@scripts/bench-relay --count $(or $(COUNT),10000)

## ------------------------------------------------------------------ testing

STAGES := $(addprefix stage-,packages unit deadlines lab guide schemathesis generators documentation crash doors counts \
	models planted selftest scenarios determinism)
# How many stages may be under way: the four of the interface, and two that compute.
STAGES_MAX := 6

test: ## everything that CI runs: all stages below, the long ones with a small share
	@scripts/stage setup scripts/setup
	@scripts/stage check $(MAKE) check
	@$(MAKE) --jobs=$(STAGES_MAX) --output-sync=line stage-counts stage-models stage-determinism

# All builds have the same versions of packages.
stage-packages:                      ; @scripts/stage packages swift package resolve
# The stages of `make test` behind the first two, each with those before it. These wait for deadlines, networks and disks most of the time, and
# have the processors whenever they want them.
stage-unit: stage-packages           ; @scripts/stage unit $(MAKE) test-computing
stage-deadlines: stage-unit          ; @scripts/stage deadlines $(MAKE) test-deadlines
stage-lab: stage-deadlines           ; @scripts/stage lab $(MAKE) lab
stage-guide: stage-lab               ; @scripts/stage guide $(MAKE) guide
stage-schemathesis: stage-lab        ; @scripts/stage schemathesis $(MAKE) schemathesis MAX=$(CI_MAX) SEED=1
stage-generators: stage-lab          ; @scripts/stage generators $(MAKE) generators
stage-documentation: stage-lab       ; @scripts/stage documentation $(MAKE) documentation
stage-crash: stage-guide stage-schemathesis stage-generators stage-documentation
	@scripts/stage crash $(MAKE) crash KILLS=$(CI_KILLS)
stage-doors: stage-crash             ; @scripts/stage doors $(MAKE) doors
stage-counts: stage-doors            ; @scripts/stage counts $(MAKE) counts

# These compute, with what the others leave of the processors. They build outside of .build, in which one build at a time is possible.
PATIENTLY := scripts/patiently
# A model that gets no processor for minutes is no unfinished one.
stage-models: stage-packages         ; @scripts/stage models $(PATIENTLY) env KAIRAN_MODEL_SECONDS=3000 $(MAKE) models
stage-planted: stage-packages        ; @scripts/stage planted $(PATIENTLY) scripts/planted build
stage-selftest: stage-planted        ; @scripts/stage selftest $(PATIENTLY) scripts/sim-selftest
stage-scenarios: stage-selftest stage-unit
	@scripts/stage scenarios $(PATIENTLY) $(MAKE) sim-scenarios SEEDS=$(CI_SEEDS)
stage-determinism: stage-scenarios   ; @scripts/stage determinism $(PATIENTLY) $(MAKE) sim-determinism

# Tests of programs that keep deadlines: connections, joining, requests. Tests that compute for minutes hold every thread of the process
# that runs them, and such a deadline would pass meanwhile. So there are five processes: the rest, these, those of them that need an Avahi,
# those that mount, where a program that libfuse starts would keep the pipes of other tests open, and six servers that elect a leader.
# The number of tests with deadlines that are under way at a time: of a thousand at once each would take minutes, whatever it waits for.
DEADLINE_TEST_COUNT := 24
DEADLINE_TESTS := ^(DiscoveryTests|ExpositionTests|LocalAPITests|MountingTests|NodeTests|PeerControlTests|PeerDaemonTests|TransportTests)[.]

test-unit: ## runs only the Swift tests
	@code=0; $(MAKE) test-computing || code=$$?; $(MAKE) test-deadlines || code=$$?; exit $$code

# Independent implementations that some tests run, for a recipe.
INTEROP = if [ -x .build-interop/bin/python ]; then \
		export KAIRAN_INTEROP_PYTHON=$(CURDIR)/.build-interop/bin/python; \
	else \
		$(NOT_RUN) "handshakes with an independent Noise implementation, metrics read by others ('make setup' says why)" || exit; \
	fi

test-computing:
	@$(INTEROP); \
	$(SWIFT_BUILD) --build-tests || exit; \
	scripts/tell-failures $(SWIFT_TEST) --skip-build --skip '$(DEADLINE_TESTS)' --skip JetStreamTests

test-deadlines:
	@$(INTEROP); \
	$(SWIFT_BUILD) --build-tests || exit; \
	code=0; export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(DEADLINE_TEST_COUNT); \
	scripts/tell-failures $(SWIFT_TEST) --skip-build --filter '$(DEADLINE_TESTS)' --skip AvahiDiscoveryTests --skip FuseMountTests || code=$$?; \
	scripts/tell-failures scripts/with-avahi $(SWIFT_TEST) --skip-build --filter AvahiDiscoveryTests || code=$$?; \
	scripts/tell-failures $(SWIFT_TEST) --skip-build --filter FuseMountTests || code=$$?; \
	scripts/tell-failures $(SWIFT_TEST) --skip-build --filter JetStreamTests || code=$$?; \
	exit $$code

test-pure: ## runs only the tests of the protocol core
	KAIRAN_PURE=1 $(SWIFT_TEST) --scratch-path .build-pure

# It says 77 where the lab cannot run; that is no failure of Kairan's, and no pass either.
lab: ## the tests on a network of namespaces, as root (TESTS="03 11": only those)
	@$(SWIFT_BUILD) --product kairand
	@$(SWIFT_BUILD) --product kairan
	@$(SWIFT_BUILD) --product kairand-relay-cluster
	@$(SWIFT_BUILD) --product kairan-mount
	@KAIRAN_EXAMPLES=1 $(SWIFT_BUILD) --product kairan-chat
	@KAIRAN_EXAMPLES=1 $(SWIFT_BUILD) --product kairan-photos
	@$(NOT_RUN) --try Tests/Lab/run.sh $(TESTS)

examples: ## builds the applications in Examples, as a package of their own
	$(SWIFT_BUILD) --package-path Examples

guide: ## runs the commands of docs/api/README.md; checks the manual pages and the loaded libraries
	@$(SWIFT_BUILD) --product kairand
	@$(SWIFT_BUILD) --product kairan
	@scripts/try-guide
	@scripts/man-pages .build/debug --check
	@scripts/check-libraries .build/debug/kairand .build/debug/kairan

# The script exits with code 77 if the toolchain has no docc: neither a failure nor a pass.
documentation: ## renders KairanClient's documentation into .build-documentation; a warning is a failure
	@$(SWIFT_BUILD) --target KairanClient
	@$(NOT_RUN) --try scripts/documentation --self-test

# The script exits with code 77 if schemathesis is not installed: neither a failure nor a pass.
schemathesis: ## tests the local interface of a running daemon against its description (MAX=100 SEED=)
	@$(SWIFT_BUILD) --product kairand
	@$(NOT_RUN) --try sh -c 'Tests/Schemathesis/run --self-test && Tests/Schemathesis/run --max $(MAX) $(if $(SEED),--seed $(SEED))'

# The script exits with code 77 if the generators are not installed: neither a failure nor a pass.
generators: ## tests clients that code generators make from the local interface's description
	@$(SWIFT_BUILD) --product kairand
	@$(NOT_RUN) --try sh -c 'Tests/Generators/run --self-test && Tests/Generators/run'

## ------------------------------------------------------------------ looking for lost data

# The volume of one run; `make soak` runs the full volume. CI's share is smaller and takes minutes.
SEEDS ?= 1..200
SCENARIO ?= everything
KILLS ?= 100
FUZZ_SECONDS ?= 10
MAX ?= 100
CI_SEEDS := 1..8
# Seeds of every scenario. The tests have the first, and `sim-determinism` the second.
SCENARIO_SEEDS ?= 3
CI_KILLS := 50
CI_MAX := 3

# KAIRAN_SIM names a program that was built already.
SIM := $(or $(KAIRAN_SIM),.build-sim/release/kairan-sim)

sim: sim-program ## runs the simulator (SEEDS=1..200 SCENARIO=everything)
	$(SIM) --seeds $(SEEDS) --scenario $(SCENARIO)

sim-scenarios: sim-program ## runs all scenarios of the simulator (SEEDS=1..200 of five, SCENARIO_SEEDS=3 of all)
	$(SIM) --seeds $(SEEDS) --scenario everything
	$(SIM) --seeds $(SEEDS) --scenario messages
	$(SIM) --seeds $(SEEDS) --scenario relay
	$(SIM) --seeds $(SEEDS) --scenario joining
	$(SIM) --seeds $(SEEDS) --scenario doors
	$(SIM) --seeds $(SCENARIO_SEEDS) --all-scenarios

# Swift seeds the hashes of dictionaries and sets anew in each process: a history that depends on their order differs between two.
sim-determinism: sim-program ## runs a seed of each scenario, and shows by a second process that a history follows from its seed
	@before=$$(mktemp); trap 'rm -f "$$before"' EXIT; \
	$(SIM) --all-scenarios --seeds 2 --hashes --brief | tee "$$before"; \
	KAIRAN_SIM=$(SIM) scripts/history-hashes 2 "$$before"

# If the program that KAIRAN_SIM names does not exist, it is built with the flags of the tests.
sim-program: ## builds the simulator, unless KAIRAN_SIM names a program
	@if [ -z "$(KAIRAN_SIM)" ]; then \
		KAIRAN_SIMULATOR=1 $(SWIFT_BUILD) --scratch-path .build-sim --configuration release \
			-Xswiftc -assert-config -Xswiftc Debug --product kairan-sim; \
	elif [ ! -x "$(KAIRAN_SIM)" ]; then $(SWIFT_BUILD) --product kairan-sim; fi

sim-selftest: ## shows that the simulator finds planted bugs
	@scripts/sim-selftest

crash: ## kills daemons under load, again and again (KILLS=100)
	@$(SWIFT_BUILD) --product kairand
	@$(SWIFT_BUILD) --product kairan
	@Tests/Crash/sigkill --self-test
	@Tests/Crash/sigkill --trials $(KILLS)

doors: ## opens thousands of connections from strangers to a daemon, while a member connects
	@$(SWIFT_BUILD) --product kairand
	@Tests/Doors/doors

counts: ## counts the SQL statements, hashes, ciphers, syncs and bytes of a change, a read and a message, and fails when they have grown
	@$(SWIFT_BUILD) --product kairand
	@scripts/counts

fuzz: ## replays every input that ever failed, then runs each fuzz target for some seconds (FUZZ_SECONDS=10)
	@Fuzz/fuzz smoke --seconds $(FUZZ_SECONDS)

models: ## checks spin's models of the protocol, and that their planted bugs are found
	@Models/check

sanitize: ## runs the Swift tests under the address and the thread sanitizer (long)
	@scripts/sanitize address
	@scripts/sanitize thread

coverage: ## prints how much of the protocol core its tests cover
	@scripts/coverage

# The program's own tests come first: its parser of Swift takes minutes to build, so that CI does without.
mutation: ## changes the protocol core in small ways, and counts the changes that no test notices (long; MUTANTS=600 SEED=1)
	swift test --package-path Mutation
	@scripts/mutation --self-test
	@scripts/mutation --count $(or $(MUTANTS),600) --seed $(or $(SEED),1)

soak: ## runs all tests for lost data at full volume (hours); adds to docs/testing/ledger.csv
	@scripts/soak

check: ## checks the style of the Swift code, the scripts, the packages beside this one, the planted bugs, and the systemd units
	$(FORMAT) lint --strict --parallel --recursive $(FORMATTED)
	@scripts/check-scripts
	@scripts/bench --self-test
	@scripts/check-packages
	@scripts/planted check
	@scripts/check-systemd

format: ## formats the Swift code in place
	$(FORMAT) format --in-place --parallel --recursive $(FORMATTED)

hooks: ## runs `make check` before each commit
	git config core.hooksPath .githooks

## ------------------------------------------------------------------ installing

install: release ## installs programs and units (PREFIX=/usr, DESTDIR=); starts nothing
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install

install-relay-cluster: release ## installs the daemon and library of relays over a NATS cluster
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install --relay-cluster

install-mount: release ## installs the program that shows a zone as a folder
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install --mount

uninstall: ## removes the files that `make install` installed; keeps configuration and data
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install --uninstall

deb: ## builds and checks the Debian packages in .build-deb
	@scripts/setup --packages
	@scripts/deb

deb-test: ## installs, upgrades, removes and purges the packages on Debian 12 and 13 (as root)
	@[ -n "$(KAIRAN_BIN)" ] || $(MAKE) deb
	@scripts/check-install $(KAIRAN_BIN)
	@$(NOT_RUN) --try scripts/deb-test

clean: ## removes everything that was built
	rm -rf .build .build-* Examples/.build Fuzz/.build Benchmarks/.build Benchmarks/Relay/.build Mutation/.build

.PHONY: help setup build release programs run demo bench bench-assets bench-core bench-relay test test-unit test-computing test-deadlines test-pure lab examples guide \
	documentation schemathesis generators sim sim-scenarios sim-determinism sim-program sim-selftest crash doors counts fuzz models sanitize \
	coverage mutation soak check format hooks $(STAGES) install install-relay-cluster install-mount uninstall deb deb-test clean
