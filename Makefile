# What a person does with a checkout. `make` alone lists it; ARGS goes on to the program.
#
# Each file .venv/.<name> stands for one finished step of the installation, so that a second call
# costs nothing and a changed lock installs what changed.

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip -qq --disable-pip-version-check
INSTALL := $(PIP) install --require-hashes
PYTHONS := $(or $(PYTHON),python3.11 python3.12 python3.13 python3.14 python3)
# Some machines keep no bytecode: then each worker would compile all tests anew, for 15 s.
unexport PYTHONDONTWRITEBYTECODE
# Tests beside one another; each worker takes over what another one has not yet begun.
BESIDE := $(PY) -m pytest --numprocesses auto --dist worksteal
COMPILE := $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)

.DELETE_ON_ERROR:
.PHONY: help setup run test quick check format bench pictures storm postgres traces meaning servers docs lock

help: ## list what can be made
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST))

setup: $(VENV)/.dev ## install all that running, testing and checking need
	@echo "Ready: make run, make test, make check"

run: $(VENV)/.run ## start Steward; without a token, a chat in this terminal
	@$(VENV)/bin/steward run $(ARGS)

test: $(VENV)/.dev ## run the tests; ARGS="tests/domain -x" runs some of them
ifdef ARGS
	@$(PY) -m pytest $(ARGS)
else
	@$(BESIDE) -m "not alone"; beside=$$?; \
	$(PY) -m pytest -m alone $$(grep -rl --include "*.py" "mark\.alone" tests) && exit $$beside
endif

quick: $(VENV)/.dev ## run all tests but end-to-end ones and those that measure
	@$(BESIDE) -m "not alone" --ignore tests/e2e

check: $(VENV)/.dev ## lint, format, types and import contracts, without changing a file
	@$(VENV)/bin/ruff check
	@$(VENV)/bin/ruff format --check
	@$(VENV)/bin/basedpyright
	@$(VENV)/bin/lint-imports --no-logo

format: $(VENV)/.dev ## fix what ruff can fix
	@$(VENV)/bin/ruff check --fix
	@$(VENV)/bin/ruff format

bench: $(VENV)/.dev ## measure, and print the figures of the README
	@$(PY) -m benchmarks $(ARGS)

pictures: $(VENV)/.dev ## make the pictures of README and docs from the running program
	@$(PY) -m pictures $(ARGS)

storm: $(VENV)/.dev ## kill the program at random for five minutes; ARGS="30 7 postgres discord": seconds, a seed, the database, the platform
	@$(PY) -m tests.e2e.storm $(or $(ARGS),300 1)

postgres: $(VENV)/.postgres ## install the driver that a PostgreSQL database needs

traces: $(VENV)/.traces ## install what sends traces of turns to a collector

meaning: $(VENV)/.meaning ## install the index of meaning; 490 MB, and only needed with an embedder

servers: $(VENV)/.servers ## install the tool servers of npm that some tests talk to; needs Node.js

docs: $(VENV)/.docs ## build the pages as a site with a search, on this machine
	@$(PY) -m sphinx --quiet --fail-on-warning --keep-going -c docs --doctree-dir build/.doctrees . build/site
	@echo "Open file://$(CURDIR)/build/site/docs/README.html"

lock: $(VENV)/.lock ## write requirements/ anew from pyproject.toml; UPGRADE=1 takes newer releases
	$(COMPILE) --group build --output-file requirements/build.txt
	$(COMPILE) --group lock --output-file requirements/lock.txt
	$(COMPILE) pyproject.toml --output-file requirements/run.txt
	$(COMPILE) pyproject.toml --extra postgres \
		--constraint requirements/run.txt --output-file requirements/postgres.txt
	$(COMPILE) pyproject.toml --extra meaning --extra postgres \
		--constraint requirements/postgres.txt --output-file requirements/meaning.txt
	$(COMPILE) pyproject.toml --extra postgres --extra traces \
		--constraint requirements/meaning.txt --output-file requirements/traces.txt
	$(COMPILE) pyproject.toml --extra meaning --extra postgres --extra traces --group dev \
		--constraint requirements/traces.txt --constraint requirements/meaning.txt \
		--output-file requirements/dev.txt
	$(COMPILE) --group docs --constraint requirements/dev.txt --output-file requirements/docs.txt

# The folder holds absolute paths: absent, broken or moved, it is made anew.
ifneq ($(shell $(PY) -SE -c 'print(open("$(VENV)/.made").read().strip())' 2>/dev/null),$(CURDIR))
.PHONY: $(VENV)/.made
endif

# Debian parts pip from venv: where venv cannot bring pip along, the machine's own pip installs it.
$(VENV)/.made:
	@for python in $(PYTHONS); do \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
		python=; \
	done; \
	if [ -z "$$python" ]; then \
		echo "Steward needs Python 3.11 or newer and found none as: $(PYTHONS)." >&2; exit 2; \
	fi; \
	echo "Making $(VENV) with $$($$python --version)"; \
	$$python -m venv --clear $(VENV) >/dev/null 2>&1 \
	|| { $$python -m venv --clear --without-pip $(VENV) \
		&& $$python -m pip -qq --python $(PY) install \
			--require-hashes --requirement requirements/build.txt; } \
	|| { echo "$$python could not make $(VENV): install its venv or pip package." >&2; exit 2; }
	@echo "$(CURDIR)" > $@

$(VENV)/.build: $(VENV)/.made requirements/build.txt
	@$(INSTALL) --requirement requirements/build.txt
	@touch $@

$(VENV)/.run: $(VENV)/.build requirements/run.txt pyproject.toml
	@echo "Installing what Steward needs"
	@$(INSTALL) --requirement requirements/run.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.postgres: $(VENV)/.run requirements/postgres.txt
	@echo "Installing the PostgreSQL driver"
	@$(INSTALL) --requirement requirements/postgres.txt
	@touch $@

$(VENV)/.traces: $(VENV)/.run requirements/traces.txt
	@echo "Installing what sends traces"
	@$(INSTALL) --requirement requirements/traces.txt
	@touch $@

$(VENV)/.meaning: $(VENV)/.run requirements/meaning.txt
	@echo "Installing the index of meaning"
	@$(INSTALL) --requirement requirements/meaning.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	@echo "Installing what tests and checks need"
	@# What of it is ever loaded compiles itself then: all of it would take 20 s.
	@$(INSTALL) --no-compile --requirement requirements/dev.txt
	@touch $@

$(VENV)/.servers: $(VENV)/.made tests/servers/package-lock.json
	@echo "Installing npm's tool servers"
	@npm ci --silent --no-audit --no-fund --ignore-scripts --prefix tests/servers
	@touch $@

$(VENV)/.docs: $(VENV)/.made requirements/docs.txt
	@echo "Installing what makes the site"
	@$(INSTALL) --requirement requirements/docs.txt
	@touch $@

$(VENV)/.lock: $(VENV)/.build requirements/lock.txt
	@$(INSTALL) --requirement requirements/lock.txt
	@touch $@
