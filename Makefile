# make setup builds .venv once; every other target sees to that first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.made-from-the-lock
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
LOCK := requirements.lock
EXTRAS := browser lab export ui mcp ray scrapy semantic docs dev compiler
# A compiler of a hundred megabytes is for machines that have none.
NO_COMPILER := /^ziglang==/,/[^\\]$$/d
NEEDED := sed '$(if $(shell command -v cc),$(NO_COMPILER))' $(LOCK)

# The caller's own environment must not leak into ours; without compiled modules every program starts at half the speed.
unexport VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE PIP_USER PIP_TARGET PIP_PREFIX

.PHONY: setup lock browser test lint pytest coverage sbom release demo docs bench fuzz clean

setup: $(STAMP)

# Nothing is installed but what the lock names, and no file whose hash is not in it, tools that build us included.
$(STAMP): pyproject.toml $(LOCK) hatch_build.py $(wildcard src/salticid/native/*.[ch])
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "salticid needs Python 3.11 or newer, and '$(PYTHON)' is not: make setup PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "'$(PYTHON)' cannot make a virtual environment: apt-get install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@# uv is many times faster than pip, but reads other settings and may not reach the index that pip reaches.
	sed -n '/^uv==/,/[^\\]$$/p' $(LOCK) | $(PIP) install --require-hashes --requirement /dev/stdin && \
		$(NEEDED) | $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --requirement - || \
		$(NEEDED) | $(PIP) install --require-hashes --requirement /dev/stdin
	$(PIP) install --no-index --no-deps --no-build-isolation --editable .
	@touch $@

# Pins what pyproject.toml asks for; what is pinned already stays so, unless UPGRADE=1 asks for the newest of all.
lock: setup
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		$(if $(UPGRADE),--upgrade) $(EXTRAS:%=--extra %) --output-file $(LOCK) pyproject.toml

# The tests of what people see in a browser need one; where it cannot be installed, they say so.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		echo "installing chromium with apt-get, for the tests in a browser" && \
		{ apt-get install -qq -y --no-install-recommends chromium >/dev/null 2>&1 || \
		{ apt-get -qq update && apt-get install -qq -y --no-install-recommends chromium >/dev/null 2>&1; }; } || \
		echo "no chromium, and it cannot be installed here: apt-get install chromium"; }

# Side by side: the types are checked on one core, the tests wait much of their time.
test: setup browser
	@$(MAKE) --no-print-directory --jobs 2 lint pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(wildcard src tests benchmarks tools hatch_build.py)
	$(BIN)/lint-imports --no-logo

pytest: setup
	$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder

# Lines of src/salticid that the tests run, in the programs they start too; ONLY=tests/test_x.py for some of them.
# Tracing makes programs several times slower: a test that waits for one may fail here alone, and is reported.
coverage: setup browser
	@rm -rf build/coverage && mkdir -p build/coverage
	-$(BIN)/coverage run -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder $(ONLY)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --sort=cover

sbom: setup
	@mkdir -p build
	$(BIN)/python -m tools.sbom > build/salticid.cdx.json

# What could be published lies in dist when nothing is wrong with it; TAG=v1.2.3 is what it is to be published as.
release: setup
	$(BIN)/python -m tools.release $(TAG)

demo: setup
	$(BIN)/salticid demo

docs: setup
	$(BIN)/python -m tools.docs_site

bench: setup
	@$(BIN)/python -c 'import trafilatura' 2>/dev/null || \
		$(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[bench]' || \
		$(PIP) install --editable '.[bench]'
	$(BIN)/python -m benchmarks $(ONLY)

# Where atheris cannot be installed, a plain loop mutates the seeds.
fuzz: setup
	@$(BIN)/python -c 'import atheris' 2>/dev/null || \
		$(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[fuzz]' || \
		$(PIP) install --editable '.[fuzz]' || true
	$(BIN)/python -m tools.fuzz

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests $(wildcard benchmarks tools) -name __pycache__ -type d -prune -exec rm -rf {} +
