# `make demo` and `make test` set up all they need in .venv, from pinned versions; a step whose inputs
# did not change is not done again.
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
PAGE := demo-out/report/index.html

# The first Python on PATH that will do; or say: make PYTHON=/path/to/python demo
FITS := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11 python; do \
  $$name -c '$(FITS)' 2> /dev/null && echo $$name && break; done)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test check lint local clean
.DELETE_ON_ERROR:
# All steps share one environment, so `make -j2 demo test` may not fill it twice at once.
.NOTPARALLEL:

demo: $(PAGE)
	@echo "The report lies in $(PAGE); open it in a browser. To make it anew: rm -r demo-out"

# One process a core; a library that started a thread a core in each of them would only slow them.
test: $(STAMPS)/dev
	BIN=$(BIN) scripts/check
	BIN=$(BIN) OMP_NUM_THREADS=1 scripts/test -n auto

check: $(STAMPS)/dev
	BIN=$(BIN) scripts/check

lint: $(STAMPS)/dev
	BIN=$(BIN) scripts/lint

# Optional: torch and transformers, for models run from their weights.
local: $(STAMPS)/local

$(PAGE): $(STAMPS)/demo $(shell find src -type f -not -name '*.pyc')
	$(BIN)/python -m earthexam demo --out demo-out

$(STAMPS)/venv:
	@'$(PYTHON)' -c '$(FITS)' 2> /dev/null || { \
	  echo "EarthExam needs Python 3.11, 3.12 or 3.13; $(or $(PYTHON),nothing on PATH) is none." \
	    "Try: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	'$(PYTHON)' -m venv $(VENV)
	@mkdir -p $(STAMPS)
	@touch $@

$(STAMPS)/demo: requirements/demo.lock pyproject.toml | $(STAMPS)/venv
	$(INSTALL) -r requirements/demo.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(STAMPS)/dev: requirements/dev.lock pyproject.toml | $(STAMPS)/venv
	$(INSTALL) -r requirements/dev.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $(STAMPS)/demo $@

$(STAMPS)/local: requirements/local.lock | $(STAMPS)/dev
	$(INSTALL) -r requirements/local.lock
	@touch $@

clean:
	rm -rf $(VENV) demo-out build dist
