# Everything a developer runs. CI runs the same through .ci/run.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go
PKG ?= ./...
SERVICES_PKG ?= ./internal/...
FUZZTIME ?= 20s
BENCHTIME ?= 1s
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.5.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0

.PHONY: help build test test-race test-cloud test-services check fmt vet lint vuln scripts fuzz bench demo

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Compile everything
	$(GO) build $(PKG)

test: ## Run the tests (nothing but Go is needed)
	$(GO) test -timeout 15m $(PKG)

test-race: ## Run the tests with the race detector, long ones shortened
	$(GO) test -race -short -timeout 20m $(PKG)

test-cloud: ## Run the evidence tests with the bucket drivers compiled in
	$(GO) vet -tags cloud ./internal/evidence/...
	$(GO) test -tags cloud -timeout 10m ./internal/evidence/...

test-services: ## Run the tests of internal/ against real Postgres, Redis and Kafka
	@dir=$$(mktemp -d); trap 'deploy/services/down.sh "$$dir"; rm -rf "$$dir"' EXIT; \
	deploy/services/up.sh "$$dir"; . "$$dir/env"; \
	$(GO) test -count=1 -timeout 20m $(SERVICES_PKG)

check: fmt vet lint vuln scripts ## Format, vet, lint, known vulnerabilities, scripts

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "gofmt would change:"; echo "$$out"; exit 1; }

vet:
	$(GO) vet $(PKG)

lint:
	$(GO) run $(GOLANGCI) run --timeout 10m $(PKG)

# Exit status 3 means that something was found; any other failure means that the
# database could not be asked, which is said and is no fault of the code.
vuln:
	@status=0; out=$$($(GO) run $(GOVULNCHECK) $(PKG) 2>&1) || status=$$?; \
	case $$status in \
	0) echo "govulncheck: no known vulnerabilities" ;; \
	*) if grep -q '^Vulnerability #' <<<"$$out"; then echo "$$out"; exit 1; fi; \
	   echo "govulncheck was not run to its end: $$(grep -v '^exit status' <<<"$$out" | tail -n 1 | sed -E 's#https?://[^ "]+#its database#g')" ;; \
	esac

scripts:
	@for f in $$(git ls-files '*.sh' .ci/run); do bash -n "$$f" || exit 1; done

fuzz: ## Run every fuzz target for FUZZTIME (20s)
	@found=0; \
	for file in $$(git grep -lE '^func Fuzz' -- '*_test.go'); do \
	  for target in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*).*/\1/p' "$$file"); do \
	    found=1; echo "== $$target in $$(dirname "$$file")"; \
	    $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")"; \
	  done; \
	done; [ "$$found" = 1 ] || { echo "no fuzz target found"; exit 1; }

bench: ## Run the benchmarks for BENCHTIME (1s) each
	$(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) $(PKG)

demo: ## Run the worked example in one process
	$(GO) run ./cmd/stoplog demo
