# Everything happens in .venv; stamps keep it from being installed twice.
#
#   make demo         export the slider-crank FMU, simulate it, check it against the reference
#   make test         run the tests
#   make lint         check style, types and layers
#   make cross-check  run the examples in importers against references and published solutions, and the slow tests
#   make fuzz         judge random linkages and examples with random parameters for 60 CPU minutes, and write a table
#   make importers    run every example in every importer on this machine and print a table
#   make bench        time equations, closures, trees and exports, close a corpus of mechanisms, and print tables
#   make peers        install the programs that make bench compares with
#   make docs         build the documentation as a site in build/site
#   make clean        remove .venv, out and build

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := out

.PHONY: help demo test lint cross-check fuzz importers bench peers docs clean
.NOTPARALLEL:

help:
	@sed -n 's/^#   //p' Makefile

demo: $(VENV)/installed $(VENV)/compiler
	@mkdir -p $(OUT)
	$(BIN)/fmugen verify examples/slider_crank/model.toml \
		--fmu $(OUT)/SliderCrank.fmu --plot $(OUT)/SliderCrank.html

test: $(VENV)/installed-test $(VENV)/compiler $(VENV)/browser
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

cross-check: $(VENV)/installed-test $(VENV)/compiler
	$(BIN)/python cross_check/run.py --output cross_check/results/CROSS_CHECK.md
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m slow

fuzz: $(VENV)/installed $(VENV)/compiler
	$(BIN)/python cross_check/reliability.py --cpu-minutes 60 --output cross_check/RELIABILITY.md

importers: $(VENV)/installed-test
	$(BIN)/python cross_check/importers --output cross_check/results/IMPORTERS.md

bench: $(VENV)/installed $(VENV)/compiler
	cd cross_check && ../$(BIN)/python -m bench.speed --output results/BENCHMARKS.md
	cd cross_check && ../$(BIN)/python -m bench.closures --output results/CLOSURES.md
	cd cross_check && ../$(BIN)/python -m bench.trees --output results/TREES.md
	cd cross_check && ../$(BIN)/python -m bench.beams --output results/BEAMS.md
	cd cross_check && ../$(BIN)/python -m bench.exports --output results/EXPORTS.md
	cd cross_check && ../$(BIN)/python -m closures --cheapest --output results/REACH.md

peers: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r cross_check/bench/peers/requirements.txt

docs: $(VENV)/installed-docs
	$(BIN)/python docs/programs/reference.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "build/site/index.html"

clean:
	rm -rf $(VENV) $(OUT) build

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/installed-test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,importers]'
	@touch $@ $(VENV)/installed

$(VENV)/installed-docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@ $(VENV)/installed

# The tests of reports need Chromium; where it cannot be had, they are skipped and say so.
$(VENV)/browser: $(VENV)/installed-test
	@if ! { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null; then \
		echo "no Chromium found: installing it"; \
		{ [ "$$(id -u)" = 0 ] && apt-get update >/dev/null 2>&1 && apt-get install --yes chromium >/dev/null 2>&1; } \
			|| $(BIN)/python -m playwright install chromium >/dev/null 2>&1 \
			|| echo "Chromium cannot be installed: reports are not tested in a browser"; \
	fi
	@touch $@

# Without a C compiler on the machine, the one of the `cross` extra is installed.
$(VENV)/compiler: pyproject.toml | $(BIN)/python
	@if [ -z "$$CC" ] && ! { command -v cc || command -v gcc || command -v clang; } >/dev/null; then \
		echo "no C compiler found: installing ziglang"; \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[cross]'; \
	fi
	@touch $@
