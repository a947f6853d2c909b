# Every target sets up what it needs: a virtual environment with the locked
# dependencies and a development install. Python 3.11 or later is all it takes.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The first Python that is new enough; PYTHON=... names another.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11,\
	$(shell $(name) -c '$(NEW_ENOUGH)' 2>/dev/null && echo $(name))) python3)

# The first browser of Chromium's kind; CHROMIUM=... names another.
CHROMIUM ?= $(firstword $(foreach name,chromium chromium-browser google-chrome google-chrome-stable,\
	$(shell command -v $(name) 2>/dev/null)))

VENV := .venv
LOCK := dev
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --quiet
LOCKED := --require-hashes --no-build-isolation
WORKERS = $$($(BIN)/python -c 'import os; print(len(os.sched_getaffinity(0)) + 1)' 2>/dev/null || echo auto)
TIMES := $(VENV)/times
SPARK_LOG := $(VENV)/tests-with-spark.log
SPARK_CLASSES := $(VENV)/spark-classes
CLUSTER_BYTES ?= 5G
CLUSTER_KILLS ?= 10
SOAK_BYTES ?= 10G
# Needs space for the log, and as much again for what is made of it.
SOAK_FOLDER ?= .cache/soak
# Compiled modules are kept, whatever the environment says: the tests start many processes.
unexport PYTHONDONTWRITEBYTECODE
# The tests with Spark, without going through the modules that have none.
WITH_SPARK = -m 'spark and not long' $$(grep -rl --include='test_*.py' 'mark\.spark' tests)

.PHONY: help demo docs test check-generated check-code check-tests check-spark test-thorough cluster-test soak random-specs random-logs docs-run docs-licences size test-pages test-pages-run test-matrix test-spark gallery fuzz fuzz-run pages bench bench-run wheel lock audit fix dev clean FORCE

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: dev ## make a synthetic log and go through everything with it, Spark too, in demo/
	$(BIN)/lmparse demo --out demo

# $(call stage,NAME,COMMAND): run the command and note its time.
define stage
@echo "== $(1)"
@$(2) && printf '%4d s  %s\n' $$SECONDS '$(1)' | tee -a $(TIMES)
endef

test: dev ## check everything, in stages; the tests with Spark run beside the others, and what they print comes when they end
	@rm -f $(TIMES)
	@$(MAKE) --no-print-directory --jobs 2 check-generated check-code check-spark check-tests
	@echo "== times"; cat $(TIMES)

# Two stages that use one core each, and run beside each other; the tests with Spark begin when the first has ended.
check-generated:
	$(call stage,generated files,$(BIN)/python build.py --check)

check-code:
	$(call stage,specs,$(BIN)/python build.py lint)
	$(call stage,ruff,$(BIN)/ruff check --quiet .)
	$(call stage,mypy,$(BIN)/mypy)

# Two stages beside each other: the tests with Spark wait for Java and its processes half of their time, and many others
# for processes too, so that there is a worker more than cores. What the stages print is kept until they end, so that
# lines of the two do not mix.
check-tests:
	$(call stage,tests without Spark,$(BIN)/pytest -m 'not spark and not browser' --numprocesses $(WORKERS) --dist worksteal)

check-spark: $(SPARK_CLASSES)
	@echo "== tests with Spark: run beside the others, and print in $(SPARK_LOG) until they end"
	@$(BIN)/pytest $(WITH_SPARK) >$(SPARK_LOG) 2>&1; code=$$?; cat $(SPARK_LOG); \
		[ $$code -eq 0 ] && printf '%4d s  %s\n' $$SECONDS 'tests with Spark' | tee -a $(TIMES)

test-thorough: dev ## the tests without Spark with all the records, damage and examples that make test takes a part of; long
	LMPARSE_THOROUGH=1 $(BIN)/pytest -m 'not spark and not browser' --numprocesses auto --dist worksteal

test-pages: ## drive the pages in a headless Chromium, where there is one (CHROMIUM=... names it)
	@if [ -z '$(CHROMIUM)' ]; then echo 'tests of the pages in a browser: NOT RUN, there is no Chromium'; \
	else $(MAKE) test-pages-run VENV=.venv-browser LOCK=browser CHROMIUM='$(CHROMIUM)'; fi

test-pages-run: dev # The browser tests in $(VENV), whose lock holds what drives a browser.
	CHROMIUM='$(CHROMIUM)' $(BIN)/pytest -m browser --numprocesses auto --dist loadfile $$(grep -rl --include='test_*.py' 'mark\.browser' tests)

test-spark: dev $(SPARK_CLASSES) # The Spark tests in $(VENV), whatever Spark its lock holds.
	$(BIN)/pytest $(WITH_SPARK)

cluster-test: dev $(SPARK_CLASSES) ## tests of a cluster of Spark with CLUSTER_BYTES of log and CLUSTER_KILLS killed executors; long
	$(BIN)/pytest -m cluster tests/cluster --cluster-bytes $(CLUSTER_BYTES) --cluster-kills $(CLUSTER_KILLS) --durations 0

soak: dev ## SOAK_BYTES through convert and Spark: flat memory, nothing left; into bench/results/, long
	$(BIN)/python -m bench.soak --size $(SOAK_BYTES) --remove --cache $(SOAK_FOLDER)

random-specs: dev ## compare the readers on PAIRS=100000 random records of random specs; long
	PYTHONPATH=.:tests $(BIN)/python -m constructs.random_specs --pairs $(or $(PAIRS),100000)

random-logs: dev ## read random logs whose changes are known, each target SECONDS_EACH=600 or LOGS=..., JOBS=1 at once, or TARGET=... SEED=...; long
	PYTHONPATH=.:tests $(BIN)/python -m random_logs.run --seconds $(or $(SECONDS_EACH),600) --jobs $(or $(JOBS),1) \
		$(if $(SEED),--seed $(SEED)) $(if $(LOGS),--logs $(LOGS)) $(foreach name,$(TARGET),--target $(name))

test-matrix: ## run the Spark tests with the older Sparks, each in an environment of its own
	$(MAKE) test-spark VENV=.venv-spark-4.0 LOCK=spark-4.0
	$(MAKE) test-spark VENV=.venv-spark-4.1 LOCK=spark-4.1

gallery: dev ## build, load, plan, document and explain all specs of others in DIR=..., and print what each gives
	$(BIN)/python tests/gallery.py $(DIR)

fuzz: ## give changed bytes to all that reads what others send, each target FUZZ_SECONDS=600, JOBS=1 at once, or TARGET=...
	$(MAKE) fuzz-run VENV=.venv-fuzz LOCK=fuzz

fuzz-run: dev # The targets in $(VENV), whose lock holds the fuzzer where there is one for this Python.
	PYTHONPATH=.:tests $(BIN)/python -m fuzz.run --jobs $(or $(JOBS),1) $(if $(FUZZ_SECONDS),--seconds $(FUZZ_SECONDS)) \
		$(foreach name,$(TARGET),--target $(name))

docs: ## build the site into build/site: guides, reference, and the pages on which specs are reviewed
	$(MAKE) docs-run VENV=.venv-docs LOCK=docs

docs-run: dev # The site in $(VENV), whose lock holds what builds it.
	@mkdir -p build
	@rm -rf build/site docs/formats # or what was removed since would be in it
	$(BIN)/sphinx-build -q -W -b html -d build/site-doctrees docs build/site
	@echo 'build/site/index.html'

docs-licences: dev # The lines of docs/dependencies.md on what only $(VENV) has.
	$(BIN)/python tests/laws/dependency_table.py

size: dev ## print the lines and modules of each package beside what they may have at most
	@$(BIN)/python tests/laws/size_table.py

pages: dev ## write docs/errors.md, docs/dependencies.md and the lists in other pages of docs/ anew
	$(BIN)/python -c 'from lmparse.error_catalogue import page; print(page(), end="")' > docs/errors.md
	$(BIN)/python tests/laws/package_list.py
	$(BIN)/python tests/laws/dependency_table.py
	@$(MAKE) --no-print-directory docs-licences VENV=.venv-docs LOCK=docs
	$(BIN)/python tests/laws/reference_pages.py
	PYTHONPATH=.:tests $(BIN)/python tests/constructs/construct_page.py

bench: ## measure everything beside its rivals, into bench/results/; long, in an environment of its own
	$(MAKE) bench-run VENV=.venv-bench LOCK=bench

bench-run: dev # The benchmarks in $(VENV), whose lock holds the rivals too.
	$(BIN)/python bench/scalar.py
	$(BIN)/python bench/scans.py
	$(BIN)/python -m bench.engine --size 64M
	$(BIN)/python -m bench.engine --size 1G --only numpy_script columnar memcpy --baseline numpy_script --name engine-large
	$(BIN)/python -m bench.projection
	$(BIN)/python -m bench.any_spec
	$(BIN)/python -m bench.shapes
	$(BIN)/python -m bench.changes
	$(BIN)/python -m bench.described
	$(BIN)/python -m bench.lines
	$(BIN)/python -m bench.kinds
	$(BIN)/python -m bench.convert
	$(BIN)/python -m bench.transactions
	$(BIN)/python -m bench.growth
	$(BIN)/python -m bench.growth --shapes 250
	$(BIN)/python -m bench.spark

wheel: dev ## build the wheel into dist/
	@rm -rf build/lib build/bdist.* # or files deleted since would be in it
	$(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@rm -rf build/lib build/bdist.*

fix: dev ## mend what ruff can mend, and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

dev: $(VENV)/installed ## set up the environment without doing anything else

clean: ## remove everything that can be made again, the environments too
	rm -rf .venv* .cache build dist demo *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache \
		artifacts derby.log metastore_db spark-warehouse
	find . -path ./.git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment ---------------------------------------------------------

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c '$(NEW_ENOUGH)' || { echo 'lmparse needs Python 3.11 or later: make PYTHON=/path/to/python ...' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# pyspark comes as source. What builds it is installed first, from a lock as well,
# and build isolation, which would fetch it anew without hashes, is off.
$(VENV)/locked: requirements/build.txt requirements/$(LOCK).txt | $(VENV)/pyvenv.cfg
	$(INSTALL) --require-hashes -r requirements/build.txt
	$(INSTALL) $(LOCKED) -r requirements/$(LOCK).txt
	@touch $@

# Loading the classes of Spark takes seconds of each process that starts it: Java gets an archive of them, where it can
# make one. What was printed is kept in this file.
$(SPARK_CLASSES): $(VENV)/locked
	@PYTHONPATH=$(CURDIR):$(CURDIR)/tests $(BIN)/python tests/spark_classes.py >$@ 2>&1 || { cat $@; rm $@; exit 1; }

# A strict install, since Spark finds no data source in a plain one and mypy no package.
# It links file by file, so that a new file asks for a new install.
$(VENV)/installed: $(VENV)/locked $(VENV)/files pyproject.toml
	$(INSTALL) --no-deps --no-build-isolation --editable . --config-settings editable_mode=strict
	@touch $@

$(VENV)/files: FORCE | $(VENV)/pyvenv.cfg
	@test -d build/__editable__.* || rm -f $@
	@find lmparse generated formats -name '*.py' -o -name '*.pyi' -o -name '*.ksy' -o -name '*.json' \
		-o -name py.typed -o -path '*/templates/*' -o -path 'formats/*.csv' -o -path 'formats/*.yaml' | LC_ALL=C sort > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# --- the locks ---------------------------------------------------------------

UV := .venv-lock/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	--no-emit-index-url --no-header --no-annotate $(if $(UPGRADE),--upgrade)

lock: .venv-lock/locked ## write the lock files anew after a change of dependencies; UPGRADE=1 takes new versions too
	printf 'setuptools\nwheel\n' | $(UV) - -o requirements/build.txt
	printf 'pip-audit\nuv\n' | $(UV) - -o requirements/lock.txt
	$(UV) pyproject.toml --extra dev -c requirements/build.txt -o requirements/dev.txt
	$(UV) pyproject.toml --extra bench -c requirements/build.txt -o requirements/bench.txt
	$(UV) pyproject.toml --extra fuzz -c requirements/build.txt -o requirements/fuzz.txt
	$(UV) pyproject.toml --extra docs -c requirements/build.txt -o requirements/docs.txt
	$(UV) pyproject.toml --extra browser -c requirements/build.txt -o requirements/browser.txt
	printf 'pyspark==4.0.*\n' | $(UV) - pyproject.toml --extra test -c requirements/build.txt -o requirements/spark-4.0.txt
	printf 'pyspark==4.1.*\n' | $(UV) - pyproject.toml --extra test -c requirements/build.txt -o requirements/spark-4.1.txt

	@$(MAKE) --no-print-directory audit || echo 'The new locks are written, but are NOT AUDITED, or have what is named above.'

audit: .venv-lock/locked ## compare all locks with the known vulnerabilities; fails if a package cannot be compared
	@for lock in $(wildcard requirements/*.txt); do echo "== $$lock"; .venv-lock/bin/pip-audit --strict \
		--progress-spinner off --disable-pip --require-hashes -r $$lock || exit 1; done

.venv-lock/locked: requirements/lock.txt
	@test -d .venv-lock || $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --require-hashes -r requirements/lock.txt
	@touch $@
