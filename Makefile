# The only commands to remember. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# An undeclared import builds without this flag; with it, the layers of the package hold.
SWIFT_FLAGS := --explicit-target-dependency-import-check error
# Release programs carry Swift's library in them, so that they run where no Swift is installed.
RELEASE_FLAGS := $(SWIFT_FLAGS) --configuration release --static-swift-stdlib
FORMAT := swift format
FORMATTED := Package.swift Sources Tests

PREFIX ?= /usr
DESTDIR ?=

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

## ------------------------------------------------------------------ building and running

setup: ## installs what is missing on this machine (Debian packages; asks sudo when not root)
	@scripts/setup

build: setup ## builds kairand and kairan for debugging, in .build/debug
	swift build $(SWIFT_FLAGS) --product kairand
	swift build $(SWIFT_FLAGS) --product kairan

release: setup ## builds them for use, in .build/release
	swift build $(RELEASE_FLAGS) --product kairand
	swift build $(RELEASE_FLAGS) --product kairan

run: build ## runs one daemon for yourself, in the foreground
	@scripts/run

demo: release ## three machines find each other, pair, sync, part, disagree and agree (STAY=1: leave them running)
	@scripts/demo

bench: release ## measures whole daemons on this machine, against its own disk and SQLite
	@scripts/bench

## ------------------------------------------------------------------ testing

test: ## everything that CI runs: set up, style, units, conformance, services, lab
	@scripts/stage setup scripts/setup
	@scripts/stage check $(MAKE) check
	@scripts/stage unit $(MAKE) test-unit
	@scripts/stage lab $(MAKE) lab

test-unit: ## the Swift tests only
	@if [ -x .build-interop/bin/python ]; then \
		export KAIRAN_INTEROP_PYTHON=$(CURDIR)/.build-interop/bin/python; \
	else \
		echo "NOT RUN: handshakes with an independent Noise implementation ('make setup' says why)"; \
		[ -z "$(STRICT)" ]; \
	fi; \
	swift test $(SWIFT_FLAGS)

test-pure: ## the tests of the protocol core only, in seconds
	KAIRAN_PURE=1 swift test $(SWIFT_FLAGS) --scratch-path .build-pure

# The lab says 77 where it cannot run; that is no failure of Kairan's, and no pass either.
lab: ## the tests on a network of namespaces, as root (TESTS="03 11": only those)
	@swift build $(SWIFT_FLAGS) --product kairand
	@swift build $(SWIFT_FLAGS) --product kairan
	@code=0; Tests/Lab/run.sh $(TESTS) || code=$$?; \
	if [ $$code = 77 ]; then \
		printf '\n%s\n%s\n%s\n' \
			'*************************************************************' \
			'*  lab NOT run: this machine cannot, see the line above.    *' \
			'*************************************************************'; \
		[ -z "$(STRICT)" ]; \
	else exit $$code; fi

check: ## style of the Swift code, shell scripts, and systemd units
	$(FORMAT) lint --strict --parallel --recursive $(FORMATTED)
	@scripts/check-scripts
	@scripts/check-systemd

format: ## formats the Swift code in place
	$(FORMAT) format --in-place --parallel --recursive $(FORMATTED)

hooks: ## runs `make check` before each commit
	git config core.hooksPath .githooks

## ------------------------------------------------------------------ installing

install: release ## installs programs and units (PREFIX=/usr, DESTDIR=); starts nothing
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install

clean: ## removes everything that was built
	rm -rf .build .build-pure .build-interop

.PHONY: help setup build release run demo bench test test-unit test-pure lab check format hooks install clean
