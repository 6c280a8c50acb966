# `make demo` and `make test` set up everything they need in .venv and stop early where nothing changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps

.PHONY: demo test check lint clean
.DELETE_ON_ERROR:

demo: $(STAMPS)/demo
	$(BIN)/earthexam demo --out demo-out

test: $(STAMPS)/dev
	BIN=$(BIN) scripts/check
	BIN=$(BIN) scripts/test

check: $(STAMPS)/dev
	BIN=$(BIN) scripts/check

lint: $(STAMPS)/dev
	BIN=$(BIN) scripts/lint

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "EarthExam needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS)
	@touch $@

$(STAMPS)/demo: requirements/demo.lock pyproject.toml | $(STAMPS)/venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/demo.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(STAMPS)/dev: requirements/dev.lock pyproject.toml | $(STAMPS)/venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@ $(STAMPS)/demo

clean:
	rm -rf $(VENV) demo-out build dist
