# make setup builds .venv once; every other target sees to that first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.made-from-pyproject

# The caller's own environment must not leak into ours.
unexport VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONHOME PIP_USER PIP_TARGET PIP_PREFIX

.PHONY: setup browser test demo bench clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "salticid needs Python 3.11 or newer, and '$(PYTHON)' is not: make setup PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "'$(PYTHON)' cannot make a virtual environment: apt-get install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@# uv is many times faster than pip, but reads other settings and may not reach the index that pip reaches.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv && \
		$(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[lab,export,ui,ray,dev]' || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[lab,export,ui,ray,dev]'
	@touch $@

# The tests of what people see in a browser need one; where it cannot be installed, they say so.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		echo "installing chromium with apt-get, for the tests in a browser" && \
		{ apt-get install -qq -y --no-install-recommends chromium >/dev/null 2>&1 || \
		{ apt-get -qq update && apt-get install -qq -y --no-install-recommends chromium >/dev/null 2>&1; }; } || \
		echo "no chromium, and it cannot be installed here: apt-get install chromium"; }

test: setup browser
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(wildcard src tests benchmarks)
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n 2

demo: setup
	$(BIN)/salticid demo

bench: setup
	@$(BIN)/python -c 'import scrapy' 2>/dev/null || \
		$(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[bench]' || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m benchmarks $(ONLY)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests $(wildcard benchmarks) -name __pycache__ -type d -prune -exec rm -rf {} +
