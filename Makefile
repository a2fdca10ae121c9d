# The only commands to remember. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# An undeclared import builds without this flag; with it, the layers of the package hold. KAIRAN_SWIFT_FLAGS adds to it.
SWIFT_FLAGS := --explicit-target-dependency-import-check error $(KAIRAN_SWIFT_FLAGS)
# Release programs carry Swift's library in them, so that they run where no Swift is installed.
# They are the same wherever the tree lies, and cannot have their tables rewritten. Each function is a section, so that the linker leaves out
# those that nothing calls.
RELEASE_FLAGS := $(SWIFT_FLAGS) --configuration release --static-swift-stdlib --disable-local-rpath \
	-Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcc -fdata-sections \
	-Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=.
FORMAT := swift format
FORMATTED := Package.swift Sources Tests Examples/Package.swift Examples/Chat Examples/Notes Fuzz/Package.swift Fuzz/Targets Benchmarks/Package.swift Benchmarks/Targets Benchmarks/BareRoute/Package.swift Benchmarks/BareRoute/BareRoute.swift Benchmarks/Relay/Package.swift Benchmarks/Relay/ParcelBench

PREFIX ?= /usr
DESTDIR ?=

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

## ------------------------------------------------------------------ building and running

setup: ## installs what is missing on this machine (Debian packages; asks sudo when not root)
	@scripts/setup

build: setup ## builds kairand and kairan for debugging, in .build/debug
	swift build $(SWIFT_FLAGS) --product kairand
	swift build $(SWIFT_FLAGS) --product kairan

release: ## builds them for use, in .build/release
	@scripts/setup --programs
	@$(MAKE) programs

# One build makes all, so that what they have in common is compiled once. kairan is kairand by another name.
programs:
	scripts/icu-data .build-icu/icu-data.o
# The package manager does not know of that object, and would link nothing again for it.
	@bin=$$(KAIRAN_PROGRAMS=1 swift build $(RELEASE_FLAGS) --show-bin-path); \
	for program in kairand kairand-relay-cluster; do \
	    if [ .build-icu/icu-data.o -nt "$$bin/$$program" ]; then rm -f "$$bin/$$program"; fi; \
	done
	KAIRAN_PROGRAMS=1 swift build $(RELEASE_FLAGS)
	@ln -sf kairand "$$(KAIRAN_PROGRAMS=1 swift build $(RELEASE_FLAGS) --show-bin-path)/kairan"

run: release ## runs one daemon for yourself, in the foreground
	@scripts/run

demo: release ## three machines find each other, pair, sync, part, disagree and agree (STAY=1: leave them running)
	@scripts/demo

bench: release ## measures whole daemons on this machine, against its own disk and SQLite
	@scripts/bench

bench-core: ## measures the protocol core against libsodium in the same run
	swift run --package-path Benchmarks --configuration release core-bench

bench-relay: setup release ## measures what a relay keeps parcels in, against SQLite, NATS and mosquitto (COUNT=10000)
	@scripts/bench-relay --count $(or $(COUNT),10000)

## ------------------------------------------------------------------ testing

test: ## everything that CI runs: all of the stages below, the long ones with a small share
	@scripts/stage setup scripts/setup
	@scripts/stage check $(MAKE) check
	@scripts/stage unit $(MAKE) test-unit
	@scripts/stage lab $(MAKE) lab
	@scripts/stage guide $(MAKE) guide
	@scripts/stage documentation $(MAKE) documentation
	@scripts/stage api $(MAKE) schemathesis generators MAX=$(CI_MAX) SEED=1
	@scripts/stage models $(MAKE) models
	@# A release build is a chain that one processor follows, so that another one has time for something else.
	@# Of the fuzzers CI takes the pure core's: the others draw in a database and a server, and are long in building.
	@scripts/stage search env KAIRAN_FUZZ_CORE=1 $(MAKE) --jobs=2 --output-sync fuzz-programs sim-selftest sim-planted SEEDS=$(CI_SEEDS)
	@scripts/stage crash $(MAKE) crash KILLS=$(CI_KILLS)
	@scripts/stage doors $(MAKE) doors
	@# Under the address sanitizer, and so its share.
	@scripts/stage fuzz env KAIRAN_FUZZ_CORE=1 $(MAKE) fuzz FUZZ_SECONDS=$(CI_FUZZ_SECONDS)

# Tests of programs that keep deadlines: connections, joining, requests. Tests that compute for minutes hold every thread of the process
# that runs them, and such a deadline would pass meanwhile. So there are four processes: the rest, these, those of them that need an Avahi,
# and six servers that elect a leader.
DEADLINE_TESTS := ^(DiscoveryTests|ExpositionTests|LocalAPITests|NodeTests|PeerControlTests|PeerDaemonTests|TransportTests)[.]

test-unit: ## the Swift tests only
	@if [ -x .build-interop/bin/python ]; then \
		export KAIRAN_INTEROP_PYTHON=$(CURDIR)/.build-interop/bin/python; \
	else \
		STRICT="$(STRICT)" scripts/not-run "handshakes with an independent Noise implementation, metrics read by others ('make setup' says why)" || exit; \
	fi; \
	swift build $(SWIFT_FLAGS) --build-tests || exit; \
	scripts/tell-failures swift test $(SWIFT_FLAGS) --skip-build --skip '$(DEADLINE_TESTS)' --skip JetStreamTests; \
	code=$$?; \
	scripts/tell-failures swift test $(SWIFT_FLAGS) --skip-build --filter '$(DEADLINE_TESTS)' --skip AvahiDiscoveryTests || code=$$?; \
	scripts/tell-failures scripts/with-avahi swift test $(SWIFT_FLAGS) --skip-build --filter AvahiDiscoveryTests || code=$$?; \
	scripts/tell-failures swift test $(SWIFT_FLAGS) --skip-build --filter JetStreamTests || code=$$?; \
	exit $$code

test-pure: ## the tests of the protocol core only
	KAIRAN_PURE=1 swift test $(SWIFT_FLAGS) --scratch-path .build-pure

# It says 77 where the lab cannot run; that is no failure of Kairan's, and no pass either.
lab: ## the tests on a network of namespaces, as root (TESTS="03 11": only those)
	@swift build $(SWIFT_FLAGS) --product kairand
	@swift build $(SWIFT_FLAGS) --product kairan
	@swift build $(SWIFT_FLAGS) --product kairand-relay-cluster
	@KAIRAN_EXAMPLES=1 swift build $(SWIFT_FLAGS) --product kairan-chat
	@STRICT="$(STRICT)" scripts/not-run --try Tests/Lab/run.sh $(TESTS)

examples: ## builds the applications of Examples as anybody does, as a package of their own
	swift build $(SWIFT_FLAGS) --package-path Examples

guide: ## the commands of docs/api/README.md, tried one after the other; the manual pages; what is loaded
	@swift build $(SWIFT_FLAGS) --product kairand
	@swift build $(SWIFT_FLAGS) --product kairan
	@scripts/try-guide
	@scripts/man-pages .build/debug --check
	@scripts/check-libraries .build/debug/kairand .build/debug/kairan

# It says 77 where the toolchain has no docc; that is no failure of Kairan's, and no pass either.
documentation: ## renders KairanClient's documentation, without a warning, into .build-documentation
	@swift build $(SWIFT_FLAGS) --target KairanClient
	@STRICT="$(STRICT)" scripts/not-run --try scripts/documentation --self-test

# It says 77 where schemathesis is not installed; that is no failure of Kairan's, and no pass either.
schemathesis: ## the local interface against its description, in a running daemon (MAX=100 SEED=)
	@swift build $(SWIFT_FLAGS) --product kairand
	@STRICT="$(STRICT)" scripts/not-run --try sh -c 'Tests/Schemathesis/run --self-test && Tests/Schemathesis/run --max $(MAX) $(if $(SEED),--seed $(SEED))'

# It says 77 where the generators are not installed; that is no failure of Kairan's, and no pass either.
generators: ## clients that others' generators make of the local interface's description, at work
	@swift build $(SWIFT_FLAGS) --product kairand
	@STRICT="$(STRICT)" scripts/not-run --try sh -c 'Tests/Generators/run --self-test && Tests/Generators/run'

## ------------------------------------------------------------------ looking for lost data

# What one run does; `make soak` does the full volume. CI's own share is smaller and ends in minutes.
SEEDS ?= 1..200
SCENARIO ?= everything
KILLS ?= 100
FUZZ_SECONDS ?= 10
MAX ?= 100
CI_SEEDS := 1..10
# Of every scenario; the self-test looks at the first seed of most of them.
SCENARIO_SEEDS ?= 2..4
CI_KILLS := 50
CI_FUZZ_SECONDS := 2
CI_MAX := 3

sim: ## the simulator (SEEDS=1..200 SCENARIO=everything)
	swift build $(SWIFT_FLAGS) --configuration release --product kairan-sim
	.build/release/kairan-sim --seeds $(SEEDS) --scenario $(SCENARIO)

# KAIRAN_SIM_PLANTED names a program with the planted mistakes that was built already.
PLANTED_SIM := $(or $(KAIRAN_SIM_PLANTED),.build-planted/release/kairan-sim)

# One build less than `sim`, where the program with the planted mistakes is there: none is made unless it is asked for.
sim-planted: planted-program
	$(PLANTED_SIM) --seeds $(SEEDS) --scenario everything
	$(PLANTED_SIM) --seeds $(SEEDS) --scenario messages
	$(PLANTED_SIM) --seeds $(SEEDS) --scenario relay
	$(PLANTED_SIM) --seeds $(SEEDS) --scenario joining
	$(PLANTED_SIM) --seeds $(SEEDS) --scenario doors
	$(PLANTED_SIM) --seeds $(SCENARIO_SEEDS) --all-scenarios

sim-selftest: planted-program ## shows that the simulator finds mistakes that were planted on purpose
	@scripts/sim-selftest

# A program that KAIRAN_SIM_PLANTED names and that is not there is built with the flags of the tests.
planted-program:
	@if [ -z "$(KAIRAN_SIM_PLANTED)" ]; then scripts/sim-selftest --build; \
	elif [ ! -x "$(KAIRAN_SIM_PLANTED)" ]; then swift build $(SWIFT_FLAGS) --product kairan-sim; fi

fuzz-programs:
	@Fuzz/fuzz build

crash: ## daemons under load, killed again and again (KILLS=100)
	@swift build $(SWIFT_FLAGS) --product kairand
	@swift build $(SWIFT_FLAGS) --product kairan
	@Tests/Crash/sigkill --self-test
	@Tests/Crash/sigkill --trials $(KILLS)

doors: ## thousands of strangers at a daemon's door, while a member comes in
	@swift build $(SWIFT_FLAGS) --product kairand
	@Tests/Doors/doors

fuzz: ## every fuzz target for some seconds, behind everything that ever failed (FUZZ_SECONDS=10)
	@Fuzz/fuzz smoke --seconds $(FUZZ_SECONDS)

models: ## spin's models of the protocol's hard parts, and their mistakes
	@Models/check

sanitize: ## the Swift tests under the address and the thread sanitizer (long)
	@scripts/sanitize address
	@scripts/sanitize thread

coverage: ## how much of the protocol core its tests run through
	@scripts/coverage

soak: ## the full volume of everything that looks for lost data (hours); adds to docs/testing/ledger.csv
	@scripts/soak

check: ## style of the Swift code, shell scripts, packages beside this one, and systemd units
	$(FORMAT) lint --strict --parallel --recursive $(FORMATTED)
	@scripts/check-scripts
	@scripts/check-packages
	@scripts/check-systemd

format: ## formats the Swift code in place
	$(FORMAT) format --in-place --parallel --recursive $(FORMATTED)

hooks: ## runs `make check` before each commit
	git config core.hooksPath .githooks

## ------------------------------------------------------------------ installing

install: release ## installs programs and units (PREFIX=/usr, DESTDIR=); starts nothing
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install

install-relay-cluster: release ## installs what a relay over a NATS cluster needs beside it
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install --relay-cluster

uninstall: ## removes what `make install` installed; keeps configuration and data
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install --uninstall

deb: ## builds the Debian packages in .build-deb, and checks them
	@scripts/setup --packages
	@scripts/deb

deb-test: ## installs, upgrades, removes and purges the packages on Debian 12 and 13, as root
	@[ -n "$(KAIRAN_BIN)" ] || $(MAKE) deb
	@scripts/check-install $(KAIRAN_BIN)
	@STRICT="$(STRICT)" scripts/not-run --try scripts/deb-test

clean: ## removes everything that was built
	rm -rf .build .build-* Examples/.build Fuzz/.build Benchmarks/.build Benchmarks/Relay/.build

.PHONY: help setup build release programs run demo bench bench-core bench-relay test test-unit test-pure lab examples guide documentation schemathesis generators sim sim-planted sim-selftest planted-program fuzz-programs \
	crash doors fuzz models sanitize coverage soak check format hooks install install-relay-cluster uninstall deb deb-test clean
